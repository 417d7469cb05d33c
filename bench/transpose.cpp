// Times versions of the matrix transpose on the GPU, with matrices in turn so that no cache holds them,
// beside cudaMemcpy from device to device of the same bytes in the same run; a version that only writes
// beside cudaMemset. Each time is appended to the file of records, which --replay reads. Usage:
// bench_transpose [--json FILE] [--records FILE] [--kernels DIR] [--versions N,N] [--sizes NxM,NxM]
//                        [--block XxY] [--knob NAME=VALUE]
// --kernels: other kernels than the embedded ones, to compare with them; --versions, --sizes: only these;
// --block, --knob (may be repeated): in place of the versions' own, for all that are timed.

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <sstream>

#include "bench/figures.h"
#include "bench/gpu_records.h"
#include "gpu/compile/compile_service.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/block.h"
#include "gpu/core/numbers.h"
#include "gpu/core/pixel_bytes.h"
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
            pairs_.push_back({DeviceMemory(readable_bytes(bytes)), DeviceMemory(bytes)});
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

    [[nodiscard]] Statistics set() {
        return time([&](const Pair& pair) {
            WS_CUDA(cudaMemsetAsync(pair.target.data(), 0x5A, 4 * size_.pixels(), stream_.get()));
        });
    }

    [[nodiscard]] Statistics version(const Work& work) {
        const Lab& lab = transpose::lab();
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
            arguments.add(
                argument, size_,
                bits_of(argument.kind == Argument::Kind::input ? pair.source.data() : pair.target.data()));
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

struct Options {
    std::string kernels;  // a folder with other kernels than the embedded ones
    std::vector<const Version*> versions;
    std::vector<Extent> sizes;
    std::optional<Block> block;  // other than the versions' own
    KnobValues knobs;
};

// What stands between the marks.
std::vector<std::string> parts_of(const std::string& text, char mark) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, mark);) parts.push_back(part);
    return parts;
}

Extent parse_size(const std::string& text) {
    std::vector<int> sides;
    for (const std::string& side : parts_of(text, 'x')) sides.push_back(parse_number<int>(side).value_or(0));
    if (sides.size() != 2 || sides[0] < 1 || sides[1] < 1)
        throw UsageError(fmt::format("'{}' is no size such as 4001x3999", text));
    return {sides[0], sides[1]};
}

Options parse(const std::vector<std::string>& arguments) {
    constexpr const char* kUsage =
        "usage: bench_transpose [--json FILE] [--records FILE] [--kernels DIR] [--versions N,N] "
        "[--sizes NxM,NxM] [--block XxY] [--knob NAME=VALUE]";
    const Lab& lab = transpose::lab();
    Options options;
    if (arguments.size() % 2 != 0) throw UsageError(kUsage);
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        const std::string& value = arguments[i + 1];
        if (arguments[i] == "--kernels") {
            options.kernels = value;
        } else if (arguments[i] == "--versions") {
            for (const std::string& number : parts_of(value, ','))
                options.versions.push_back(&version_of(lab, parse_number<int>(number).value_or(-1)));
        } else if (arguments[i] == "--sizes") {
            for (const std::string& size : parts_of(value, ',')) options.sizes.push_back(parse_size(size));
        } else if (arguments[i] == "--block") {
            options.block = parse_block(value);
        } else if (arguments[i] == "--knob") {
            const std::vector<std::string> sides = parts_of(value, '=');
            const std::optional<int> number = sides.size() == 2 ? parse_number<int>(sides[1]) : std::nullopt;
            if (!number) throw UsageError(kUsage);
            options.knobs[sides[0]] = *number;
        } else {
            throw UsageError(kUsage);
        }
    }
    if (options.versions.empty()) {
        for (const Version& version : lab.versions) options.versions.push_back(&version);
    }
    if (options.sizes.empty())
        options.sizes = {{512, 512},   {1024, 1024}, {2048, 2048}, {4000, 4000},
                         {4001, 3999}, {4096, 4096}, {8192, 8192}, {16384, 16384}};
    return options;
}

