// The words of the window: what tells two works apart, and why one is faster.

#include "app/views/words.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/canvas/text.h"
#include "app/texts/texts.h"
#include "gpu/analysis/comparison.h"
#include "gpu/core/counters.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

Work work_of(std::string_view lab, int version) {
    return with_version(first_work(lab_named(lab)), version_of(lab_named(lab), version));
}

// Both names, of the one and of the other.
std::string names(const Work& one, const Work& other) {
    return std::string(distinct_name(one, other)) + ", " + std::string(distinct_name(other, one));
}

TEST(Words, TwoWorksHaveNamesThatDiffer) {
    begin_frame_texts();
    const Work five = work_of("filters", 5);
    EXPECT_EQ(names(five, work_of("filters", 3)), "V5, V3");
    Work wide = five;
    wide.block(main_step(*five.lab, version_of(*five.lab, 5))) = {64, 4};
    EXPECT_EQ(names(five, wide), "32 × 4, 64 × 4");
    const Work four = work_of("latency", 4);
    Work eight = four;
    Work two = four;
    eight.knobs["ILP"] = 8;
    two.knobs["ILP"] = 2;
    EXPECT_EQ(names(two, eight), "ILP 2, ILP 8");
    Work large = four;
    large.size = {512, 512};
    EXPECT_EQ(names(four, large), "2048 × 2048, 512 × 512");
    Work old = five;
    old.target_gpu = "GTX 280";
    EXPECT_EQ(names(five, old), "V5, GTX 280") << "the automatic one has no name of its own here";
}

Shift shift(const char* quantity, double now, double before, Form form = Form::ratio) {
    return {message(quantity), form, now, before};
}

TEST(Words, WhySaysWhatSpeaksAgainstIt) {
    begin_frame_texts();
    Reasons reasons;
    reasons.limiter_now = reasons.limiter_before = "latency";
    EXPECT_EQ(why_text(reasons, "story.because"), "Still limited by latency.");
    reasons.limiter_before = "device memory";
    EXPECT_EQ(why_text(reasons, "story.because"), "Now limited by latency, before by device memory.");
    reasons.shifts.push_back(shift("load requests", 4, 8, Form::count));
    EXPECT_EQ(why_text(reasons, "story.because"),
              "4 load requests instead of 8; now limited by latency, before by device memory.");
    reasons.against = shift("bank conflict wavefronts", 32, 2, Form::count);
    EXPECT_EQ(why_text(reasons, "story.because"),
              "4 load requests instead of 8, but 32 bank conflict wavefronts instead of 2; now limited by "
              "latency, before by device memory.");
    // What has no estimate has no limit, either.
    reasons.limiter_now = {};
    EXPECT_EQ(why_text(reasons, "story.because"),
              "4 load requests instead of 8, but 32 bank conflict wavefronts instead of 2.");
    reasons.shifts.clear();
    EXPECT_EQ(why_text(reasons, "story.because"), say("story.limit.unknown"));
    reasons.alike = true;
    EXPECT_EQ(why_text(reasons, "story.because"), say("story.alike"));
}

// Counted and estimated at a millisecond each by the part that is told.
WorkFigures figures(const InstructionCounts& counts, Part part, double ms) {
    WorkFigures made;
    made.work = work_of("transpose", 3);
    StepResult step;
    auto counters = std::make_shared<KernelCounters>();
    counters->total = counts;
    counters->warps = 1000;
    step.counters = counters;
    step.estimate = Estimate{};
    step.estimate->ms = ms;
    step.estimate->bounds = {{part, name_of(part), ms, false, true}};
    step.occupancy = Occupancy{};
    step.occupancy->percent = 100;
    made.steps = {step};
    return made;
}

TEST(Words, AStoreThatGotWorseSpeaksAgainstLoadsThatGotBetter) {
    InstructionCounts strided_loads;
    strided_loads.global_load = {1000, 32000, 128000, 1024000, 0};
    strided_loads.global_store = {1000, 4000, 128000, 128000, 0};
    InstructionCounts strided_stores;
    strided_stores.global_load = {1000, 4000, 128000, 128000, 0};
    strided_stores.global_store = {1000, 32000, 128000, 1024000, 0};
    const Reasons made = reasons(figures(strided_stores, Part::l2, 0.5), figures(strided_loads, Part::l2, 1));
    ASSERT_FALSE(made.shifts.empty());
    EXPECT_EQ(made.shifts.front().quantity.pattern(), "load {}");
    ASSERT_TRUE(made.against);
    EXPECT_EQ(made.against->quantity.pattern(), "{} per store");
    EXPECT_EQ(made.against->now, 32);
    // Wider stores have more sectors each and fewer in all: that is no reason for anything.
    InstructionCounts wide_stores = strided_loads;
    wide_stores.global_store = {100, 1600, 51200, 51200, 0};
    for (const Shift& one :
         reasons(figures(wide_stores, Part::l2, 0.5), figures(strided_loads, Part::l2, 1)).shifts)
        EXPECT_NE(one.quantity.pattern(), "{} per store");
}

