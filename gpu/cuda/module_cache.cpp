#include "gpu/cuda/module_cache.h"

#include <algorithm>
#include <utility>

#include "gpu/compile/device_runtime.h"

namespace ws {

ModuleCache::~ModuleCache() {
    for (const Entry& entry : entries_)
        driver_.module_unload(entry.module);  // fails harmlessly on a lost device
}

ModuleCache::Loaded ModuleCache::load(const std::shared_ptr<const CompiledKernel>& kernel) {
    constexpr std::size_t kMost = 64;
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.kernel == kernel; });
    if (found != entries_.end()) {
        entries_.splice(entries_.begin(), entries_, found);
        return {CUDA_SUCCESS, entries_.front().function};
    }
    Entry entry{kernel};
    const char* code = kernel->binary.data();
    std::vector<char> linked;
    if (needs_device_runtime(*kernel)) {
        Result<std::vector<char>> made = with_device_runtime(*kernel);
        if (!made.ok()) return {CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, nullptr, made.message()};
        linked = std::move(made.value());
        code = linked.data();
    }
    CUresult status = driver_.module_load_data(&entry.module, code);
    if (status != CUDA_SUCCESS) return {status, nullptr};
    status = driver_.module_get_function(&entry.function, entry.module, kernel->entry.c_str());
    if (status != CUDA_SUCCESS) {
        driver_.module_unload(entry.module);
        return {status, nullptr};
    }
    entries_.push_front(entry);
    if (entries_.size() > kMost) {
        driver_.module_unload(entries_.back().module);
        entries_.pop_back();
    }
    return {CUDA_SUCCESS, entries_.front().function};
}

}  // namespace ws
