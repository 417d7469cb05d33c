// Which clocks of a timeline are seen, and what is issued in them.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "app/views/latency_parts.h"
#include "tests/made_clock.h"

namespace ws {
namespace {

TEST(Clocks, StayWithinWhatThereIs) {
    const ChosenClock clock = few_and_many(4000);
    LatencyPage page;
    EXPECT_EQ(all_clocks(clock), 4000);
    EXPECT_EQ(seen_clocks(page, clock).from, 0);
    EXPECT_LT(seen_clocks(page, clock).clocks, 4000) << "a single issue is to be seen";
    // Blocks come one after the other: what is seen begins where the last one has come.
    const auto late = std::make_shared<ClockedKernel>(*clock.many);
    late->timeline.rows[5].spans = {{1234, 4000, WarpState::memory, 0}};
    EXPECT_EQ(seen_clocks(page, {clock.few, late, false, {}}).from, 1234);
    page.from = 3900;
    page.clocks = 500;
    EXPECT_EQ(seen_clocks(page, clock), (SeenClocks{3500, 500}));
    page.clocks = 1;
    EXPECT_EQ(seen_clocks(page, clock).clocks, kFewestClocks);
    EXPECT_EQ(seen_clocks(page, few_and_many(10)), (SeenClocks{0, 10})) << "a short one is seen whole";
    EXPECT_EQ(seen_clocks(page, {}).clocks, 1) << "none is none";
    const SeenClocks range{1000, 400};
    for (const double around : {1000.0, 1100.0, 1399.0}) {
        const SeenClocks closer = zoomed(range, around, 2, 4000);
        EXPECT_EQ(closer.clocks, 200);
        EXPECT_DOUBLE_EQ((around - closer.from) / closer.clocks, (around - range.from) / range.clocks)
            << "the pointer stays where it is";
    }
    EXPECT_EQ(zoomed(range, 1200, 1e-6, 4000), (SeenClocks{0, 4000}));
    EXPECT_EQ(zoomed(range, 1200, 1e6, 4000).clocks, kFewestClocks);
    EXPECT_EQ(panned(range, -5000, 4000), (SeenClocks{0, 400}));
    EXPECT_EQ(panned(range, 5000, 4000), (SeenClocks{3600, 400}));
}

// Against all spans, one after the other.
TEST(Clocks, FindWhatIsIssued) {
    const auto kernel = made_clock({.blocks = 5, .clocks = 700});
    const WarpTimeline& timeline = kernel->timeline;
    int empty = 0;
    for (int clock = 0; clock < 700; ++clock) {
        int warp = -1;
        int instruction = -1;
        std::int64_t latest = -1;
        for (std::size_t row = 0; row < timeline.rows.size(); ++row) {
            const TimelineSpan* found = nullptr;
            for (const TimelineSpan& span : timeline.rows[row].spans) {
                if (span.from <= clock && clock < span.until) found = &span;
                const std::int64_t last = std::min<std::int64_t>(span.until - 1, clock);
                if (span.state != WarpState::issuing || span.from > clock || last <= latest) continue;
                latest = last;
                warp = int(row);
                instruction = span.instruction;
            }
            EXPECT_EQ(span_at(timeline.rows[row], clock + 0.5), found);
        }
        const std::optional<IssuedAt> issued = issued_at(timeline, clock);
        ASSERT_EQ(issued.has_value(), warp >= 0);
        if (!issued) continue;
        EXPECT_EQ(issued->warp, warp) << clock;
        EXPECT_EQ(issued->instruction, instruction) << clock;
        EXPECT_EQ(issued->in_clock, latest == clock) << clock;
        empty += !issued->in_clock;
    }
    EXPECT_GT(empty, 0);
    EXPECT_LT(empty, 700);
}

TEST(Clocks, LinesOfASourceAreFound) {
    EXPECT_EQ(line_text("a\n  b c\n\tlast", 1), "a");
    EXPECT_EQ(line_text("a\n  b c\n\tlast", 2), "b c");
    EXPECT_EQ(line_text("a\n  b c\n\tlast", 3), "last");
    EXPECT_EQ(line_text("a\n\nb", 2), "");
    EXPECT_EQ(line_text("a", 2), "");
    EXPECT_EQ(line_text("a", 0), "");
}

}  // namespace
}  // namespace ws
