#include "gpu/engine/other_times.h"

#include "gpu/analysis/time_floor.h"

namespace ws {
namespace {

constexpr std::size_t kSamples = 25;
// The device waits for each: a frame does as many as do not delay it.
constexpr auto kShareOfAFrame = std::chrono::milliseconds(6);
// After this without enough samples there will be none: the GPU is held back.
constexpr auto kLongest = std::chrono::seconds(5);

// Nobody looks: memory of the GPU that is nowhere, so that results stay in the device's own.
class Unseen final : public FrameTarget {
  public:
    [[nodiscard]] Memory memory() const override { return Memory::cuda; }
    void resize(Extent /*size*/) override {}
    [[nodiscard]] std::uint8_t* map(void* /*stream*/) override { return nullptr; }
    void unmap(void* /*stream*/) override {}
};

double floor_of(const Plan& plan, const WorkKey& key) {
    double bytes = 0;
    for (const Launch& launch : plan.launches)
        bytes += least_bytes(*plan.lab, launch.arguments, key.input.size);
    return time_floor_ms(bytes, int(plan.launches.size()), key.gpu);
}

}  // namespace

void OtherTimes::stop() {
    running_.reset();
    active_ = false;
}

void OtherTimes::begin(const PlannedWork& work, Plan plan, std::uint64_t& generations) {
    plan.generation = ++generations;
    const double floor_ms = floor_of(plan, work.key);
    running_ = Running{work.key, std::move(plan), floor_ms};
    samples_.start();
}

bool OtherTimes::take(const FrameTimes& times, const ClockReading& clock, TimeBook& book) {
    if (times.generation == running_->plan.generation) (void)samples_.take(times, clock);
    const bool enough = samples_.total().size() >= kSamples;
    const Statistics total = enough ? samples_.total().statistics() : Statistics();
    if (enough && total.median >= running_->floor_ms)
        book.put(running_->key, total);
    else if (enough || PlanSamples::Clock::now() - samples_.since() > kLongest)
        without_.put(running_->key, true);
    else
        return false;
    return true;
}

std::optional<LaunchFailure> OtherTimes::update(std::span<const PlannedWork* const> wanted,
                                                OtherTimesTools tools) {
    const auto is_wanted = [&](const WorkKey& key) {
        return std::ranges::any_of(wanted, [&](const PlannedWork* work) { return work->key == key; });
    };
    if (running_ && !is_wanted(running_->key)) running_.reset();
    for (std::size_t i = 0; !running_ && i < wanted.size(); ++i) {
        const WorkKey& key = wanted[i]->key;
        if (tools.book.total_of(key) || without_.find(key)) continue;
        ReadyPlan ready = ready_plan(*wanted[i], tools.compiler, tools.counts);
        if (!ready.problem.empty()) without_.put(key, true);
        if (ready.plan) begin(*wanted[i], std::move(*ready.plan), tools.generations);
    }
    active_ = running_.has_value();
    if (!active_) return std::nullopt;
    const auto until = PlanSamples::Clock::now() + kShareOfAFrame;
    do {
        Unseen nowhere;
        const FrameResult result = samples_.around([&] { return tools.device.run(running_->plan, nowhere); });
        if (result.failure) {
            without_.put(running_->key, true);
            running_.reset();
            if (result.failure->device_lost) return result.failure;
        } else if (take(result.times.value_or(FrameTimes{}), tools.device.clock(), tools.book)) {
            running_.reset();
        }
    } while (running_ && PlanSamples::Clock::now() < until);
    return std::nullopt;
}

}  // namespace ws
