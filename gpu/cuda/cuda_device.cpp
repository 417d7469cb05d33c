#include "gpu/cuda/cuda_device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <tuple>

#include "gpu/cuda/cuda_lane.h"
#include "gpu/cuda/device_facts.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/event_span.h"
#include "gpu/cuda/gpu_clock.h"
#include "gpu/cuda/kernel_arguments.h"
#include "gpu/cuda/module_cache.h"
#include "gpu/cuda/resources.h"

namespace ws {
namespace {

constexpr double kSampleSpanMs =
    0.5;  // events resolve half a microsecond: a sample spans a thousand times that
constexpr int kMostLaunches = 64;
constexpr double kOneSampleMs = 4.0;  // a slower pipeline is timed once a frame, not once more as a whole

double elapsed_ms(std::chrono::steady_clock::time_point since) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count();
}

// After these the context is gone; every further call fails the same way.
bool loses_device(cudaError_t status) {
    switch (status) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorLaunchTimeout:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorIllegalInstruction:
        case cudaErrorHardwareStackError:
        case cudaErrorAssert:
        case cudaErrorECCUncorrectable:
        case cudaErrorContextIsDestroyed:
        case cudaErrorDevicesUnavailable:
            return true;
        default:
            return false;
    }
}

int threads_of(const Launch& launch) {
    const auto [x, y, z] = launch.threads();
    return x * y * z;
}

constexpr std::size_t kTotal = kMostSteps;  // the place behind the steps

// The events of one frame; they are read when the slot is used again.
struct Slot {
    bool used = false;
    bool total_from_steps = false;
    std::array<EventSpan, kTotal + 1> spans;  // of each step, then the total
    CudaEvent finished;
    FrameTimes times;  // launches, map and unmap are known at once; milliseconds when the slot is read
};

class CudaDevice final : public Device {
  public:
    CudaDevice(int index, const Driver& driver)
        : index_(index), driver_(driver), facts_(read_cuda_facts(index)), modules_(driver) {
        char bus[32] = "";
        cudaDeviceGetPCIBusId(bus, sizeof bus, index);
        clock_ = std::make_unique<GpuClock>(bus);
        facts_.can = {.needs_kernels = true, .measures_time = true, .maps_gl = true};
    }

    ~CudaDevice() override { cudaStreamSynchronize(stream_.get()); }

    [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }
    [[nodiscard]] std::optional<int> clock_mhz() override { return clock_->mhz(); }

    void set_problem(Problem problem) override {
        WS_CUDA(cudaStreamSynchronize(stream_.get()));
        if (problem.size != size_ || problem.lab != lab_ || problem.lab->buffers.size() != buffers_.size()) {
            // The old memory goes first: the new work may need all there is.
            problem_ = {};
            buffers_.clear();
            buffers_.resize(problem.lab->buffers.size());
            lab_ = problem.lab;
            size_ = problem.size;
        }
        for (std::size_t i = 0; i < buffers_.size(); ++i) {
            if (problem.content_of(int(i))) reserve(*problem.lab, problem.size, int(i));
        }
        problem_ = std::move(problem);
        for (std::size_t i = 0; i < buffers_.size(); ++i) WS_CUDA(upload(int(i)));
        WS_CUDA(cudaStreamSynchronize(stream_.get()));
        tried_ = 0;
    }

    [[nodiscard]] FrameResult run(const Plan& plan, FrameTarget& target) override {
        if (plan.generation != tried_) {
            if (auto failure = try_in_plain_memory(plan)) return {failure, std::nullopt};
            tried_ = plan.generation;
        }
        Slot& slot = ring_[next_];
        next_ = (next_ + 1) % ring_.size();
        FrameResult result;
        if (auto failure = read(slot, result.times)) return {failure, std::nullopt};

        slot.times = {};
        slot.times.generation = plan.generation;
        if (plan.shows_picture()) {
            run_into(target, plan, slot, result);
        } else {
            // Nothing is copied or drawn: whoever calls again at once would never meet a frame that is
            // finished.
            result.failure = launch_and_time(plan, nullptr, slot);
            if (!result.failure) result.failure = failed(cudaStreamSynchronize(stream_.get()), plan);
            result.drawn = false;
        }
        if (!result.failure)
            result.failure = failed(cudaEventRecord(slot.finished.get(), stream_.get()), plan);
        slot.used = !result.failure;
        return result;
    }

