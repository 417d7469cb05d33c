// Times all versions of the matrix transpose on the GPU, with matrices in turn so that no cache holds them,
// beside cudaMemcpy from device to device of the same bytes in the same run. Each time is appended to the
// file of records, which --replay reads. Usage: bench_transpose [--json FILE] [--records FILE] [--kernels
// DIR]

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <chrono>
#include <functional>

#include "bench/figures.h"
#include "bench/gpu_records.h"
#include "gpu/compile/compile_service.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/statistics.h"
#include "gpu/cuda/device_facts.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/gpu_clock.h"
#include "gpu/cuda/kernel_arguments.h"
#include "gpu/cuda/module_cache.h"
#include "gpu/cuda/resources.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/transpose/transpose.h"

namespace ws {
namespace {

constexpr int kSamples = 30;
constexpr std::size_t kBytesInTurn = std::size_t(400) << 20;  // of matrices: several times the largest cache

class Bench {
  public:
    Bench(const Driver& driver, CompileService& compiler, const KernelLibrary& library, CodeTarget target,
          int multiprocessors)
        : driver_(driver),
          compiler_(compiler),
          library_(library),
          target_(target),
          multiprocessors_(multiprocessors),
          modules_(driver) {}

    void use(Extent size) {
        size_ = size;
        pairs_.clear();
        const std::size_t bytes = 4 * size.pixels();
        const std::size_t count = std::clamp<std::size_t>(kBytesInTurn / (2 * bytes), 2, 32);
        for (std::size_t i = 0; i < count; ++i) {
            pairs_.push_back({DeviceMemory(bytes), DeviceMemory(bytes)});
            WS_CUDA(cudaMemsetAsync(pairs_.back().source.data(), int(i), bytes, stream_.get()));
        }
        WS_CUDA(cudaStreamSynchronize(stream_.get()));
    }
    [[nodiscard]] std::size_t pairs() const { return pairs_.size(); }

    [[nodiscard]] Statistics copy() {
        return time([&](const Pair& pair) {
            WS_CUDA(cudaMemcpyAsync(pair.target.data(), pair.source.data(), 4 * size_.pixels(),
                                    cudaMemcpyDeviceToDevice, stream_.get()));
        });
    }

    [[nodiscard]] Statistics version(const Version& version) {
        const Lab& lab = transpose::lab();
        const Work work = with_version(first_work(lab), version);
        const auto requests = step_requests(
            work, [&](std::string_view name) -> const KernelSource& { return library_.find(name); });
        const StepRequest& request = requests.front();
        const CompileOutcome outcome = compiler_.wait_for(compile_request(lab, request, target_));
        if (!outcome.kernel) throw Error("a kernel does not compile", request.source->name, outcome.error);
        const Launch launch =
            launch_of(request, arguments_of(work, request.step), outcome.kernel, size_, multiprocessors_);
        const ModuleCache::Loaded loaded = modules_.load(launch.kernel);
        if (loaded.status != CUDA_SUCCESS) throw Error(driver_.name_of(loaded.status));
        return time([&](const Pair& pair) { run(launch, loaded.function, pair); });
    }

  private:
    struct Pair {
        DeviceMemory source, target;
    };

    void run(const Launch& launch, CUfunction function, const Pair& pair) {
        KernelArguments arguments;
        for (const Argument& argument : launch.arguments)
            arguments.add(argument, size_,
                          argument.kind == Argument::Kind::input ? pair.source.data() : pair.target.data());
        const CUresult status =
            driver_.launch_kernel(function, unsigned(launch.grid.width), unsigned(launch.grid.height), 1,
                                  unsigned(launch.block.x), unsigned(launch.block.y), 1, 0,
                                  reinterpret_cast<CUstream>(stream_.get()), arguments.pointers(), nullptr);
        if (status != CUDA_SUCCESS) throw Error(driver_.name_of(status));
    }

