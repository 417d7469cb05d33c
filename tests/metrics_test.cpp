// Two experiments on what could be reached: peaks and clocks of a GPU, and Amdahl's law.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <variant>

#include "gpu/analysis/model_session.h"
#include "gpu/analysis/profiles.h"
#include "gpu/core/experiment.h"
#include "gpu/core/peak.h"
#include "gpu/labs/amdahl/amdahl.h"
#include "gpu/labs/metrics/metrics.h"
#include "tests/outcomes.h"

namespace ws {
namespace {

Outcome run_metrics(const std::string& gpu) {
    const Experiment& experiment = metrics::experiment();
    const std::unique_ptr<DeviceSession> session = make_model_session(GpuTable().named(gpu), 1);
    return experiment.run({.session = *session, .values = first_values(experiment)});
}

TEST(Metrics, PeaksAreTheLecturesAndTheTables) {
    const GpuTable table;
    for (const GpuProfile& gpu : table.gpus()) {
        EXPECT_NEAR(peak_bandwidth_gb_s(gpu), gpu.bandwidth_gb_s, 0.001 * gpu.bandwidth_gb_s) << gpu.name;
    }
    // The lecture's float operations per clock.
    for (const auto& [major, minor, lanes] :
         {std::tuple{1, 0, 8}, {1, 3, 8}, {2, 0, 32}, {2, 1, 48}, {3, 0, 192}, {3, 5, 192}})
        EXPECT_EQ(fp32_lanes({major, minor}), lanes);
    // 1.107 GHz x 2 x 512 / 8: the lecture cuts what it has to round.
    EXPECT_NEAR(peak_bandwidth_gb_s(table.named("GTX 280")), 141.6, 0.1);
    EXPECT_EQ(peak_bandwidth_gb_s({}), 0);
    EXPECT_EQ(peak_gflop_s({}), 0);
    const Outcome outcome = run_metrics("H200");
    EXPECT_NEAR(cell(outcome.tables.at(1), 0, 2), 4916.7, 0.1);
    EXPECT_NEAR(cell(outcome.tables.at(1), 1, 2), 141.6, 0.1) << "the lecture's GPU beside it";
    EXPECT_NEAR(cell(outcome.tables.at(2), 0, 2), 132 * 128 * 2 * 1.98e-3, 1e-4);
    EXPECT_EQ(run_metrics("GTX 280").tables.at(1).rows.size(), 1u);
}

TEST(Metrics, AClockThatDoesNotWaitTellsNoRate) {
    for (const char* gpu : {"GTX 280", "RTX 3060", "H200"}) {
        const Outcome outcome = run_metrics(gpu);
        const ResultTable& clocks = outcome.tables.front();
        EXPECT_FALSE(std::holds_alternative<TableFigure>(clocks.rows.at(0).at(2)));
        EXPECT_LT(cell(clocks, 0, 1), cell(clocks, 2, 1)) << "the calls come back before the copy is done";
        EXPECT_GE(cell(clocks, 1, 1), cell(clocks, 2, 1)) << "the host waits for all of it";
        // Each byte is read and written.
        EXPECT_NEAR(cell(clocks, 2, 2), 2 * double(1 << 26) / cell(clocks, 2, 1) / 1e6, 1e-6);
        EXPECT_LE(cell(clocks, 2, 3), 100);
    }
}

// ---- Amdahl

TEST(Amdahl, IsTheLaw) {
    EXPECT_DOUBLE_EQ(amdahl::speedup(0, 1000), 1);
    EXPECT_DOUBLE_EQ(amdahl::speedup(1, 1000), 1000);
    EXPECT_DOUBLE_EQ(amdahl::speedup(0.5, 2), 4.0 / 3);
    EXPECT_NEAR(amdahl::speedup(0.95, 1e9), 20, 1e-6);
    const Experiment& law = amdahl::experiment();
    const std::unique_ptr<DeviceSession> session = make_model_session(GpuTable().named("H200"), 1);
    for (const std::int64_t share : {0, 1, 50, 75, 99, 100}) {
        for (const std::int64_t processors : {1, 3, 65536}) {
            const Outcome outcome = law.run({.session = *session, .values = {share, processors}, .axis = 1});
            EXPECT_NEAR(cell(outcome.tables.front(), 0, 2),
                        amdahl::speedup(double(share) / 100, double(processors)), 1e-9);
            ASSERT_EQ(outcome.plots.size(), 1u);
            const ResultPlot& plot = outcome.plots.front();
            EXPECT_EQ(std::count_if(plot.series.begin(), plot.series.end(),
                                    [](const PlotSeries& series) { return series.limit; }),
                      share < 100 ? 1 : 0);
            EXPECT_EQ(plot.series.front().points.size(), 17u);
            std::set<std::string> names;
            for (const PlotSeries& series : plot.series)
                EXPECT_TRUE(names.insert(english(series.name)).second) << english(series.name);
        }
    }
}

}  // namespace
}  // namespace ws