    [[nodiscard]] Result<std::vector<HostBytes>> run_once(const Plan& plan, std::uint8_t poison,
                                                          const std::vector<int>& buffers) override {
        using Made = Result<std::vector<HostBytes>>;
        // A plan that has not been run yet has no memory for what it writes.
        if (const auto failure = reserve_outputs(plan))
            return Made::failure(failure->code + ": " + failure->message);
        for (const Launch& launch : plan.launches) {
            for (const Argument& argument : launch.arguments) {
                if (argument.kind != Argument::Kind::output) continue;
                const DeviceMemory& output = buffers_[std::size_t(argument.buffer)];
                const cudaError_t status =
                    cudaMemsetAsync(output.data(), poison, output.size(), stream_.get());
                if (status != cudaSuccess) return Made::failure(failure_of(status, plan).message);
            }
        }
        if (auto failure = launch_all(plan, nullptr))
            return Made::failure(failure->code + ": " + failure->message);
        std::vector<HostBytes> made;
        cudaError_t status = cudaSuccess;
        for (const int buffer : buffers) {
            HostBytes& out = made.emplace_back(bytes_of(plan.lab->buffers[std::size_t(buffer)], size_));
            if (status == cudaSuccess)
                status = cudaMemcpyAsync(out.data(), buffers_[std::size_t(buffer)].data(), out.size(),
                                         cudaMemcpyDeviceToHost, stream_.get());
        }
        if (status == cudaSuccess) status = cudaStreamSynchronize(stream_.get());
        if (status != cudaSuccess) return Made::failure(failure_of(status, plan).message);
        return made;
    }

    [[nodiscard]] std::unique_ptr<PictureLane> make_lane(const Plan& plan) override {
        std::vector<CUfunction> functions;
        for (const Launch& launch : plan.launches) {
            const ModuleCache::Loaded loaded = modules_.load(launch.kernel);
            if (loaded.status != CUDA_SUCCESS) throw Error(explain(loaded.status, launch).message);
            configure(loaded.function, launch);
            functions.push_back(loaded.function);
        }
        return std::make_unique<CudaLane>(index_, driver_, plan, std::move(functions));
    }

    [[nodiscard]] std::optional<int> active_blocks(const Launch& launch) override {
        const ModuleCache::Loaded loaded = modules_.load(launch.kernel);
        int blocks = 0;
        if (loaded.status != CUDA_SUCCESS ||
            driver_.occupancy_max_active_blocks(&blocks, loaded.function, threads_of(launch),
                                                launch.dynamic_shared_bytes()) != CUDA_SUCCESS) {
            return std::nullopt;
        }
        return blocks;
    }

  private:
    // Memory of the lab's buffer, which holds at least work of this size. Throws Error.
    void reserve(const Lab& lab, Extent size, int buffer) {
        DeviceMemory& memory = buffers_[std::size_t(buffer)];
        const std::size_t bytes = bytes_of(lab.buffers[std::size_t(buffer)], size);
        if (memory.size() >= bytes && bytes > 0) return;
        try {
            memory = DeviceMemory(readable_bytes(bytes));
        } catch (const Error& error) {
            std::size_t free_bytes = 0;
            std::size_t all_bytes = 0;
            if (cudaMemGetInfo(&free_bytes, &all_bytes) != cudaSuccess) cudaGetLastError();
            throw Error(
                fmt::format("the GPU's memory is full: this {} needs {} MiB more, {} of {} MiB are free",
                            lab.takes_picture() ? "picture" : "size", bytes >> 20, free_bytes >> 20,
                            all_bytes >> 20),
                error.what(),
                lab.takes_picture() ? "close other programs or use a smaller picture"
                                    : "close other programs or use a smaller size");
        }
    }

    std::optional<LaunchFailure> reserve_outputs(const Plan& plan) {
        try {
            for (const Launch& launch : plan.launches) {
                for (const Argument& argument : launch.arguments) {
                    if (argument.writes()) reserve(*plan.lab, size_, argument.buffer);
                }
            }
        } catch (const Error& error) {
            return LaunchFailure{plan.launches.front().step, "cudaErrorMemoryAllocation", error.what(),
                                 false};
        }
        return std::nullopt;
    }

    // A null `shown` means plain memory for what the plan shows, too.
    std::uint8_t* memory_of(const Plan& plan, int buffer, std::uint8_t* shown) const {
        return buffer == plan.shows && shown ? shown : buffers_[std::size_t(buffer)].data();
    }

