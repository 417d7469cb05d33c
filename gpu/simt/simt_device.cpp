#include "gpu/simt/simt_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "gpu/core/background.h"

namespace ws::simt {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kFirstPixels = 24 << 10;             // of the first small copy
constexpr std::size_t kSecondPixels = 400 << 10;           // of the second...
constexpr double kSecondMs = 120;                          // ...if it takes no longer than this
constexpr auto kPatience = std::chrono::milliseconds(10);  // for a first picture in the same frame
constexpr std::uint8_t kPoison = 0xA5;

double elapsed_ms(Clock::time_point since) {
    return std::chrono::duration<double, std::milli>(Clock::now() - since).count();
}

// The step at which at most about `pixels` are left.
int step_for(Extent size, std::size_t pixels) {
    return std::max(1, int(std::ceil(std::sqrt(double(size.pixels()) / double(pixels)))));
}

// Every n-th pixel of every n-th row.
RgbaImage thinned(const RgbaImage& picture, int step) {
    RgbaImage small({(picture.size.width + step - 1) / step, (picture.size.height + step - 1) / step});
    for (int y = 0; y < small.size.height; ++y) {
        for (int x = 0; x < small.size.width; ++x) {
            const std::size_t from =
                4 * (std::size_t(y) * std::size_t(step) * std::size_t(picture.size.width) +
                     std::size_t(x) * std::size_t(step));
            std::copy_n(
                picture.bytes.begin() + std::ptrdiff_t(from), 4,
                small.bytes.begin() +
                    std::ptrdiff_t(4 * (std::size_t(y) * std::size_t(small.size.width) + std::size_t(x))));
        }
    }
    return small;
}

std::uint64_t blocks_of(const Plan& plan) {
    std::uint64_t sum = 0;
    for (const Launch& launch : plan.launches)
        sum += std::uint64_t(launch.grid.width) * std::uint64_t(launch.grid.height);
    return sum;
}

}  // namespace

SimtDevice::SimtDevice(const GpuProfile& gpu) {
    simulate(gpu);
}

void SimtDevice::simulate(const GpuProfile& gpu) {
    gpu_ = gpu;
    facts_.kind = DeviceKind::simt;
    facts_.name = "simulated " + gpu.name;
    facts_.profile = gpu;
    facts_.facts = {{"Name", facts_.name},
                    {"Compute capability", gpu.limits.capability.text()},
                    {"Multiprocessors", std::to_string(gpu.multiprocessors)},
                    {"Shared memory banks", std::to_string(gpu.limits.shared_banks)},
                    {"Runs on", fmt::format("{} threads of the CPU, warp by warp",
                                            std::max(1u, std::thread::hardware_concurrency()))}};
}

SimulationStatus SimtDevice::status() const {
    const std::lock_guard lock(mutex_);
    SimulationStatus status;
    status.generation = generation_;
    if (finished_) {
        status.complete = finished_->step == 1;
        status.drawn = finished_->picture.size;
    }
    status.progress = status.complete || blocks_in_all_ == 0 ? (status.complete ? 1 : 0)
                                                             : double(blocks_done_) / double(blocks_in_all_);
    status.milliseconds = milliseconds_;
    return status;
}

std::optional<GrayImage> SimtDevice::whole_picture() const {
    const std::lock_guard lock(mutex_);
    if (!finished_ || finished_->step != 1) return std::nullopt;
    return finished_->picture;
}

void SimtDevice::stop_work() {
    job_ = {};
    const std::lock_guard lock(mutex_);
    finished_.reset();
    drawn_.reset();
    failure_.reset();
    generation_ = 0;
}

void SimtDevice::set_picture(Picture picture) {
    stop_work();
    picture_ = std::move(picture);
}

void SimtDevice::start(const Plan& plan) {
    stop_work();
    std::unique_lock lock(mutex_);
    generation_ = plan.generation;
    blocks_done_ = 0;
    blocks_in_all_ = blocks_of(plan);
    milliseconds_ = 0;
    job_ = Job<Done>(
        [this, work = Work{plan, gpu_, picture_}](const std::stop_token& stop) mutable {
            run_work(work, stop);
            return Done{};
        },
        Priority::gives_way);
    news_.wait_for(lock, kPatience, [this] { return finished_ || failure_; });
}

FrameResult SimtDevice::run(const Plan& plan, FrameTarget& target) {
    if (plan.generation != generation_) start(plan);
    std::shared_ptr<const Finished> finished;
    FrameResult result;
    result.drawn = false;
    {
        const std::lock_guard lock(mutex_);
        result.failure = failure_;
        finished = finished_;
    }
    if (result.failure || !finished || finished == drawn_) return result;
    draw(*finished, target);
    drawn_ = finished;
    result.drawn = true;
    return result;
}

