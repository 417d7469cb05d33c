#pragma once
// What kernels read that others write.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "gpu/core/image.h"
#include "gpu/core/plan.h"
#include "gpu/core/result_key.h"

namespace ws {

// For any number of threads. Keeps those of the last input that was asked for.
class PreparedBuffers {
  public:
    // `problem` is that of the key. Waits while another thread makes one.
    [[nodiscard]] std::shared_ptr<const HostBytes> find(const InputKey& input, const Problem& problem,
                                                        int buffer);

  private:
    std::mutex mutex_;
    InputKey input_;
    std::string lab_;
    std::map<int, std::shared_ptr<const HostBytes>> made_;
};

}  // namespace ws