    std::optional<LaunchFailure> launch_once(const Plan& plan, const Launch& launch, std::uint8_t* shown) {
        const ModuleCache::Loaded loaded = modules_.load(launch.kernel);
        if (loaded.status != CUDA_SUCCESS) return explain(loaded.status, launch);
        if (configured_ !=
            std::make_tuple(loaded.function, launch.cache, launch.banks, launch.dynamic_shared_bytes())) {
            configure(loaded.function, launch);
        }
        KernelArguments arguments;
        for (const Argument& argument : launch.arguments)
            arguments.add(argument, size_,
                          argument.buffer < 0 ? nullptr : memory_of(plan, argument.buffer, shown));
        const auto [grid, block] = std::pair(launch.blocks(), launch.threads());
        const CUresult status = driver_.launch_kernel(
            loaded.function, unsigned(grid[0]), unsigned(grid[1]), unsigned(grid[2]), unsigned(block[0]),
            unsigned(block[1]), unsigned(block[2]), unsigned(launch.dynamic_shared_bytes()),
            reinterpret_cast<CUstream>(stream_.get()), arguments.pointers(), nullptr);
        if (status != CUDA_SUCCESS) return explain(status, launch);
        return std::nullopt;
    }

    void configure(CUfunction function, const Launch& launch) {
        const CUfunc_cache cache = launch.cache == CachePreference::shared ? CU_FUNC_CACHE_PREFER_SHARED
                                   : launch.cache == CachePreference::l1   ? CU_FUNC_CACHE_PREFER_L1
                                                                           : CU_FUNC_CACHE_PREFER_NONE;
        driver_.func_set_cache_config(function, cache);  // a preference: that a GPU has none is no failure
        constexpr int kEightBytes = 2;                   // CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE
        constexpr int kDefault = 0;
        if (driver_.func_set_shared_mem_config && facts_.profile.limits.capability.major == 3) {
            driver_.func_set_shared_mem_config(
                function, launch.banks == BankWidth::eight_bytes ? kEightBytes : kDefault);
        }
        // A launch with more than the default is refused with the arithmetic where this one fails.
        if (launch.dynamic_shared_bytes() > 0)
            driver_.func_set_attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                       int(launch.dynamic_shared_bytes()));
        configured_ = {function, launch.cache, launch.banks, launch.dynamic_shared_bytes()};
    }

    // Copies the problem's content of a buffer, where it has one.
    cudaError_t upload(int buffer) {
        const PixelBytes* content = problem_.content_of(buffer);
        if (!content) return cudaSuccess;
        return cudaMemcpyAsync(buffers_[std::size_t(buffer)].data(), content->data(),
                               content->readable_size(), cudaMemcpyHostToDevice, stream_.get());
    }

    // The content of buffers that launches change, as it was.
    std::optional<LaunchFailure> restore(const Plan& plan) {
        for (const Launch& launch : plan.launches) {
            for (const Argument& argument : launch.arguments) {
                if (argument.kind != Argument::Kind::both) continue;
                if (auto failure = failed(upload(argument.buffer), plan)) return failure;
            }
        }
        return std::nullopt;
    }

    // One run of the plan.
    std::optional<LaunchFailure> launch_all(const Plan& plan, std::uint8_t* shown) {
        if (auto failure = restore(plan)) return failure;
        for (const Launch& launch : plan.launches) {
            if (auto failure = launch_once(plan, launch, shown)) return failure;
        }
        return std::nullopt;
    }

    std::optional<LaunchFailure> try_in_plain_memory(const Plan& plan) {
        step_ms_ = {};
        step_sum_ms_ = 0;
        for (Slot& slot : ring_) slot.used = false;
        if (auto failure = reserve_outputs(plan)) return failure;
        if (auto failure = launch_all(plan, nullptr)) return failure;
        const cudaError_t status = cudaStreamSynchronize(stream_.get());
        if (status != cudaSuccess) return failure_of(status, plan);
        return std::nullopt;
    }

    void run_into(FrameTarget& target, const Plan& plan, Slot& slot, FrameResult& result) {
        target.resize(size_);
        auto start = std::chrono::steady_clock::now();
        std::uint8_t* mapped = target.map(stream_.get());
        slot.times.map_ms = elapsed_ms(start);
        const bool on_device = target.memory() == FrameTarget::Memory::cuda;
        result.failure = launch_and_time(plan, on_device ? mapped : nullptr, slot);
        std::optional<LaunchFailure> copy_failure;
        if (!on_device) copy_failure = copy_out(plan, mapped);
        start = std::chrono::steady_clock::now();
        target.unmap(stream_.get());
        slot.times.unmap_ms = elapsed_ms(start);
        if (!result.failure) result.failure = copy_failure;
    }

    static int launches_for(double last_ms) {
        return last_ms > 0 ? std::clamp(int(kSampleSpanMs / last_ms) + 1, 1, kMostLaunches) : 1;
    }

    // One frame's work: in turn, each step often enough for its sample, or all of them often enough.
    // Not both: after about 2 ms the GPU lets OpenGL have a turn, and what runs just then looks slower than
    // it is (H200: 0.2 ms).
    std::optional<LaunchFailure> launch_and_time(const Plan& plan, std::uint8_t* shown, Slot& slot) {
        // Then the total is read from the steps' events.
        const bool slow = step_sum_ms_ > kOneSampleMs || plan.changes_input();
        time_total_ = !time_total_ && step_sum_ms_ > 0 && !slow;
        return time_total_ ? time_whole(plan, shown, slot) : time_steps(plan, shown, slot);
    }

    std::optional<LaunchFailure> time_steps(const Plan& plan, std::uint8_t* shown, Slot& slot) {
        // What has been changed is restored once a frame: then each step runs once.
        slot.total_from_steps = plan.changes_input();
        if (auto failure = restore(plan)) return failure;
        for (const Launch& launch : plan.launches) {
            const auto step = std::size_t(launch.step);
            const int launches = slot.total_from_steps ? 1 : launches_for(step_ms_[step]);
            if (auto failure = failed(slot.spans[step].begin(stream_.get()), plan)) return failure;
            for (int i = 0; i < launches; ++i) {
                if (auto failure = launch_once(plan, launch, shown)) return failure;
            }
            if (auto failure = failed(slot.spans[step].end(stream_.get()), plan)) return failure;
            slot.times.steps[step].launches = launches;
        }
        return std::nullopt;
    }

    std::optional<LaunchFailure> time_whole(const Plan& plan, std::uint8_t* shown, Slot& slot) {
        const int launches = launches_for(step_sum_ms_);
        if (auto failure = failed(slot.spans[kTotal].begin(stream_.get()), plan)) return failure;
        for (int i = 0; i < launches; ++i) {
            if (auto failure = launch_all(plan, shown)) return failure;
        }
        if (auto failure = failed(slot.spans[kTotal].end(stream_.get()), plan)) return failure;
        slot.times.total.launches = launches;
        return std::nullopt;
    }

    std::optional<LaunchFailure> copy_out(const Plan& plan, std::uint8_t* host) {
        cudaError_t status = cudaMemcpyAsync(host, buffers_[std::size_t(plan.shows)].data(), size_.pixels(),
                                             cudaMemcpyDeviceToHost, stream_.get());
        if (status == cudaSuccess) status = cudaStreamSynchronize(stream_.get());
        if (status != cudaSuccess) return failure_of(status, plan);
        return std::nullopt;
    }

    // Reads the times of the frame that used the slot before, if the GPU has finished it.
    std::optional<LaunchFailure> read(Slot& slot, std::optional<FrameTimes>& out) {
        if (!slot.used) return std::nullopt;
        slot.used = false;
        const cudaError_t status = cudaEventQuery(slot.finished.get());
        if (status == cudaErrorNotReady) {
            cudaGetLastError();
            return std::nullopt;
        }
        if (status != cudaSuccess) return failure_of(status, {});
        FrameTimes& times = slot.times;
        if (times.total.launches > 0) {
            if (auto failure = failed(slot.spans[kTotal].read(times.total), {})) return failure;
        } else {
            step_sum_ms_ = 0;
            for (std::size_t step = 0; step < kMostSteps; ++step) {
                Sample& sample = times.steps[step];
                if (sample.launches == 0) continue;
                if (auto failure = failed(slot.spans[step].read(sample), {})) return failure;
                step_ms_[step] = sample.ms;
                step_sum_ms_ += sample.ms;
            }
            if (slot.total_from_steps || step_sum_ms_ > kOneSampleMs) times.total = {step_sum_ms_, 1};
        }
        out = times;
        return std::nullopt;
    }

    std::optional<LaunchFailure> failed(cudaError_t status, const Plan& plan) const {
        if (status == cudaSuccess) return std::nullopt;
        return failure_of(status, plan);
    }

    LaunchFailure failure_of(cudaError_t status, const Plan& plan) const {
        cudaGetLastError();
        LaunchFailure failure;
        if (!plan.launches.empty()) failure.step = plan.launches.back().step;
        failure.code = cudaGetErrorName(status);
        failure.message = cudaGetErrorString(status);
        failure.device_lost = loses_device(status);
        return failure;
    }

    // A refused launch with the arithmetic behind it.
    LaunchFailure explain(CUresult status, const Launch& launch) const {
        LaunchFailure failure{launch.step, driver_.name_of(status), driver_.text_of(status), false};
        const CompileReport& report = launch.kernel->report;
        const GpuLimits& limits = facts_.profile.limits;
        const int threads = threads_of(launch);
        const auto shared_bytes = std::uint64_t(report.shared_bytes) + launch.dynamic_shared_bytes();
        const int warps = (threads + 31) / 32;
        const int most_shared =
            launch.dynamic_shared_bytes() > 0 ? limits.shared_bytes_opt_in : limits.shared_bytes_per_block;
        const int registers_per_warp = (report.registers * 32 + 255) / 256 * 256;
        if (status == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES &&
            registers_per_warp * warps > limits.registers_per_block) {
            failure.message = fmt::format(
                "{} registers x {} threads take {} registers as allocated, a block may have {}: "
                "use fewer "
                "threads or launch bounds",
                report.registers, threads, registers_per_warp * warps, limits.registers_per_block);
        } else if (threads > limits.threads_per_block) {
            failure.message =
                fmt::format("{} threads; a block on this GPU may have {}", threads, limits.threads_per_block);
        } else if (shared_bytes > std::uint64_t(most_shared)) {
            failure.message = fmt::format("{} bytes of shared memory; a block on this GPU may have {}",
                                          shared_bytes, most_shared);
        } else if (status == CUDA_ERROR_NO_BINARY_FOR_GPU || status == CUDA_ERROR_INVALID_PTX ||
                   status == CUDA_ERROR_UNSUPPORTED_PTX_VERSION || status == CUDA_ERROR_INVALID_IMAGE) {
            failure.message = fmt::format("{} cannot load code for {} made by {}: update the GPU's driver",
                                          facts_.name, report.architecture, report.compiler);
        }
        failure.device_lost = loses_device(cudaError_t(status));
        return failure;
    }

    int index_;
    const Driver& driver_;
    DeviceFacts facts_;
    CudaStream stream_;
    ModuleCache modules_;
    std::unique_ptr<GpuClock> clock_;
    const Lab* lab_ = nullptr;
    Extent size_;
    Problem problem_;
    std::vector<DeviceMemory> buffers_;  // by the lab's list; empty until a plan writes them
    std::array<Slot, 4> ring_;
    std::size_t next_ = 0;
    std::uint64_t tried_ = 0;
    PerStep<double> step_ms_{};  // the latest samples, which decide how many launches the next ones take
    double step_sum_ms_ = 0;
    bool time_total_ = false;  // whether this frame times all steps together
    std::tuple<CUfunction, CachePreference, BankWidth, std::uint64_t> configured_{};
};

