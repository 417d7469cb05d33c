#include "gpu/cuda/kernel_launcher.h"

#include "gpu/cuda/launch_failure.h"

namespace ws {

namespace {

// From 7.0 on a preference for L1 is taken at its word: of a kernel with shared memory one block stays on a
// multiprocessor, or as many as happen to fit beside it (docs/measurements.md). L1 is to have what the blocks
// that fit leave, which it has without a preference.
CUfunc_cache cache_config(const Launch& launch, ComputeCapability capability) {
    switch (launch.cache) {
        case CachePreference::none:
            break;
        case CachePreference::shared:
            return CU_FUNC_CACHE_PREFER_SHARED;
        case CachePreference::l1: {
            const bool shares = launch.dynamic_shared_bytes() > 0 || launch.kernel->report.shared_bytes > 0;
            return capability.number() >= 70 && shares ? CU_FUNC_CACHE_PREFER_NONE : CU_FUNC_CACHE_PREFER_L1;
        }
    }
    return CU_FUNC_CACHE_PREFER_NONE;
}

}  // namespace

std::optional<LaunchFailure> KernelLauncher::prepare(const Launch& launch, CUfunction& function) {
    const ModuleCache::Loaded loaded = modules_.load(launch.kernel);
    if (!loaded.missing.empty())
        return LaunchFailure{launch.step, driver_.name_of(loaded.status), loaded.missing};
    if (loaded.status != CUDA_SUCCESS) return refusal_of(loaded.status, launch, driver_, gpu_);
    function = loaded.function;
    if (configured_ != std::make_tuple(function, launch.cache, launch.banks, launch.dynamic_shared_bytes()))
        configure(function, launch);
    return std::nullopt;
}

std::optional<LaunchFailure> KernelLauncher::start(const Launch& launch, CUfunction function,
                                                   void** arguments, CUstream stream) const {
    const auto [grid, block] = std::pair(launch.blocks(), launch.threads());
    const CUresult status =
        driver_.launch_kernel(function, unsigned(grid[0]), unsigned(grid[1]), unsigned(grid[2]),
                              unsigned(block[0]), unsigned(block[1]), unsigned(block[2]),
                              unsigned(launch.dynamic_shared_bytes()), stream, arguments, nullptr);
    if (status != CUDA_SUCCESS) return refusal_of(status, launch, driver_, gpu_);
    return std::nullopt;
}

CUfunction KernelLauncher::function_of(const Launch& launch) {
    CUfunction function = nullptr;
    if (const auto failure = prepare(launch, function)) throw Error(failure->message);
    return function;
}

std::optional<int> KernelLauncher::active_blocks(const Launch& launch) {
    const ModuleCache::Loaded loaded = modules_.load(launch.kernel);
    int blocks = 0;
    if (loaded.status != CUDA_SUCCESS ||
        driver_.occupancy_max_active_blocks(&blocks, loaded.function, threads_of(launch),
                                            launch.dynamic_shared_bytes()) != CUDA_SUCCESS)
        return std::nullopt;
    return blocks;
}

void KernelLauncher::configure(CUfunction function, const Launch& launch) {
    // That a GPU has no such preference is no failure.
    driver_.func_set_cache_config(function, cache_config(launch, gpu_.profile.limits.capability));
    constexpr int kEightBytes = 2;  // CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
    constexpr int kDefault = 0;
    if (driver_.func_set_shared_mem_config && gpu_.profile.limits.capability.major == 3)
        driver_.func_set_shared_mem_config(function,
                                           launch.banks == BankWidth::eight_bytes ? kEightBytes : kDefault);
    // A launch with more than the default is refused with the arithmetic where this one fails.
    if (launch.dynamic_shared_bytes() > 0)
        driver_.func_set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   int(launch.dynamic_shared_bytes()));
    configured_ = {function, launch.cache, launch.banks, launch.dynamic_shared_bytes()};
}

}  // namespace ws
