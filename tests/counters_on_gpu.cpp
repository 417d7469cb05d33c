// Launches every case of counter_cases.h once on the real GPU, for a profiler to count; prints their names in
// the order of the launches. tools/gpu-counters runs it. Usage: counters_on_gpu PATTERNS.cu

#include <fmt/format.h>

#include "counter_cases.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/module_cache.h"
#include "gpu/cuda/resources.h"

namespace ws {
namespace {

int run(const char* patterns) {
    const Driver* driver = Driver::get();
    const auto nvrtc = Nvrtc::open();
    if (!driver || !nvrtc.ok()) {
        fmt::print(stderr, "a GPU and NVRTC are required\n");
        return 1;
    }
    const DeviceMemory in(testing::kPatternBytes);
    const DeviceMemory out(testing::kPatternBytes);
    WS_CUDA(cudaMemset(in.data(), 1, testing::kPatternBytes));
    cudaDeviceProp properties{};
    WS_CUDA(cudaGetDeviceProperties(&properties, 0));
    const CodeTarget target =
        runnable_target(nvrtc.value()->architectures(), {properties.major, properties.minor});
    ModuleCache modules(*driver);
    for (testing::CounterCase& one : testing::counter_cases(read_file(patterns))) {
        one.request.architecture = target.architecture;
        one.request.to_ptx = target.to_ptx;
        const auto kernel = nvrtc.value()->compile(one.request);
        if (!kernel.ok()) throw Error(kernel.message(), one.name);
        const auto loaded = modules.load(std::make_shared<const CompiledKernel>(kernel.value()));
        if (loaded.status != CUDA_SUCCESS) throw Error(driver->text_of(loaded.status), one.name);
        const void* source = in.data();
        void* result = out.data();
        int width = one.is_stage ? testing::kCounterPicture.width : 1;
        int height = testing::kCounterPicture.height;
        void* arguments[] = {&source, &result, &width, &height};
        const CUresult status = driver->launch_kernel(
            loaded.function, unsigned(one.grid.width), unsigned(one.grid.height), 1, unsigned(one.block.x),
            unsigned(one.block.y), 1, 0, nullptr, arguments, nullptr);
        if (status != CUDA_SUCCESS) throw Error(driver->text_of(status), one.name);
        WS_CUDA(cudaDeviceSynchronize());
        fmt::print("case: {}\n", one.name);
    }
    return 0;
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    try {
        return ws::run(argc > 1 ? argv[1] : "patterns.cu");
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return 1;
    }
}
