// What limits a kernel and what shows it, by hand-made counts.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "gpu/analysis/estimate.h"
#include "gpu/analysis/hotspot.h"
#include "tests/hand_made_counts.h"

namespace ws {
namespace {

using testing::kLeast;
using testing::made;
using testing::plain;

struct ByHand {
    Category category;
    Indicator shown;  // besides the limiter
    StepResult result;
};
std::vector<ByHand> by_hand() {
    std::vector<ByHand> list;
    // One block of 8 warps on a multiprocessor, which waits.
    InstructionCounts waits = plain();
    waits.barriers = 4'000'000;
    list.push_back({Category::latency_occupancy, Indicator::occupancy, made(waits, 168, 0)});
    // Four times the sectors that its bytes need, and L1 is full of them; or only latency is.
    InstructionCounts scattered = plain();
    scattered.global_load = {320'000, 10'240'000, 2'560'000, 327'680'000, 0};
    list.push_back({Category::bandwidth_coalescing, Indicator::load_sectors, made(scattered)});
    InstructionCounts late = plain();
    late.barriers = 9'000'000;
    late.global_load = {320'000, 10'240'000, 2'560'000, 327'680'000, 0};
    list.push_back({Category::latency_coalescing, Indicator::load_sectors, made(late)});
    // Each byte forty times.
    InstructionCounts again = plain();
    again.global_load = {3'200'000, 3'200'000, 102'400'000, 102'400'000, 0};
    again.pipes[std::size_t(Pipe::lsu)] = 3'300'000;
    list.push_back({Category::latency_reuse, Indicator::loaded_again, made(again, 56)});
    InstructionCounts wide = again;
    wide.global_load = {3'200'000, 12'800'000, 409'600'000, 409'600'000, 6'400'000};
    list.push_back({Category::memory_reuse, Indicator::loaded_again, made(wide)});
    // Half of the lanes.
    InstructionCounts divided = plain();
    divided.instructions = 60'000'000;
    divided.thread_instructions = 16 * divided.instructions;
    divided.pipes[std::size_t(Pipe::alu)] = 50'000'000;
    divided.branches = 1000;
    divided.divergent_branches = 400;
    list.push_back({Category::compute_divergence, Indicator::active_lanes, made(divided)});
    InstructionCounts busy = divided;
    busy.thread_instructions = 32 * busy.instructions;
    list.push_back({Category::compute_algorithm, Indicator::instructions, made(busy)});
    // Nothing but the wait, with all the warps that there are.
    InstructionCounts alone = plain();
    alone.barriers = 9'000'000;
    list.push_back({Category::latency_parallelism, Indicator::registers, made(alone)});
    return list;
}

TEST(Diagnosis, EachRowOfTheTableHasItsCounts) {
    std::map<Category, int> seen;
    for (const ByHand& one : by_hand()) {
        const Diagnosis found = diagnose(one.result, kLeast);
        const Estimate& estimate = *one.result.estimate;
        std::string bounds;
        for (const Bound& bound : estimate.bounds) bounds += fmt::format(" {} {:.3f}", bound.name, bound.ms);
        EXPECT_EQ(name_of(found.category), name_of(one.category)) << bounds;
        ASSERT_FALSE(found.evidence.empty());
        EXPECT_EQ(found.evidence.front().of, Indicator::limiter);
        EXPECT_EQ(found.evidence.front().name, estimate.bounds.front().name);
        EXPECT_TRUE(std::any_of(found.evidence.begin(), found.evidence.end(), [&](const Evidence& evidence) {
            return evidence.of == one.shown;
        })) << name_of(one.category);
        EXPECT_LE(found.evidence.size(), kMostEvidence);
        EXPECT_EQ(found.line, 7);
        ++seen[found.category];
    }
    EXPECT_EQ(seen.size(), kCategories);
}

TEST(Diagnosis, SaysWhatTheCountsAre) {
    InstructionCounts c = plain();
    c.global_load = {320'000, 10'240'000, 2'560'000, 327'680'000, 0};
    const StepResult result = made(c);
    const Diagnosis found = diagnose(result, kLeast);
    ASSERT_EQ(found.category, Category::bandwidth_coalescing);
    ASSERT_GE(found.evidence.size(), 2u);
    EXPECT_DOUBLE_EQ(found.evidence[1].value, c.global_load.sectors_per_request());
    EXPECT_DOUBLE_EQ(found.evidence[1].reference, 1) << "8 bytes a request fit into one sector";
    EXPECT_EQ(sentence_of(found.evidence[1]), "32 sectors per load; 1 would do");
    EXPECT_NEAR(found.floor, result.estimate->ms / (kLeast / (100 * kMostBandwidth * 1e6)), 1e-9);
}

// Where a clock ran, of a kernel that latency limits: the largest wait of all lines, and the line with most
// of it.
TEST(Diagnosis, SaysWhatWarpsWaitFor) {
    auto launch = std::make_shared<ClockedLaunch>();
    launch->at_line.resize(10);
    launch->at_line[0] = {0, 0, 90, 0, 0, 0};  // of no line
    launch->at_line[7] = {100, 50, 30, 0, 260, 0};
    launch->at_line[9] = {100, 50, 20, 100, 200, 0};
    int waits = 0;
    for (const ByHand& one : by_hand()) {
        StepResult result = one.result;
        const auto without = diagnose(result, kLeast).evidence;
        result.clocked = launch;
        const auto found = diagnose(result, kLeast).evidence;
        EXPECT_LE(found.size(), kMostEvidence);
        EXPECT_EQ(found.front(), without.front()) << "the limiter comes first";
        const auto is_wait = [](const Evidence& evidence) { return evidence.of == Indicator::waits; };
        EXPECT_TRUE(std::none_of(without.begin(), without.end(), is_wait));
        const auto wait = std::find_if(found.begin(), found.end(), is_wait);
        ASSERT_EQ(wait != found.end(), name_of(one.category).starts_with("latency")) << name_of(one.category);
        if (wait == found.end()) continue;
        ++waits;
        EXPECT_DOUBLE_EQ(wait->value, 0.46);
        EXPECT_EQ(sentence_of(*wait), "waits for results: 46 % of the time, most at line 7");
    }
    EXPECT_EQ(waits, 4);
}

}  // namespace
}  // namespace ws