    // Median time of one call of work(pair), in microseconds, with the pairs in turn.
    [[nodiscard]] Statistics time(const std::function<void(const Pair&)>& work) const {
        const CudaEvent begin;
        const CudaEvent end;
        const auto start = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(60)) {
            for (const Pair& pair : pairs_) work(pair);
            WS_CUDA(cudaStreamSynchronize(stream_.get()));
        }
        const std::size_t calls = std::max<std::size_t>(8, pairs_.size());
        std::vector<double> samples;
        for (int sample = 0; sample < kSamples; ++sample) {
            WS_CUDA(cudaEventRecord(begin.get(), stream_.get()));
            for (std::size_t i = 0; i < calls; ++i) work(pairs_[i % pairs_.size()]);
            WS_CUDA(cudaEventRecord(end.get(), stream_.get()));
            WS_CUDA(cudaEventSynchronize(end.get()));
            float ms = 0;
            WS_CUDA(cudaEventElapsedTime(&ms, begin.get(), end.get()));
            samples.push_back(1000.0 * double(ms) / double(calls));
        }
        return statistics_of(samples);
    }

    const Driver& driver_;
    CompileService& compiler_;
    const KernelLibrary& library_;
    CodeTarget target_;
    int multiprocessors_;
    CudaStream stream_;
    ModuleCache modules_;
    Extent size_;
    std::vector<Pair> pairs_;
};

int run(const std::string& kernels, GpuRecords& records, Figures& figures) {
    const Driver* driver = Driver::get();
    if (!driver) throw Error("this bench needs a CUDA GPU");
    WS_CUDA(cudaSetDevice(0));
    WS_CUDA(cudaFree(nullptr));
    const DeviceFacts facts = read_cuda_facts(0);
    char bus[32] = "";
    WS_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    const GpuClock clock(bus);
    const KernelLibrary library(kernels);
    CompileService compiler({});
    if (!compiler.compiler()) throw Error(compiler.why());
    Bench bench(*driver, compiler, library,
                runnable_target(compiler.compiler()->architectures(), facts.profile.limits.capability),
                facts.profile.multiprocessors);
    fmt::print(
        "{}\nGB/s of the bytes read and written once; in brackets over cudaMemcpy of the same "
        "run\n{:<16}{:>10}",
        facts.name, "matrix", "memcpy");
    figures.set("gpu", facts.name);
    records.use(facts, compiler.compiler()->name());
    figures.set("unit", "microseconds");
    for (const Version& version : transpose::lab().versions)
        fmt::print("{:>14}", fmt::format("V{}", version.number));
    fmt::print("\n");
    constexpr std::array kSizes{Extent{512, 512},   Extent{1024, 1024},  Extent{2048, 2048},
                                Extent{4000, 4000}, Extent{4001, 3999},  Extent{4096, 4096},
                                Extent{8192, 8192}, Extent{16384, 16384}};
    for (const Extent size : kSizes) {
        bench.use(size);
        const double bytes = 8.0 * double(size.pixels());
        const Statistics copy = bench.copy();
        Json row{{"width", size.width}, {"height", size.height}, {"pairs", bench.pairs()}, {"memcpy", copy}};
        fmt::print("{:<16}{:>10.0f}", fmt::format("{} x {}", size.width, size.height),
                   bytes / copy.median / 1e3);
        for (const Version& version : transpose::lab().versions) {
            const Statistics time = bench.version(version);
            const ClockReading reading = clock.read();
            GpuRecords::Taken taken{time, {time.median}, {}, reading.slowed};
            if (reading.mhz) taken.clock.add(*reading.mhz);
            Work work = with_version(first_work(transpose::lab()), version);
            work.size = size;
            const auto requests = step_requests(
                work, [&](std::string_view name) -> const KernelSource& { return library.find(name); });
            records.keep(work, requests, {0, size}, fmt::format("{} pairs in turn", bench.pairs()), taken);
            row[fmt::format("V{}", version.number)] = time;
            fmt::print("{:>14}",
                       fmt::format("{:.0f} ({:.3f})", bytes / time.median / 1e3, copy.median / time.median));
        }
        fmt::print("\n");
        figures.add(std::move(row));
    }
    return 0;
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    return ws::bench_main(
        "transpose", argc, argv, [](std::vector<std::string> arguments, ws::Figures& figures) {
            ws::GpuRecords records(arguments);
            // Other kernels than the embedded ones, to compare with them.
            const bool other = arguments.size() == 2 && arguments[0] == "--kernels";
            if (!other && !arguments.empty())
                throw ws::UsageError("usage: bench_transpose [--json FILE] [--records FILE] [--kernels DIR]");
            return ws::run(other ? arguments[1] : "", records, figures);
        });
}
