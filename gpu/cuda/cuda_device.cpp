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

constexpr std::size_t kTotal = kStages.size();  // the place behind the stages

// The events of one frame; they are read when the slot is used again.
struct Slot {
    bool used = false;
    std::array<EventSpan, kTotal + 1> spans;  // of each stage, then the total
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
    }

    ~CudaDevice() override { cudaStreamSynchronize(stream_.get()); }

    [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }
    [[nodiscard]] std::optional<int> clock_mhz() override { return clock_->mhz(); }

    void set_picture(Picture picture) override {
        WS_CUDA(cudaStreamSynchronize(stream_.get()));
        if (picture->size != size_) {
            // The old memory goes first: the new picture may need all there is.
            source_ = {}, buffers_[0] = {}, buffers_[1] = {};
            size_ = {};
            try {
                source_ = DeviceMemory(picture->bytes.readable_size());
                for (DeviceMemory& buffer : buffers_) buffer = DeviceMemory(picture->size.pixels());
            } catch (const Error& error) {
                source_ = {}, buffers_[0] = {}, buffers_[1] = {};
                std::size_t free_bytes = 0;
                std::size_t all_bytes = 0;
                if (cudaMemGetInfo(&free_bytes, &all_bytes) != cudaSuccess) cudaGetLastError();
                throw Error(
                    fmt::format("the GPU's memory is full: this picture needs {} MiB, {} of {} MiB are free",
                                6 * picture->size.pixels() >> 20, free_bytes >> 20, all_bytes >> 20),
                    error.what(), "close other programs or use a smaller picture");
            }
            size_ = picture->size;
        }
        WS_CUDA(cudaMemcpyAsync(source_.data(), picture->bytes.data(), picture->bytes.readable_size(),
                                cudaMemcpyHostToDevice, stream_.get()));
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
        if (!result.failure)
            result.failure = failed(cudaEventRecord(slot.finished.get(), stream_.get()), plan);
        slot.used = !result.failure;
        return result;
    }

    [[nodiscard]] Result<GrayImage> run_poisoned(const Plan& plan, std::uint8_t poison) override {
        for (const DeviceMemory& buffer : buffers_) {
            const cudaError_t status = cudaMemsetAsync(buffer.data(), poison, size_.pixels(), stream_.get());
            if (status != cudaSuccess) return Result<GrayImage>::failure(failure_of(status, plan).message);
        }
        // Each stage meets a poisoned output, the last one too, although it shares a buffer with the first.
        std::uint8_t* input = nullptr;
        for (const Launch& launch : plan.launches) {
            std::uint8_t* output = plain_output(input);
            if (&launch != &plan.launches.front()) {
                const cudaError_t status = cudaMemsetAsync(output, poison, size_.pixels(), stream_.get());
                if (status != cudaSuccess)
                    return Result<GrayImage>::failure(failure_of(status, plan).message);
            }
            if (auto failure = launch_once(launch, input, output)) {
                return Result<GrayImage>::failure(failure->code + ": " + failure->message);
            }
            input = output;
        }
        GrayImage out(size_);
        cudaError_t status =
            cudaMemcpyAsync(out.bytes.data(), input, size_.pixels(), cudaMemcpyDeviceToHost, stream_.get());
        if (status == cudaSuccess) status = cudaStreamSynchronize(stream_.get());
        if (status != cudaSuccess) return Result<GrayImage>::failure(failure_of(status, plan).message);
        return out;
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

    [[nodiscard]] int active_blocks(const Launch& launch) {
        const ModuleCache::Loaded loaded = modules_.load(launch.kernel);
        int blocks = 0;
        if (loaded.status != CUDA_SUCCESS ||
            driver_.occupancy_max_active_blocks(&blocks, loaded.function, launch.block.threads(), 0) !=
                CUDA_SUCCESS) {
            return -1;
        }
        return blocks;
    }

  private:
    // Where a stage writes that does not write into the frame target: the byte buffer that is not its input.
    std::uint8_t* plain_output(const std::uint8_t* input) const {
        return buffers_[0].data() == input ? buffers_[1].data() : buffers_[0].data();
    }

    std::optional<LaunchFailure> launch_once(const Launch& launch, const std::uint8_t* input,
                                             std::uint8_t* output) {
        const ModuleCache::Loaded loaded = modules_.load(launch.kernel);
        if (loaded.status != CUDA_SUCCESS) return explain(loaded.status, launch);
        if (configured_ != std::make_tuple(loaded.function, launch.cache, launch.banks)) {
            configure(loaded.function, launch);
        }
        const void* source = reads_rgba(launch.stage) ? source_.data() : input;
        int width = size_.width;
        int height = size_.height;
        void* arguments[] = {&source, &output, &width, &height};
        const CUresult status =
            driver_.launch_kernel(loaded.function, unsigned(launch.grid.width), unsigned(launch.grid.height),
                                  1, unsigned(launch.block.x), unsigned(launch.block.y), 1, 0,
                                  reinterpret_cast<CUstream>(stream_.get()), arguments, nullptr);
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
        configured_ = {function, launch.cache, launch.banks};
    }

    // One run of the plan. A null `last_output` means plain memory.
    std::optional<LaunchFailure> launch_all(const Plan& plan, std::uint8_t* last_output) {
        std::uint8_t* input = nullptr;
        for (const Launch& launch : plan.launches) {
            const bool last = &launch == &plan.launches.back();
            std::uint8_t* output = last && last_output ? last_output : plain_output(input);
            if (auto failure = launch_once(launch, input, output)) return failure;
            input = output;
        }
        return std::nullopt;
    }

    std::optional<LaunchFailure> try_in_plain_memory(const Plan& plan) {
        stage_ms_ = {};
        stage_sum_ms_ = 0;
        for (Slot& slot : ring_) slot.used = false;
        if (auto failure = launch_all(plan, nullptr)) return failure;
        const cudaError_t status = cudaStreamSynchronize(stream_.get());
        if (status != cudaSuccess) return failure_of(status, plan);
        return std::nullopt;
    }

    static int launches_for(double last_ms) {
        return last_ms > 0 ? std::clamp(int(kSampleSpanMs / last_ms) + 1, 1, kMostLaunches) : 1;
    }

    // One frame's work: in turn, each stage often enough for its sample, or the whole pipeline often enough.
    // Not both: after about 2 ms the GPU lets OpenGL have a turn, and what runs just then looks slower than
    // it is (H200: 0.2 ms).
    std::optional<LaunchFailure> launch_and_time(const Plan& plan, std::uint8_t* last_output, Slot& slot) {
        const bool slow = stage_sum_ms_ > kOneSampleMs;  // then the total is read from the stages' events
        time_total_ = !time_total_ && stage_sum_ms_ > 0 && !slow;
        return time_total_ ? time_whole(plan, last_output, slot) : time_stages(plan, last_output, slot);
    }

    std::optional<LaunchFailure> time_stages(const Plan& plan, std::uint8_t* last_output, Slot& slot) {
        std::uint8_t* input = nullptr;
        for (const Launch& launch : plan.launches) {
            const bool last = &launch == &plan.launches.back();
            std::uint8_t* output = last && last_output ? last_output : plain_output(input);
            const std::size_t stage = index_of(launch.stage);
            const int launches = launches_for(stage_ms_[stage]);
            if (auto failure = failed(slot.spans[stage].begin(stream_.get()), plan)) return failure;
            for (int i = 0; i < launches; ++i) {
                if (auto failure = launch_once(launch, input, output)) return failure;
            }
            if (auto failure = failed(slot.spans[stage].end(stream_.get()), plan)) return failure;
            slot.times.stages[stage].launches = launches;
            input = output;
        }
        return std::nullopt;
    }

    std::optional<LaunchFailure> time_whole(const Plan& plan, std::uint8_t* last_output, Slot& slot) {
        const int launches = launches_for(stage_sum_ms_);
        if (auto failure = failed(slot.spans[kTotal].begin(stream_.get()), plan)) return failure;
        for (int i = 0; i < launches; ++i) {
            if (auto failure = launch_all(plan, last_output)) return failure;
        }
        if (auto failure = failed(slot.spans[kTotal].end(stream_.get()), plan)) return failure;
        slot.times.total.launches = launches;
        return std::nullopt;
    }

    std::optional<LaunchFailure> copy_out(const Plan& plan, std::uint8_t* host) {
        std::uint8_t* picture = nullptr;
        for (std::size_t i = 0; i < plan.launches.size(); ++i) picture = plain_output(picture);
        cudaError_t status =
            cudaMemcpyAsync(host, picture, size_.pixels(), cudaMemcpyDeviceToHost, stream_.get());
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
            stage_sum_ms_ = 0;
            for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
                Sample& sample = times.stages[stage];
                if (sample.launches == 0) continue;
                if (auto failure = failed(slot.spans[stage].read(sample), {})) return failure;
                stage_ms_[stage] = sample.ms;
                stage_sum_ms_ += sample.ms;
            }
            if (stage_sum_ms_ > kOneSampleMs) times.total = {stage_sum_ms_, 1};
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
        if (!plan.launches.empty()) failure.stage = plan.launches.back().stage;
        failure.code = cudaGetErrorName(status);
        failure.message = cudaGetErrorString(status);
        failure.device_lost = loses_device(status);
        return failure;
    }

    // A refused launch with the arithmetic behind it.
    LaunchFailure explain(CUresult status, const Launch& launch) const {
        LaunchFailure failure{launch.stage, driver_.name_of(status), driver_.text_of(status), false};
        const CompileReport& report = launch.kernel->report;
        const GpuLimits& limits = facts_.profile.limits;
        const int threads = launch.block.threads();
        const int warps = (threads + 31) / 32;
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
        } else if (report.shared_bytes > limits.shared_bytes_per_block) {
            failure.message = fmt::format("{} bytes of shared memory; a block on this GPU may have {}",
                                          report.shared_bytes, limits.shared_bytes_per_block);
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
    Extent size_;
    DeviceMemory source_;
    std::array<DeviceMemory, 2> buffers_;
    std::array<Slot, 4> ring_;
    std::size_t next_ = 0;
    std::uint64_t tried_ = 0;
    PerStage<double> stage_ms_{};  // the latest samples, which decide how many launches the next ones take
    double stage_sum_ms_ = 0;
    bool time_total_ = false;  // whether this frame times the whole pipeline
    std::tuple<CUfunction, CachePreference, BankWidth> configured_{};
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

int driver_active_blocks(Device& device, const Launch& launch) {
    auto* cuda = dynamic_cast<CudaDevice*>(&device);
    return cuda ? cuda->active_blocks(launch) : -1;
}

}  // namespace ws
