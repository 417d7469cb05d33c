#include "gpu/core/background.h"

#ifdef __linux__
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace ws {

void give_way() {
#ifdef __linux__
    constexpr int kNice = 10;
    // On Linux a thread has a priority of its own; where it cannot be lowered, nothing is lost.
    (void)setpriority(PRIO_PROCESS, id_t(syscall(SYS_gettid)), kNice);
#endif
}

}  // namespace ws
