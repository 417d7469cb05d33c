#include "gpu/cuda/cuda_device.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <chrono>

#include "gpu/cuda/cuda_lane.h"
#include "gpu/cuda/device_buffers.h"
#include "gpu/cuda/device_facts.h"
#include "gpu/cuda/driver.h"
#include "gpu/cuda/frame_timer.h"
#include "gpu/cuda/gpu_clock.h"
#include "gpu/cuda/kernel_launcher.h"
#include "gpu/cuda/launch_failure.h"
#include "gpu/cuda/resources.h"

namespace ws {
namespace {

double elapsed_ms(std::chrono::steady_clock::time_point since) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count();
}

// The GPU that was current when it was told to remember is so again when it goes.
class CurrentGpu {
  public:
    CurrentGpu() = default;
    ~CurrentGpu() {
        if (index_ >= 0) cudaSetDevice(index_);
    }
    CurrentGpu(const CurrentGpu&) = delete;
    CurrentGpu& operator=(const CurrentGpu&) = delete;
    void remember() {
        if (cudaGetDevice(&index_) != cudaSuccess) index_ = -1;
    }

  private:
    int index_ = -1;
};

class CudaDevice final : public Device {
  public:
    CudaDevice(int index, const Driver& driver)
        : index_(index),
          driver_(driver),
          facts_(read_cuda_facts(index)),
          clock_(facts_.place.pci_address),
          launcher_(driver, facts_),
          buffers_(stream_.get()) {
        facts_.can = {.needs_kernels = true, .measures_time = true, .maps_gl = true};
    }

    // What it owns goes while it is current; what was current before then is again.
    ~CudaDevice() override {
        before_.remember();
        use();
        cudaStreamSynchronize(stream_.get());
    }
    CudaDevice(const CudaDevice&) = delete;
    CudaDevice& operator=(const CudaDevice&) = delete;

    [[nodiscard]] const DeviceFacts& facts() const override { return facts_; }
    [[nodiscard]] ClockReading clock() override { return clock_.read(); }

    void set_problem(Problem problem) override {
        use();
        WS_CUDA(cudaStreamSynchronize(stream_.get()));
        buffers_.hold(std::move(problem));
        WS_CUDA(cudaStreamSynchronize(stream_.get()));
        tried_ = 0;
    }

    [[nodiscard]] FrameResult run(const Plan& plan, FrameTarget& target) override {
        use();
        if (plan.generation != tried_) {
            if (auto failure = try_in_plain_memory(plan)) return {failure, std::nullopt};
            tried_ = plan.generation;
        }
        FrameResult result;
        TimedFrame* frame = nullptr;
        if (auto failure = failed(timer_.next(frame, result.times), {})) return {failure, std::nullopt};

        if (frame) {
            frame->times = {};
            frame->times.generation = plan.generation;
        }
        if (plan.shows_picture()) {
            run_into(target, plan, frame, result);
        } else {
            // Nothing is copied or drawn: whoever calls again at once would never meet a frame that is
            // finished.
            result.failure = launch_and_time(plan, nullptr, frame);
            if (!result.failure) result.failure = failed(cudaStreamSynchronize(stream_.get()), plan);
            result.drawn = false;
        }
        if (!frame) return result;
        if (!result.failure)
            result.failure = failed(cudaEventRecord(frame->finished.get(), stream_.get()), plan);
        frame->used = !result.failure;
        return result;
    }

    [[nodiscard]] Result<std::vector<HostBytes>> run_once(const Plan& plan, std::uint8_t poison,
                                                          const std::vector<int>& buffers) override {
        using Made = Result<std::vector<HostBytes>>;
        use();
        // A plan that has not been run yet has no memory for what it writes.
        if (const auto failure = buffers_.prepare(plan))
            return Made::failure(failure->code + ": " + failure->message);
        cudaError_t status = buffers_.poison(plan, poison);
        if (status != cudaSuccess) return Made::failure(failure_of(status, plan).message);
        if (auto failure = launch_all(plan, nullptr))
            return Made::failure(failure->code + ": " + failure->message);
        std::vector<HostBytes> made;
        for (const int buffer : buffers) {
            HostBytes& out =
                made.emplace_back(bytes_of(plan.lab->buffers[std::size_t(buffer)], buffers_.size()));
            if (status == cudaSuccess) status = buffers_.copy_out(buffer, out.data(), out.size());
        }
        if (status == cudaSuccess) status = cudaStreamSynchronize(stream_.get());
        if (status != cudaSuccess) return Made::failure(failure_of(status, plan).message);
        return made;
    }

    [[nodiscard]] std::unique_ptr<PictureLane> make_lane(const Plan& plan) override {
        use();
        // A texture is of one picture: each one is a problem of its own.
        if (plan.reads_textures()) return Device::make_lane(plan);
        std::vector<CUfunction> functions;
        functions.reserve(plan.launches.size());
        for (const Launch& launch : plan.launches) functions.push_back(launcher_.function_of(launch));
        return std::make_unique<CudaLane>(index_, driver_, plan, std::move(functions));
    }

    [[nodiscard]] std::optional<int> active_blocks(const Launch& launch) override {
        use();
        return launcher_.active_blocks(launch);
    }

  private:
    // Of this thread, which may be any, and may have used another GPU.
    void use() const { cudaSetDevice(index_); }