// A smaller picture is enlarged by repeating its pixels.
void SimtDevice::draw(const Finished& finished, FrameTarget& target) const {
    const Extent size = picture_->size;
    const GrayImage& picture = finished.picture;
    target.resize(size);
    std::uint8_t* out = target.map(nullptr);
    if (finished.step == 1) {
        std::copy(picture.bytes.begin(), picture.bytes.end(), out);
    } else {
        for (int y = 0; y < size.height; ++y) {
            const std::uint8_t* from =
                picture.bytes.data() + std::size_t(y / finished.step) * std::size_t(picture.size.width);
            std::uint8_t* row = out + std::size_t(y) * std::size_t(size.width);
            for (int x = 0; x < size.width; ++x) row[x] = from[x / finished.step];
        }
    }
    target.unmap(nullptr);
}

void SimtDevice::run_work(Work& work, const std::stop_token& stop) {
    std::atomic<bool> cancel{false};
    const std::stop_callback on_stop(stop, [&] { cancel = true; });
    const auto publish = [&](GrayImage picture, int step) {
        const std::lock_guard lock(mutex_);
        finished_ = std::make_shared<const Finished>(Finished{std::move(picture), step});
        news_.notify_all();
    };
    try {
        const std::size_t pixels = work.picture->size.pixels();
        double ms_per_pixel = 0;
        for (const std::size_t size : {kFirstPixels, kSecondPixels}) {
            if (pixels <= size * 2) continue;
            if (size == kSecondPixels && ms_per_pixel * double(size) > kSecondMs) continue;
            const int step = step_for(work.picture->size, size);
            const RgbaImage small = thinned(*work.picture, step);
            const auto start = Clock::now();
            std::optional<GrayImage> made = compute(work, small, kPoison, nullptr, &cancel);
            if (!made) return;
            ms_per_pixel = elapsed_ms(start) / double(small.size.pixels());
            publish(std::move(*made), step);
        }
        const auto start = Clock::now();
        std::optional<GrayImage> whole = compute(work, *work.picture, kPoison, &blocks_done_, &cancel);
        if (!whole) return;
        {
            const std::lock_guard lock(mutex_);
            milliseconds_ = elapsed_ms(start);
        }
        publish(std::move(*whole), 1);
    } catch (const RefusedLaunch& refused) {
        fail({work.stage, refused.code(), refused.reason(), false});
    } catch (...) {
        fail({work.stage, "the simulated GPU stopped", caught_message(), false});
    }
}

void SimtDevice::fail(LaunchFailure failure) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
    news_.notify_all();
}

std::optional<GrayImage> SimtDevice::compute(Work& work, const RgbaImage& picture, std::uint8_t poison,
                                             std::atomic<std::uint64_t>* done,
                                             const std::atomic<bool>* cancel) {
    const Extent size = picture.size;
    GrayImage input;
    for (const Launch& launch : work.plan.launches) {
        work.stage = launch.stage;
        Result<std::shared_ptr<const Program>> program = [&] {
            const std::lock_guard lock(programs_mutex_);
            return programs_.find(launch.kernel);
        }();
        if (!program.ok()) throw Error(program.message());
        Launch sized = launch;
        cover(sized, size);
        GrayImage output(size, poison);
        const bool first = reads_rgba(launch.stage);
        Gpu gpu(work.gpu);
        const KernelLaunch staged =
            stage_launch(gpu, program.value(), sized, size, first ? picture.bytes.data() : input.bytes.data(),
                         first ? 4 : 1, output.bytes.data());
        LaunchOptions options = stage_options();
        options.count = false;
        options.cancel = cancel;
        options.blocks_done = done;
        const LaunchOutcome outcome = gpu.launch(staged, options);
        if (outcome.cancelled) return std::nullopt;
        if (outcome.stopped) throw Error(outcome.counters.findings.front().message);
        input = std::move(output);
    }
    return input;
}

Result<GrayImage> SimtDevice::run_poisoned(const Plan& plan, std::uint8_t poison) {
    try {
        Work work{plan, gpu_, picture_};
        std::optional<GrayImage> picture = compute(work, *picture_, poison, nullptr, nullptr);
        if (!picture) return Result<GrayImage>::failure("cancelled");
        return std::move(*picture);
    } catch (...) {
        return Result<GrayImage>::failure(caught_message());
    }
}

}  // namespace ws::simt
