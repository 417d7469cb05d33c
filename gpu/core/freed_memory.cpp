#include "gpu/core/freed_memory.h"

#include <cstdlib>  // which says whose library it is

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace ws {

void keep_freed_memory() {
#ifdef __GLIBC__
    constexpr int kMiB = 1 << 20;
    mallopt(M_TRIM_THRESHOLD, 128 * kMiB);
    // What is larger has pages of its own, which go back; glibc takes no more.
    mallopt(M_MMAP_THRESHOLD, 32 * kMiB);
#endif
}

}  // namespace ws
