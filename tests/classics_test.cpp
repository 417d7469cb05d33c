// The classics of bench/classics: each is defined, on sizes that are a multiple of nothing.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "classic_launches.h"
#include "simt_support.h"

namespace ws {
namespace {

TEST(Classics, AreDefinedOnOddSizes) {
    WS_NEED_COMPILER();
    const std::vector<classics::Classic> all = classics::classics(classics::Size::odd);
    EXPECT_GT(all.size(), 90u);
    for (const classics::Classic& classic : all) {
        testing::ClassicLaunch launch(classic);
        simt::LaunchOptions options;
        options.check = true;
        const simt::LaunchOutcome outcome = launch.staged.gpu.launch(launch.staged.launch, options);
        EXPECT_FALSE(outcome.stopped) << classic.name;
        for (const Finding& finding : outcome.counters.findings)
            ADD_FAILURE() << classic.name << ": " << finding.message;
    }
}

// A name stands for one launch, and both sizes have the same.
TEST(Classics, HaveNamesOfTheirOwn) {
    const auto measured = classics::classics(classics::Size::measured);
    const auto odd = classics::classics(classics::Size::odd);
    ASSERT_EQ(measured.size(), odd.size());
    for (std::size_t i = 0; i < odd.size(); ++i) {
        EXPECT_EQ(measured[i].name, odd[i].name);
        for (std::size_t k = 0; k < i; ++k) EXPECT_NE(odd[i].name, odd[k].name);
    }
}

}  // namespace
}  // namespace ws
