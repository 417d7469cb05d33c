// Streams: every word is checked, no order of the commands is faster than its limits allow, and the model
// knows what the lecture says of engines, queues and issue order.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/analysis/model_session.h"
#include "gpu/analysis/profiles.h"
#include "gpu/core/experiment.h"
#include "gpu/labs/streams/pipeline.h"
#include "gpu/labs/streams/schedule.h"
#include "gpu/labs/streams/streams.h"
#include "tests/byte_session.h"
#include "tests/outcomes.h"

namespace ws::streams {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

ControlValues values_with(const Settings& settings) {
    ControlValues values = first_values(experiment());
    for (const auto& [name, value] : settings) {
        const auto place = std::size_t(control_named(experiment(), name));
        values.at(place) = value_of(experiment().controls.at(place), value);
    }
    return values;
}

Outcome modelled(const std::string& gpu, const Settings& settings, int axis = -1) {
    const std::unique_ptr<DeviceSession> session = make_model_session(GpuTable().named(gpu));
    return experiment().run({.session = *session, .values = values_with(settings), .axis = axis});
}

// Rows of the table, by how much overlaps.
enum Row : std::size_t { kSerial, kTwoWay, kDepth, kBreadth, kPageable, kGraph };
double ms(const Outcome& outcome, Row row) {
    return cell(outcome.tables.at(0), row, 1);
}
double gain(const Outcome& outcome, Row row) {
    return cell(outcome.tables.at(0), row, 2);
}

std::string names_of(const Plan& plan) {
    constexpr const char* kNames[] = {"in", "k", "out"};
    std::string names;
    for (const Command& command : commands_of(plan))
        names += (names.empty() ? "" : " ") + std::string(kNames[int(command.part)]) +
                 std::to_string(command.piece) + "/" + std::to_string(command.stream);
    return names;
}

TEST(StreamSchedule, IssuesDepthAndBreadthFirst) {
    const auto plan = [](Overlap overlap, Order order) { return Plan{overlap, order, 3, 2, 300}; };
    EXPECT_EQ(names_of(plan(Overlap::serial, Order::depth_first)), "in0/0 k0/0 out0/0");
    EXPECT_EQ(names_of(plan(Overlap::three_way, Order::depth_first)),
              "in0/0 k0/0 out0/0 in1/1 k1/1 out1/1 in2/0 k2/0 out2/0");
    EXPECT_EQ(names_of(plan(Overlap::three_way, Order::breadth_first)),
              "in0/0 in1/1 k0/0 k1/1 out0/0 out1/1 in2/0 k2/0 out2/0");
    EXPECT_EQ(names_of(plan(Overlap::two_way, Order::depth_first)),
              "in0/0 k0/0 out0/0 k1/1 out1/1 k2/0 out2/0");
    EXPECT_TRUE(commands_of(plan(Overlap::two_way, Order::depth_first)).front().ahead);
    // Every word in one piece.
    std::size_t words = 0;
    for (const Command& command : commands_of({Overlap::three_way, Order::depth_first, 7, 3, 1000})) {
        if (command.part != Part::kernel) continue;
        EXPECT_EQ(command.first_word, words);
        words += command.words;
    }
    EXPECT_EQ(words, 1000u);
}

TEST(StreamSchedule, HasTheLimitsOfAmdahlAndOfTheSlowestEngine) {
    const PartTimes equal{4, 4, 4};
    const Plan plan{Overlap::three_way, Order::depth_first, 4, 4, 64};
    // A quarter of a copy at each end alone, the other 10 ms by three at a time.
    EXPECT_DOUBLE_EQ(limits_of(equal, {2, 1}, plan).amdahl_ms, 2 + 10.0 / 3);
    EXPECT_EQ(limits_of(equal, {2, 1}, plan).at_once, 3);
    EXPECT_DOUBLE_EQ(limits_of(equal, {2, 1}, plan).slowest_ms, 4);
    EXPECT_DOUBLE_EQ(limits_of(equal, {1, 1}, plan).slowest_ms, 8) << "one engine copies both ways";
    EXPECT_DOUBLE_EQ(limits_of(equal, {0, 1}, plan).least_ms(), 12) << "no copy beside a kernel";
    EXPECT_DOUBLE_EQ(limits_of({4, 16, 4}, {2, 4}, plan).slowest_ms, 4) << "four kernels at a time";
    Plan two = plan;
    two.overlap = Overlap::two_way;
    EXPECT_DOUBLE_EQ(limits_of(equal, {2, 1}, two).amdahl_ms, 4 + 1 + 7.0 / 2);
    for (Plan alone : {plan, plan, plan}) {
        static int which = 0;
        if (which == 0) alone.overlap = Overlap::serial;
        if (which == 1) alone.streams = 1;
        if (which == 2) alone.pieces = 1;
        ++which;
        EXPECT_DOUBLE_EQ(limits_of(equal, {2, 1}, alone).least_ms(), 12);
    }
}

// On every GPU of the table, in every mode.
TEST(Streams, AreNotFasterThanTheirLimits) {
    const GpuTable table;
    for (const GpuProfile& gpu : table.gpus()) {
        for (const char* mode : {"plain", "concurrent", "fermi"}) {
            for (const char* work : {"25", "100", "400"}) {
                const Outcome outcome = modelled(gpu.name, {{"mode", mode}, {"work", work}});
                for (std::size_t row = 0; row < outcome.tables[0].rows.size(); ++row) {
                    if (row == kPageable) continue;  // which has the limits of pinned memory
                    EXPECT_LE(cell(outcome.tables[0], row, 4), 100.0001)
                        << gpu.name << ", " << mode << ", " << work << ", "
                        << name_of_row(outcome.tables[0], row);
                }
            }
        }
    }
}

TEST(StreamModel, OverlapsWhatTheEnginesAllow) {
    const Outcome h200 = modelled("H200", {{"pieces", "16"}});
    EXPECT_GT(gain(h200, kDepth), 2.3) << "three at a time";
    EXPECT_GT(gain(h200, kTwoWay), 1.35) << "a copy in, then two at a time";
    EXPECT_LT(gain(h200, kTwoWay), 1.5);
    EXPECT_LT(gain(h200, kPageable), 1) << "nothing overlaps with pageable memory";
    const Outcome first = modelled("FX 5600", {{"pieces", "16"}});
    EXPECT_LE(gain(first, kDepth), 1) << "1.0 copies while no kernel runs";
    EXPECT_LE(gain(first, kBreadth), 1);
}

// By how many ms a copy ends behind a kernel that was launched before it in another queue.
double beside_each_other(const std::string& gpu) {
    const std::unique_ptr<DeviceSession> session = make_model_session(GpuTable().named(gpu));
    constexpr std::size_t kBytes = 1 << 24;
    const MemoryPtr host = session->host_memory(HostMemory::pinned, kBytes);
    const MemoryPtr device = session->device_memory(0, kBytes);
    const QueuePtr works = session->queue(0);
    const QueuePtr copies = session->queue(0);
    const MarkPtr begin = session->mark();
    const MarkPtr worked = session->mark();
    const MarkPtr copied = session->mark();
    KernelCall call{"piecework", "piecework", 1000, 256, {}};
    call.lane_steps = 1e9;
    session->record(*works, *begin);
    session->launch(*works, call);
    session->record(*works, *worked);
    session->copy(*copies, *device, 0, *host, 0, kBytes);
    session->record(*copies, *copied);
    return session->ms_between(*begin, *copied) - session->ms_between(*begin, *worked);
}

TEST(StreamModel, CopiesBesideAKernelFromTheSecondGenerationOn) {
    EXPECT_GT(beside_each_other("FX 5600"), 0) << "the copy begins when the kernel has ended";
    EXPECT_LT(beside_each_other("GTX 280"), 0);
}

// The lecture: depth-first beats breadth-first on Fermi with its two copy engines, and with Hyper-Q the order
// matters no more. With one engine, as on GeForce cards, a copy out blocks the next copy in: breadth-first
// wins.
TEST(StreamModel, KnowsWhenTheOrderMatters) {
    const Outcome fermi = modelled("H200", {{"mode", "fermi"}});
    EXPECT_LT(ms(fermi, kDepth), 0.8 * ms(fermi, kBreadth));
    const Outcome hyper_q = modelled("H200", {});
    EXPECT_NEAR(ms(hyper_q, kDepth) / ms(hyper_q, kBreadth), 1, 0.03);
    const Outcome one_engine = modelled("GTX 560 Ti", {});
    EXPECT_GT(ms(one_engine, kDepth), 1.1 * ms(one_engine, kBreadth));
}

TEST(StreamModel, RunsSmallKernelsAtTheSameTime) {
    const Settings settings{{"mode", "concurrent"}, {"work", "800"}, {"streams", "16"}, {"pieces", "16"}};
    EXPECT_GT(gain(modelled("H200", settings), kDepth), 4);
    EXPECT_LT(gain(modelled("GTX 280", settings), kDepth), 1.3) << "one kernel at a time before 2.0";
}

TEST(StreamModel, LaunchesAGraphWithFewerCalls) {
    const Outcome outcome = modelled("H200", {{"mode", "graph"}, {"size", "1M"}, {"pieces", "16"}});
    ASSERT_EQ(outcome.tables[0].rows.size(), 6u);
    EXPECT_LT(ms(outcome, kGraph), 0.8 * ms(outcome, kDepth)) << "the host's calls limit small pieces";
    const Outcome old = modelled("GTX 560 Ti", {{"mode", "graph"}});
    EXPECT_EQ(english(std::get<Message>(old.tables[0].rows[kGraph].back())),
              "the GPU is older than graphs: choose another mode");
    EXPECT_EQ(english(old.headline), "No time");
}

TEST(Streams, DrawBarsThatKeepTheOrder) {
    const Outcome outcome = modelled("H200", {{"pieces", "8"}, {"streams", "4"}});
    ASSERT_EQ(outcome.timelines.size(), 4u);
    EXPECT_EQ(outcome.timelines[0].bars.size(), 3u);
    EXPECT_EQ(outcome.timelines[1].bars.size(), 1u + 2 * 8u);
    for (std::size_t i = 2; i < 4; ++i) {
        const Timeline& timeline = outcome.timelines[i];
        EXPECT_EQ(timeline.lanes.size(), 4u);
        EXPECT_EQ(timeline.bars.size(), 3u * 8);
        EXPECT_EQ(timeline.limits.size(), 2u);
        EXPECT_EQ(end_of(timeline), end_of(outcome.timelines[0])) << "the axis of serial";
        for (const TimelineBar& a : timeline.bars) {
            for (const TimelineBar& b : timeline.bars) {
                if (&a == &b || (a.lane != b.lane && a.part != b.part)) continue;
                EXPECT_TRUE(a.end_ms <= b.begin_ms + 1e-9 || b.end_ms <= a.begin_ms + 1e-9)
                    << "a stream and an engine do one thing at a time: " << a.name << ", " << b.name;
            }
        }
    }
}

// ---- bytes

Outcome moved(Faults& faults, const Settings& settings) {
    ByteSession session(make_model_session(GpuTable().named("H200")), faults);
    ControlValues values = values_with(settings);
    return experiment().run({.session = session, .values = values, .stop = faults.stop.get_token()});
}

TEST(Streams, CheckEveryWord) {
    EXPECT_EQ(worked(7, 0), 7u);
    EXPECT_EQ(worked(7, 2), (7u * 1664525u + 1013904223u) * 1664525u + 1013904223u);
    for (const char* mode : {"plain", "graph", "fermi"}) {
        Faults faults;
        const Outcome outcome = moved(faults, {{"mode", mode}, {"size", "1M"}, {"work", "25"}});
        EXPECT_FALSE(outcome.wrong) << mode;
        for (const auto& row : outcome.tables[0].rows)
            EXPECT_EQ(english(std::get<Message>(row.back())), "as defined") << mode;
    }
    Faults faults;
    faults.lost_byte = 5000;  // of each copy
    const Outcome outcome = moved(faults, {{"size", "1M"}, {"work", "25"}});
    EXPECT_TRUE(outcome.wrong);
    for (const auto& row : outcome.tables[0].rows)
        EXPECT_EQ(english(std::get<Message>(row.back())), "WRONG: other words came back");
}

TEST(Streams, NameWhatTheSessionRefuses) {
    Faults faults;
    faults.no_graphs = true;
    const Outcome outcome = moved(faults, {{"mode", "graph"}, {"size", "1M"}, {"work", "25"}});
    EXPECT_EQ(english(std::get<Message>(outcome.tables[0].rows[kGraph].back())),
              "the GPU is older than graphs: choose another mode");
    EXPECT_EQ(english(std::get<Message>(outcome.tables[0].rows[kDepth].back())), "as defined");
    faults.most_pinned = 1000;
    EXPECT_THROW((void)moved(faults, {{"size", "1M"}}), Error);
}

TEST(Streams, StopBetweenTwoSamples) {
    Faults faults;
    faults.commands_until_stop = 150;
    const Outcome outcome = moved(faults, {{"size", "1M"}, {"work", "25"}});
    EXPECT_FALSE(outcome.complete);
    EXPECT_TRUE(outcome.timelines.empty());
}

}  // namespace
}  // namespace ws::streams
