#include "gpu/cuda/driver.h"

#include <dlfcn.h>

#include <optional>

namespace ws {
namespace {

std::optional<Driver> load() {
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return std::nullopt;
    Driver driver;
    bool complete = true;
    const auto find = [&](auto& function, const char* symbol) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, symbol));
        return function != nullptr;
    };
    complete &= find(driver.module_load_data, "cuModuleLoadData");
    complete &= find(driver.module_unload, "cuModuleUnload");
    complete &= find(driver.module_get_function, "cuModuleGetFunction");
    complete &= find(driver.launch_kernel, "cuLaunchKernel");
    complete &= find(driver.func_get_attribute, "cuFuncGetAttribute");
    complete &= find(driver.func_set_attribute, "cuFuncSetAttribute");
    complete &= find(driver.func_set_cache_config, "cuFuncSetCacheConfig");
    complete &= find(driver.get_error_name, "cuGetErrorName");
    complete &= find(driver.get_error_string, "cuGetErrorString");
    complete &= find(driver.occupancy_max_active_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor");
    find(driver.func_set_shared_mem_config, "cuFuncSetSharedMemConfig");
    if (!complete) return std::nullopt;
    return driver;
}

}  // namespace

const Driver* Driver::get() {
    static const std::optional<Driver> driver = load();
    return driver ? &*driver : nullptr;
}

std::string Driver::name_of(CUresult error) const {
    const char* name = nullptr;
    get_error_name(error, &name);
    return name ? name : "CUDA error " + std::to_string(int(error));
}

std::string Driver::text_of(CUresult error) const {
    const char* text = nullptr;
    get_error_string(error, &text);
    return text ? text : "unknown error";
}

}  // namespace ws