Result<int> count_devices() {
    if (!Driver::get()) {
        return Result<int>::failure("no NVIDIA driver is installed (libcuda.so.1 was not found)");
    }
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    cudaGetLastError();
    if (status != cudaSuccess) {
        return Result<int>::failure(
            fmt::format("CUDA finds no GPU: {} ({})", cudaGetErrorName(status), cudaGetErrorString(status)));
    }
    if (count == 0) return Result<int>::failure("CUDA finds no GPU");
    return count;
}

}  // namespace

Result<std::vector<DeviceFacts>> cuda_devices() {
    using Devices = Result<std::vector<DeviceFacts>>;
    const Result<int> count = count_devices();
    if (!count.ok()) return Devices::failure(count.message());
    std::vector<DeviceFacts> devices;
    try {
        for (int i = 0; i < count.value(); ++i) devices.push_back(read_cuda_facts(i));
    } catch (const Error& error) {
        return Devices::failure(error.what());
    }
    return devices;
}

Result<std::unique_ptr<Device>> make_cuda_device(int index) {
    using Made = Result<std::unique_ptr<Device>>;
    const Result<int> count = count_devices();
    if (!count.ok()) return Made::failure(count.message());
    if (index < 0 || index >= count.value())
        return Made::failure(fmt::format("there is no CUDA device {}", index));
    try {
        WS_CUDA(cudaSetDevice(index));
        WS_CUDA(cudaFree(nullptr));  // makes the context
        return std::unique_ptr<Device>(std::make_unique<CudaDevice>(index, *Driver::get()));
    } catch (const Error& error) {
        return Made::failure(error.what());
    }
}

void warm_up_cuda(int index) {
    if (cudaSetDevice(index) == cudaSuccess) cudaFree(nullptr);
    cudaGetLastError();
}

void reset_cuda(int index) {
    if (cudaSetDevice(index) == cudaSuccess) cudaDeviceReset();
    cudaGetLastError();
}

}  // namespace ws