    // A null `shown` means plain memory for what the plan shows, too.
    std::optional<LaunchFailure> launch_once(const Plan& plan, const Launch& launch, std::uint8_t* shown) {
        const auto bits = [&](const Argument& argument) -> std::uint64_t {
            if (argument.kind == Argument::Kind::texture) return buffers_.texture(argument);
            return bits_of(argument.buffer == plan.shows && shown ? shown : buffers_.data(argument.buffer));
        };
        return launcher_.launch(launch, buffers_.size(), bits, reinterpret_cast<CUstream>(stream_.get()));
    }

    // One run of the plan.
    std::optional<LaunchFailure> launch_all(const Plan& plan, std::uint8_t* shown) {
        if (auto failure = failed(buffers_.restore(plan), plan)) return failure;
        for (const Launch& launch : plan.launches) {
            if (auto failure = launch_once(plan, launch, shown)) return failure;
        }
        return std::nullopt;
    }

    std::optional<LaunchFailure> try_in_plain_memory(const Plan& plan) {
        timer_.start();
        if (auto failure = buffers_.prepare(plan)) return failure;
        if (auto failure = launch_all(plan, nullptr)) return failure;
        return failed(cudaStreamSynchronize(stream_.get()), plan);
    }

    // Without a frame nothing is timed.
    void run_into(FrameTarget& target, const Plan& plan, TimedFrame* frame, FrameResult& result) {
        target.resize(buffers_.size());
        auto start = std::chrono::steady_clock::now();
        std::uint8_t* mapped = target.map(stream_.get());
        if (frame) frame->times.map_ms = elapsed_ms(start);
        const bool on_device = target.memory() == FrameTarget::Memory::cuda;
        result.failure = launch_and_time(plan, on_device ? mapped : nullptr, frame);
        // Unseen, so that nothing else waits for it: whoever calls again at once is to meet finished frames.
        if (!mapped && !result.failure) result.failure = failed(cudaStreamSynchronize(stream_.get()), plan);
        std::optional<LaunchFailure> copy_failure;
        if (!on_device) copy_failure = copy_out(plan, mapped);
        start = std::chrono::steady_clock::now();
        target.unmap(stream_.get());
        if (frame) frame->times.unmap_ms = elapsed_ms(start);
        if (!result.failure) result.failure = copy_failure;
    }

    std::optional<LaunchFailure> copy_out(const Plan& plan, std::uint8_t* host) {
        cudaError_t status = buffers_.copy_out(plan.shows, host, buffers_.size().pixels());
        if (status == cudaSuccess) status = cudaStreamSynchronize(stream_.get());
        return failed(status, plan);
    }

    // One frame's work: each step often enough for its sample, or all of them often enough.
    std::optional<LaunchFailure> launch_and_time(const Plan& plan, std::uint8_t* shown, TimedFrame* frame) {
        if (!frame) return launch_all(plan, shown);
        return timer_.times_whole(plan) ? time_whole(plan, shown, *frame) : time_steps(plan, shown, *frame);
    }

    std::optional<LaunchFailure> time_steps(const Plan& plan, std::uint8_t* shown, TimedFrame& frame) {
        // What has been changed is restored once a frame: then each step runs once.
        frame.total_from_steps = plan.changes_input();
        if (auto failure = failed(buffers_.restore(plan), plan)) return failure;
        for (const Launch& launch : plan.launches) {
            const auto step = std::size_t(launch.step);
            const int launches = frame.total_from_steps ? 1 : timer_.launches_of(launch.step);
            if (auto failure = failed(frame.spans[step].begin(stream_.get()), plan)) return failure;
            for (int i = 0; i < launches; ++i) {
                if (auto failure = launch_once(plan, launch, shown)) return failure;
            }
            if (auto failure = failed(frame.spans[step].end(stream_.get()), plan)) return failure;
            frame.times.steps[step].launches = launches;
        }
        return std::nullopt;
    }

    std::optional<LaunchFailure> time_whole(const Plan& plan, std::uint8_t* shown, TimedFrame& frame) {
        const int launches = timer_.launches_of_whole();
        EventSpan& span = frame.spans[TimedFrame::kTotal];
        if (auto failure = failed(span.begin(stream_.get()), plan)) return failure;
        for (int i = 0; i < launches; ++i) {
            if (auto failure = launch_all(plan, shown)) return failure;
        }
        if (auto failure = failed(span.end(stream_.get()), plan)) return failure;
        frame.times.total.launches = launches;
        return std::nullopt;
    }

    int index_;
    CurrentGpu before_;  // goes last but for the number
    const Driver& driver_;
    DeviceFacts facts_;
    GpuClock clock_;
    CudaStream stream_;
    KernelLauncher launcher_;
    DeviceBuffers buffers_;
    FrameTimer timer_;
    std::uint64_t tried_ = 0;  // the generation of the plan that has run in plain memory
};

}  // namespace

Result<int> cuda_device_count() {
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

void refuse_missing_gpu(int number) {
    if (number == kAllGpus)
        throw UsageError("cuda:all is for many pictures", "", "choose one GPU, e.g. cuda:0");
    if (number == kAnyGpu) return;
    const Result<int> count = cuda_device_count();
    if (count.ok() && number >= count.value()) throw no_such_gpu(number, count.value());
}

Result<std::vector<DeviceFacts>> cuda_devices() {
    using Devices = Result<std::vector<DeviceFacts>>;
    const Result<int> count = cuda_device_count();
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
    const Result<int> count = cuda_device_count();
    if (!count.ok()) return Made::failure(count.message());
    if (index < 0 || index >= count.value()) return Made::failure(no_such_gpu(index, count.value()).what());
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
