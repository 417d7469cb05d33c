// Launches on the real GPU what a profiler is to count, and prints names and kernels in the order of the
// launches; tools/gpu-counters runs it. Usage: counters_on_gpu FOLDER [labs|MAPS]
// Every case of counter_cases.h once; with "labs" every launch of lab_launches.h; with MAPS (h200_shared.txt,
// say) its lines, three a launch. FOLDER is tests/counters.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "counter_cases.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/module_cache.h"
#include "gpu/cuda/resources.h"
#include "lab_launches.h"
#include "shared_maps.h"

namespace ws {
namespace {

class Launcher {
  public:
    Launcher(const Driver& driver, const Nvrtc& nvrtc) : driver_(driver), nvrtc_(nvrtc), modules_(driver) {
        cudaDeviceProp properties{};
        WS_CUDA(cudaGetDeviceProperties(&properties, 0));
        target_ = runnable_target(nvrtc.architectures(), {properties.major, properties.minor});
    }

    [[nodiscard]] std::shared_ptr<const CompiledKernel> compile(CompileRequest request) const {
        request.architecture = target_.architecture;
        request.to_ptx = target_.to_ptx;
        const auto kernel = nvrtc_.compile(request);
        if (!kernel.ok()) throw Error(kernel.message(), request.entry);
        return std::make_shared<const CompiledKernel>(kernel.value());
    }

    // Launches and waits; `arguments` as for cuLaunchKernel.
    void launch(const std::shared_ptr<const CompiledKernel>& kernel, Extent grid, Block block,
                unsigned shared_bytes, void** arguments) {
        const auto loaded = modules_.load(kernel);
        if (loaded.status != CUDA_SUCCESS) throw Error(driver_.text_of(loaded.status), kernel->entry);
        const CUresult status = driver_.launch_kernel(
            loaded.function, unsigned(grid.width), unsigned(grid.height), 1, unsigned(block.x),
            unsigned(block.y), 1, shared_bytes, nullptr, arguments, nullptr);
        if (status != CUDA_SUCCESS) throw Error(driver_.text_of(status), kernel->entry);
        WS_CUDA(cudaDeviceSynchronize());
    }

  private:
    const Driver& driver_;
    const Nvrtc& nvrtc_;
    ModuleCache modules_;
    CodeTarget target_;
};

void launch_cases(Launcher& launcher, const std::string& patterns) {
    const DeviceMemory in(testing::kPatternBytes);
    const DeviceMemory out(testing::kPatternBytes);
    WS_CUDA(cudaMemset(in.data(), 1, testing::kPatternBytes));
    for (const testing::CounterCase& one : testing::counter_cases(patterns)) {
        const void* source = in.data();
        void* result = out.data();
        int width = one.is_step ? testing::kCounterPicture.width : 1;
        int height = testing::kCounterPicture.height;
        void* arguments[] = {&source, &result, &width, &height};
        launcher.launch(launcher.compile(one.request), one.grid, one.block, 0, arguments);
        fmt::print("case: {}\t{}\n", one.name, one.request.entry);
    }
}

// As the window launches them: with each lab's inputs, caches and banks.
void launch_labs(const Nvrtc& nvrtc) {
    Result<std::unique_ptr<Device>> opened = make_cuda_device(0);
    if (!opened.ok()) throw Error(opened.message(), "counters_on_gpu");
    Device& device = *opened.value();
    const GpuProfile& gpu = device.facts().profile;
    const CodeTarget target = runnable_target(nvrtc.architectures(), gpu.limits.capability);
    const KernelLibrary library;
    const Lab* held = nullptr;
    for (const testing::LabVersion& one : testing::lab_versions()) {
        if (held != one.lab) device.set_problem(testing::lab_problem(*one.lab));
        held = one.lab;
        const Plan plan =
            lab_plan(one, library, target, gpu.multiprocessors, [&](const CompileRequest& request) {
                const auto kernel = nvrtc.compile(request);
                if (!kernel.ok()) throw Error(kernel.message(), request.entry);
                return std::make_shared<const CompiledKernel>(kernel.value());
            });
        const auto made = device.run_once(plan, 0, {plan.shows});
        if (!made.ok()) throw Error(made.message(), one.name_of(plan.launches.front()));
        for (const Launch& launch : plan.launches)
            fmt::print("case: {}\t{}\n", one.name_of(launch), launch.kernel->entry);
    }
}

// Up to three maps of words of one size are one launch; its name is their numbers in the file.
void launch_maps(Launcher& launcher, const std::string& kernels,
                 const std::vector<testing::SharedMap>& maps) {
    std::vector<std::uint32_t> table;  // struct Map of shared_maps.cu
    for (const testing::SharedMap& map : maps) {
        table.push_back(map.lanes);
        table.insert(table.end(), map.offsets.begin(), map.offsets.end());
    }
    const DeviceMemory on_gpu(table.size() * 4);
    const DeviceMemory out(32 * sizeof(int));
    WS_CUDA(cudaMemcpy(on_gpu.data(), table.data(), table.size() * 4, cudaMemcpyHostToDevice));
    std::map<int, std::shared_ptr<const CompiledKernel>> compiled;  // by bytes of a word
    for (std::size_t first = 0; first < maps.size();) {
        std::size_t end = first;
        std::string name;
        for (; end < std::min(first + 3, maps.size()) && maps[end].bytes == maps[first].bytes; ++end)
            name += " " + std::to_string(end);
        auto& kernel = compiled[maps[first].bytes];
        if (!kernel) {
            CompileRequest request;
            request.name = "shared_maps";
            request.text = kernels;
            request.entry = "maps_" + std::to_string(maps[first].bytes);
            kernel = launcher.compile(request);
        }
        const void* source = on_gpu.data() + first * 33 * 4;
        void* result = out.data();
        int count = int(end - first);
        void* arguments[] = {&source, &result, &count};
        launcher.launch(kernel, {1, 1}, {32, 1}, testing::kSharedMapBytes, arguments);
        fmt::print("case:{}\tmaps_{}\n", name, maps[first].bytes);
        first = end;
    }
}

int run(const std::string& folder, const std::string& what) {
    const Driver* driver = Driver::get();
    const auto nvrtc = Nvrtc::open();
    if (!driver || !nvrtc.ok()) {
        fmt::print(stderr, "a GPU and NVRTC are required\n");
        return 1;
    }
    Launcher launcher(*driver, *nvrtc.value());
    if (what.empty())
        launch_cases(launcher, read_file(folder + "/patterns.cu"));
    else if (what == "labs")
        launch_labs(*nvrtc.value());
    else
        launch_maps(launcher, read_file(folder + "/shared_maps.cu"), testing::shared_maps(read_file(what)));
    return 0;
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    try {
        if (argc < 2) {
            fmt::print(stderr, "usage: counters_on_gpu FOLDER [labs|MAPS]\n");
            return 2;
        }
        return ws::run(argv[1], argc > 2 ? argv[2] : "");
    } catch (const std::exception& error) {
        fmt::print(stderr, "error: {}\n", error.what());
        return 1;
    }
}