Work work_of(const Options& options, const Version& version, Extent size) {
    Work work = with_version(first_work(transpose::lab()), version);
    work.size = size;
    for (const auto& [name, value] : options.knobs) work.knobs[name] = value;
    for (Block& block : work.blocks) block = options.block.value_or(block);
    return work;
}

void check_knobs(const Options& options, const KernelLibrary& library) {
    for (const Version* version : options.versions) {
        for (const auto& wanted : options.knobs) {
            const auto takes = [&](const StepKernel& step) {
                if (step.kernel.empty()) return false;
                const std::vector<Knob>& knobs = library.find(step.kernel).knobs;
                return std::any_of(knobs.begin(), knobs.end(), [&](const Knob& knob) {
                    return knob.name == wanted.first && wanted.second >= knob.low &&
                           wanted.second <= knob.high;
                });
            };
            if (std::none_of(version->steps.begin(), version->steps.end(), takes))
                throw UsageError(
                    fmt::format("V{} does not take {}={}", version->number, wanted.first, wanted.second));
        }
    }
}

int run(const Options& options, GpuRecords& records, Figures& figures) {
    const Driver* driver = Driver::get();
    if (!driver) throw Error("this bench needs a CUDA GPU");
    WS_CUDA(cudaSetDevice(0));
    WS_CUDA(cudaFree(nullptr));
    const DeviceFacts facts = read_cuda_facts(0);
    char bus[32] = "";
    WS_CUDA(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
    const GpuClock clock(bus);
    const KernelLibrary library(options.kernels);
    check_knobs(options, library);
    CompileService compiler({});
    if (!compiler.compiler()) throw Error(compiler.why());
    Bench bench(*driver, compiler, library,
                runnable_target(compiler.compiler()->architectures(), facts.profile.limits.capability),
                facts.profile.multiprocessors);
    fmt::print(
        "{}\nGB/s of the bytes read and written once; in brackets over cudaMemcpy of the same "
        "run, of what only writes over cudaMemset\n{:<16}{:>10}{:>10}",
        facts.name, "matrix", "memcpy", "memset");
    figures.set("gpu", facts.name);
    records.use(facts, compiler.compiler()->name());
    figures.set("unit", "microseconds");
    for (const Version* version : options.versions) fmt::print("{:>14}", fmt::format("V{}", version->number));
    fmt::print("\n");
    for (const Extent size : options.sizes) {
        bench.use(size);
        const Statistics copy = bench.copy();
        const Statistics set = bench.set();
        Json row{{"width", size.width},
                 {"height", size.height},
                 {"pairs", bench.pairs()},
                 {"memcpy", copy},
                 {"memset", set}};
        const double matrix_bytes = 4.0 * double(size.pixels());
        fmt::print("{:<16}{:>10.0f}{:>10.0f}", fmt::format("{} x {}", size.width, size.height),
                   2 * matrix_bytes / copy.median / 1e3, matrix_bytes / set.median / 1e3);
        for (const Version* version : options.versions) {
            const Work work = work_of(options, *version, size);
            const Statistics time = bench.version(work);
            const ClockReading reading = clock.read();
            GpuRecords::Taken taken{time, {time.median}, {}, reading.slowed};
            if (reading.mhz) taken.clock.add(*reading.mhz);
            const auto requests = step_requests(
                work, [&](std::string_view name) -> const KernelSource& { return library.find(name); });
            records.keep(work, requests, {0, size}, fmt::format("{} pairs in turn", bench.pairs()), taken);
            row[fmt::format("V{}", version->number)] = time;
            const std::vector<Argument> arguments = arguments_of(work, requests.front().step);
            const Statistics& peer = input_of(arguments) < 0 ? set : copy;
            fmt::print("{:>14}", fmt::format("{:.0f} ({:.3f})",
                                             least_bytes(*work.lab, arguments, size) / time.median / 1e3,
                                             peer.median / time.median));
        }
        fmt::print("\n");
        figures.add(std::move(row));
    }
    return 0;
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    return ws::bench_main("transpose", argc, argv,
                          [](std::vector<std::string> arguments, ws::Figures& figures) {
                              ws::GpuRecords records(arguments);
                              return ws::run(ws::parse(arguments), records, figures);
                          });
}
