#pragma once
// Compiled kernels loaded onto the GPU.

#include <cstdint>
#include <list>
#include <memory>
#include <string>

#include "gpu/core/error.h"
#include "gpu/core/kernel.h"
#include "gpu/cuda/driver.h"

namespace ws {

class ModuleCache {
  public:
    explicit ModuleCache(const Driver& driver) : driver_(driver) {}
    ~ModuleCache();
    ModuleCache(const ModuleCache&) = delete;
    ModuleCache& operator=(const ModuleCache&) = delete;

    // Loads the kernel unless it is there already. The CUresult is a failure of loading.
    struct Loaded {
        CUresult status = CUDA_SUCCESS;
        CUfunction function = nullptr;
        std::string missing{};  // what the kernel has to be linked with first; then there is no function
    };
    [[nodiscard]] Loaded load(const std::shared_ptr<const CompiledKernel>& kernel);

  private:
    struct Entry {
        std::shared_ptr<const CompiledKernel> kernel;
        CUmodule module = nullptr;
        CUfunction function = nullptr;
    };
    const Driver& driver_;
    std::list<Entry> entries_;  // the one used last in front
};

}  // namespace ws
