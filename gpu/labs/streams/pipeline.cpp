#include "gpu/labs/streams/pipeline.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <utility>

#include "gpu/core/statistics.h"

namespace ws::streams {
namespace {

constexpr std::uint32_t kFactor = 1664525;  // as in piecework.cu
constexpr std::uint32_t kSummand = 1013904223;
constexpr std::uint8_t kPoison = 0xA5;
constexpr unsigned kMostThreads = 1024;
constexpr unsigned kSmallShare = 16;  // small kernels that fill a GPU
constexpr std::uint32_t kMostRounds = 1 << 20;

// So many rounds as one: x becomes factor x + summand.
struct Rounds {
    std::uint32_t factor = 1, summand = 0;
    [[nodiscard]] std::uint32_t of(std::uint32_t word) const { return word * factor + summand; }
};
Rounds rounds_as_one(std::uint32_t rounds) {
    Rounds all;
    for (std::uint32_t i = 0; i < rounds; ++i) all = {all.factor * kFactor, all.summand * kFactor + kSummand};
    return all;
}

// No two neighbours alike.
std::uint32_t pattern_at(std::size_t i) {
    return std::uint32_t(i + 1) * 0x9E3779B9u;
}

Timeline& with_parts(Timeline& timeline) {
    timeline.parts = {message("copy in"), message("kernel"), message("copy out")};
    return timeline;
}

}  // namespace

std::uint32_t worked(std::uint32_t word, std::uint32_t rounds) {
    return rounds_as_one(rounds).of(word);
}

Grid grid_of(const GpuProfile& gpu, bool small) {
    const auto multiprocessors = unsigned(std::max(1, gpu.multiprocessors));
    const unsigned threads = std::min(kMostThreads, unsigned(std::max(32, gpu.limits.threads_per_block)));
    // Two blocks a multiprocessor hide the latency of each other's loads.
    return {threads, small ? std::max(1u, multiprocessors / kSmallShare) : 2 * multiprocessors};
}

Pipeline::Pipeline(DeviceSession& session, const Workload& workload)
    : session_(session),
      workload_(workload),
      source_(session.host_memory(workload.memory, workload.words * kWordBytes)),
      target_(session.host_memory(workload.memory, workload.words * kWordBytes)),
      device_(session.device_memory(0, workload.words * kWordBytes)),
      begin_(session.mark()),
      end_(session.mark()) {
    for (int i = 0; i < workload.streams; ++i) queues_.push_back(session.queue(0));
    if (!source_->data()) return;
    for (std::size_t i = 0; i < workload.words; ++i) {
        const std::uint32_t word = pattern_at(i);
        std::memcpy(source_->data() + i * kWordBytes, &word, kWordBytes);
    }
}

const SessionMark& Pipeline::marked(SessionQueue& queue) {
    waits_.push_back(session_.mark());
    session_.record(queue, *waits_.back());
    return *waits_.back();
}

void Pipeline::issue_command(const Command& command) {
    SessionQueue& queue = *queues_[std::size_t(command.stream)];
    const std::size_t offset = command.first_word * kWordBytes;
    const std::size_t bytes = command.words * kWordBytes;
    switch (command.part) {
        case Part::in:
            session_.copy(queue, *device_, offset, *source_, offset, bytes);
            return;
        case Part::out:
            session_.copy(queue, *target_, offset, *device_, offset, bytes);
            return;
        case Part::kernel:
            break;
    }
    const Grid& grid = workload_.grid;
    const std::size_t blocks = (command.words + grid.threads - 1) / grid.threads;
    KernelCall call{
        "piecework", "piecework", unsigned(std::min<std::size_t>(blocks, grid.blocks)), grid.threads, {}};
    call.arguments = {{device_.get(), offset}, {nullptr, 0, command.words}, {nullptr, 0, rounds_}};
    call.device_bytes = 2 * double(bytes);
    call.lane_steps = double(command.words) * rounds_;
    session_.launch(queue, call);
}

// Each engine takes its commands in the order in which they were issued, and a copy out learns of its
// kernel's end with that of the latest kernel.
void Pipeline::wait_as_on_fermi(const Command& command, const Latest& latest) {
    SessionQueue& queue = *queues_[std::size_t(command.stream)];
    if (const SessionMark* mark = latest.parts[std::size_t(command.part)]) session_.wait(queue, *mark);
    const SessionMark* kernel = latest.parts[std::size_t(Part::kernel)];
    if (command.part == Part::out && kernel) session_.wait(queue, *kernel);
}

void Pipeline::issue(const Plan& plan, Marks* marks) {
    const auto streams = plan.overlap == Overlap::serial ? 1 : std::size_t(plan.streams);
    Latest latest;
    if (streams > 1) {
        const SessionMark& fork = marked(first());
        for (std::size_t i = 1; i < streams; ++i) session_.wait(*queues_[i], fork);
    }
    for (const Command& command : commands_of(plan)) {
        SessionQueue& queue = *queues_[std::size_t(command.stream)];
        if (workload_.as_on_fermi) wait_as_on_fermi(command, latest);
        if (marks) {
            marks->begins.push_back(session_.mark());
            session_.record(queue, *marks->begins.back());
        }
        issue_command(command);
        if (marks) {
            marks->ends.push_back(session_.mark());
            session_.record(queue, *marks->ends.back());
        }
        if (workload_.as_on_fermi) latest.parts[std::size_t(command.part)] = &marked(queue);
        if (!command.ahead) continue;
        const SessionMark& there = marked(queue);
        for (std::size_t i = 1; i < streams; ++i) session_.wait(*queues_[i], there);
    }
    for (std::size_t i = 1; i < streams; ++i) session_.wait(first(), marked(*queues_[i]));
}

double Pipeline::time_between_marks(const std::function<void()>& issue) {
    session_.record(first(), *begin_);
    issue();
    session_.record(first(), *end_);
    session_.finish(first());
    waits_.clear();
    return session_.ms_between(*begin_, *end_);
}

double Pipeline::sample(const Plan& plan) {
    return time_between_marks([&] { issue(plan); });
}

std::vector<double> Pipeline::sample_graph(const Plan& plan, int samples) {
    const GraphPtr graph = session_.recorded(first(), [this, plan] { issue(plan); });
    const std::vector<MarkPtr> kept = std::exchange(waits_, {});  // the graph names them
    const auto launch = [&] { session_.launch(first(), *graph); };
    (void)time_between_marks(launch);
    std::vector<double> ms;
    ms.reserve(std::size_t(samples));
    for (int i = 0; i < samples; ++i) ms.push_back(time_between_marks(launch));
    return ms;
}

double Pipeline::several(Part part, int times) {
    const Command whole{part, 0, 0, 0, workload_.words};
    return time_between_marks([&] {
        for (int i = 0; i < times; ++i) issue_command(whole);
    });
}

double Pipeline::alone(Part part, int samples) {
    constexpr int kMore = 4;
    std::vector<double> ms;
    ms.reserve(std::size_t(samples));
    for (int i = 0; i < samples; ++i) {
        const double one = several(part, 1);
        ms.push_back((several(part, kMore) - one) / (kMore - 1));
    }
    return std::max(0.0, statistics_of(std::move(ms)).median);
}

void Pipeline::set_kernel(double ms) {
    constexpr int kTrials = 4;
    constexpr int kSamples = 3;
    rounds_ = 256;
    for (int i = 0; i < kTrials;
         ++i) {  // memory and the start take a part that does not grow with the rounds
        (void)several(Part::kernel, 1);
        const double now = alone(Part::kernel, kSamples);
        if (now <= 0) return;
        rounds_ = std::uint32_t(std::clamp(std::round(rounds_ * ms / now), 1.0, double(kMostRounds)));
    }
}

bool Pipeline::arrived() const {
    const Rounds all = rounds_as_one(rounds_);
    for (std::size_t i = 0; i < workload_.words; ++i) {
        std::uint32_t word = 0;
        std::memcpy(&word, target_->data() + i * kWordBytes, kWordBytes);
        if (word != all.of(pattern_at(i))) return false;
    }
    return true;
}

bool Pipeline::right(const Plan& plan, bool as_graph) {
    std::memset(target_->data(), kPoison, target_->size());
    session_.fill(first(), *device_, kPoison);
    session_.finish(first());
    if (as_graph)
        (void)sample_graph(plan, 0);
    else
        (void)sample(plan);
    return arrived();
}

void Pipeline::add_bars(const Plan& plan, Timeline& timeline) {
    Marks marks;
    (void)time_between_marks([&] { issue(plan, &marks); });
    with_parts(timeline);
    const bool one_engine = session_.facts().devices.front().copy_engines < 2;
    const bool kernels_in_turn =
        workload_.grid.blocks >= grid_of(session_.facts().devices.front().gpu, false).blocks;
    const std::vector<Command> commands = commands_of(plan);
    for (std::size_t i = 0; i < commands.size(); ++i)
        timeline.bars.push_back({commands[i].stream, session_.ms_between(*begin_, *marks.begins[i]),
                                 session_.ms_between(*begin_, *marks.ends[i]),
                                 std::to_string(commands[i].piece + 1), int(commands[i].part)});
    // A mark is passed when its stream comes to it; the command begins once its engine is done with others.
    const auto engine_of = [&](const TimelineBar& bar) {
        return one_engine && bar.part == int(Part::out) ? int(Part::in) : bar.part;
    };
    std::vector<TimelineBar*> by_end;
    for (TimelineBar& bar : timeline.bars) by_end.push_back(&bar);
    std::sort(by_end.begin(), by_end.end(),
              [](const TimelineBar* a, const TimelineBar* b) { return a->end_ms < b->end_ms; });
    double free_ms[3] = {0, 0, 0};
    for (TimelineBar* bar : by_end) {
        double& free = free_ms[engine_of(*bar)];
        const bool in_turn = bar->part != int(Part::kernel) || kernels_in_turn;
        if (in_turn && free < bar->end_ms) bar->begin_ms = std::max(bar->begin_ms, free);
        free = bar->end_ms;
    }
}

}  // namespace ws::streams
