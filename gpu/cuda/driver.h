#pragma once
// The few functions of the CUDA driver that the runtime library does not offer in CUDA 11.8: modules and
// launches. The driver's library is opened when the program runs; it may be missing.

#include <cuda.h>

#include <string>

namespace ws {

struct Driver {
    decltype(&cuModuleLoadData) module_load_data = nullptr;
    decltype(&cuModuleUnload) module_unload = nullptr;
    decltype(&cuModuleGetFunction) module_get_function = nullptr;
    decltype(&cuLaunchKernel) launch_kernel = nullptr;
    decltype(&cuFuncGetAttribute) func_get_attribute = nullptr;
    decltype(&cuFuncSetAttribute) func_set_attribute = nullptr;
    decltype(&cuFuncSetCacheConfig) func_set_cache_config = nullptr;
    decltype(&cuGetErrorName) get_error_name = nullptr;
    decltype(&cuGetErrorString) get_error_string = nullptr;
    decltype(&cuOccupancyMaxActiveBlocksPerMultiprocessor) occupancy_max_active_blocks = nullptr;
    // Gone from newer headers, and without effect beyond compute capability 3.x: null where it is missing.
    CUresult (*func_set_shared_mem_config)(CUfunction, int) = nullptr;

    // Null if the driver's library or one of its functions is missing.
    [[nodiscard]] static const Driver* get();
    [[nodiscard]] std::string name_of(CUresult error) const;
    [[nodiscard]] std::string text_of(CUresult error) const;
};

}  // namespace ws