// The counts run PTX, which spills nothing: without the machine code's bytes nothing would explain the time.
TEST(Words, WhatIsSpilledExplainsATimeThatNoCountDoes) {
    InstructionCounts counts;
    counts.global_load = {1000, 4000, 128000, 128000, 0};
    WorkFigures now = figures(counts, Part::memory, 2);
    now.steps.front().code = {.spill_store_bytes = 1260, .spill_load_bytes = 1340};
    const Reasons made = reasons(now, figures(counts, Part::memory, 1));
    EXPECT_FALSE(made.alike);
    ASSERT_FALSE(made.shifts.empty());
    EXPECT_EQ(made.shifts.front().quantity.pattern(), "spilled bytes per thread");
    EXPECT_EQ(made.shifts.front().now, 2600);
    // A few are no second half of a sentence about something else.
    now.steps.front().code = {.spill_store_bytes = 32, .spill_load_bytes = 32};
    InstructionCounts fewer = counts;
    fewer.global_load.sectors = 1000;
    EXPECT_FALSE(reasons(now, figures(fewer, Part::memory, 0.5)).against);
    const Reasons better = reasons(figures(fewer, Part::memory, 0.5), now);
    ASSERT_FALSE(better.shifts.empty());
    EXPECT_EQ(better.shifts.front().quantity.pattern(), "load {}");
}

TEST(Words, AFigureAndItsUnitStayOnOneLine) {
    const std::string_view tip = "theoretical occupancy 60 %, block 32 × 4\nor 8 x 8, an x or so";
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < tip.size();) {
        const std::size_t end = end_of_word(tip, at);
        words.push_back(tip.substr(at, end - at));
        at = end + 1;
    }
    const std::vector<std::string_view> expected{"theoretical", "occupancy", "60 %,", "block", "32 × 4", "or",
                                                 "8 x 8,",      "an",        "x",     "or",    "so"};
    EXPECT_EQ(words, expected);
}

TEST(Words, WhatIsComputedOnIsAPictureOrASize) {
    begin_frame_texts();
    Snapshot snapshot;
    snapshot.input_name = "scene";
    snapshot.work = work_of("filters", 3);
    EXPECT_EQ(input_text(snapshot), "scene");
    snapshot.work = work_of("transpose", 3);
    snapshot.work.size = {2048, 1024};
    EXPECT_EQ(input_text(snapshot), "2048 × 1024") << "as blocks are written beside it";
}

TEST(Words, FiguresHaveTheDigitsThatMatter) {
    begin_frame_texts();
    EXPECT_EQ(speedup_text(76.4), "76");
    EXPECT_EQ(speedup_text(1.256), "1.26");
    EXPECT_EQ(speedup_text(0.29), "0.29");
    EXPECT_EQ(speedup_text(0.0168), "0.017");
    EXPECT_EQ(figure_text(10), "10") << "rows are whole";
    EXPECT_EQ(part_text(0.12345), "12.3");
    EXPECT_EQ(part_text(1e-6), "< 0.1") << "some are";
    EXPECT_EQ(part_text(9976351 / 9980928.0), "> 99.9") << "some are not";
    EXPECT_EQ(part_text(1), "100.0");
    EXPECT_EQ(figure_text(9.9986), "10.0");
    EXPECT_EQ(moved_words(1, {8, 6}), say("warp.sectors.one"));
    EXPECT_EQ(moved_words(4, {8, 6}), say("warp.sectors", 4));
    EXPECT_EQ(moved_words(4, {1, 3}), say("warp.transactions", 4));
}

TEST(Words, ATimeIsOfAKernelOrOfAPipeline) {
    begin_frame_texts();
    EXPECT_EQ(time_title(lab_named("filters"), true), say("chart.micro"));
    EXPECT_EQ(time_title(lab_named("banks"), true), say("chart.kernel.micro"));
    EXPECT_EQ(time_title(lab_named("texture"), false), say("chart.kernel.milli"))
        << "one of several in each version";
}

}  // namespace
}  // namespace ws
