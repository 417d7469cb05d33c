// The roofline: effective bandwidth and FLOPS of every version, its place under the roofs, and what has none.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gpu/analysis/model_session.h"
#include "gpu/analysis/profiles.h"
#include "gpu/core/error.h"
#include "gpu/core/peak.h"
#include "gpu/engine/version_figures.h"
#include "gpu/labs/labs.h"
#include "gpu/labs/matmul/matmul.h"
#include "gpu/labs/roofline/roofline.h"
#include "gpu/labs/under_roof.h"
#include "tests/compiled_kernels.h"
#include "tests/made_figures.h"
#include "tests/outcomes.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

constexpr const char* kGpu = "H200";

std::unique_ptr<DeviceSession> session_of(const char* gpu = kGpu) {
    return make_model_session(GpuTable().named(gpu), 1);
}

// `version` is highlighted.
ControlValues values_of(const std::string& lab, int version = 0) {
    const Experiment& roofline = roofline::experiment();
    return {value_of(roofline.controls.front(), lab), version};
}

Outcome roofline_run(const std::string& lab, int version = 0, const char* gpu = kGpu) {
    const std::unique_ptr<DeviceSession> session = session_of(gpu);
    MadeFigures figures;
    return roofline::experiment().run(
        {.session = *session, .values = values_of(lab, version), .versions = &figures});
}

TEST(Roofline, FiguresAreBytesAndOperationsOverTime) {
    const Outcome outcome = roofline_run("matmul");
    const ResultTable* table = table_named(outcome, "effective FLOPS");
    ASSERT_TRUE(table);
    const GpuProfile& gpu = GpuTable().named(kGpu);
    const double bandwidth = peak_bandwidth_gb_s(gpu);
    const double peak = peak_gflop_s(gpu);
    std::size_t row = 0;
    for (const Version& version : matmul::lab().versions) {
        const int n = version.number;
        if (!MadeFigures::computes(n) || !MadeFigures::timed(n)) continue;
        EXPECT_EQ(name_of_row(*table, row), "V" + std::to_string(n));
        const double ms = MadeFigures::ms(n);
        EXPECT_NEAR(cell(*table, row, 1), 1e3 * ms, 1e-6) << "µs";
        EXPECT_NEAR(cell(*table, row, 2), MadeFigures::kLeastBytes / (ms * 1e-3) / 1e9, 1e-9) << "GB/s";
        const double gflop_s = MadeFigures::operations(n) / (ms * 1e-3) / 1e9;
        EXPECT_NEAR(cell(*table, row, 3), gflop_s, 1e-9);
        const double intensity = MadeFigures::operations(n) / MadeFigures::kDeviceBytes;
        EXPECT_NEAR(cell(*table, row, 4), intensity, 1e-9);
        EXPECT_NEAR(cell(*table, row, 5), 100 * gflop_s / std::min(peak, intensity * bandwidth), 1e-9);
        ++row;
    }
    EXPECT_EQ(row, table->rows.size());
    EXPECT_EQ(kind_of(*table, Kind::measured), Kind::estimated);
}

TEST(Roofline, EveryVersionOfEveryLabIsInATable) {
    const Outcome outcome = roofline_run("all");
    std::set<std::string> names;
    for (const ResultTable& table : outcome.tables) {
        for (std::size_t row = 0; row < table.rows.size(); ++row)
            EXPECT_TRUE(names.insert(name_of_row(table, row)).second) << name_of_row(table, row);
    }
    for (const Lab* lab : labs()) {
        for (const Version& version : lab->versions)
            EXPECT_TRUE(names.contains(std::string(lab->id) + " V" + std::to_string(version.number)));
    }
}

TEST(Roofline, WhatDoesNoFlopHasNoPlaceUnderIt) {
    const Outcome outcome = roofline_run("matmul");
    const ResultTable* moving = table_named(outcome, "without FLOP");
    const ResultTable* missing = table_named(outcome, "without a time");
    ASSERT_TRUE(moving && missing);
    EXPECT_EQ(name_of_row(*moving, 0), "V3");
    const double gb_s = MadeFigures::kLeastBytes / (MadeFigures::ms(3) * 1e-3) / 1e9;
    EXPECT_NEAR(cell(*moving, 0, 2), gb_s, 1e-9);
    EXPECT_NEAR(cell(*moving, 0, 3), 100 * gb_s / peak_bandwidth_gb_s(GpuTable().named(kGpu)), 1e-9);
    EXPECT_EQ(name_of_row(*missing, 0), "V6");
    EXPECT_EQ(english(std::get<Message>(missing->rows.front().at(1))), "it is not to be launched");
    std::set<std::string> drawn;
    for (const PlotSeries& series : outcome.plots.front().series) {
        for (const PlotPoint& point : series.points) drawn.insert(point.name);
    }
    EXPECT_TRUE(drawn.contains("V2"));
    EXPECT_FALSE(drawn.contains("V3"));
    EXPECT_FALSE(drawn.contains("V6"));
    const std::string last = english(outcome.sentences.back());
    EXPECT_NE(last.find("do no floating-point operations"), std::string::npos) << last;
}

// The bandwidth's roof rises to where it meets the peak, which goes on as far as points do.
TEST(Roofline, TheRoofsMeet) {
    for (const char* gpu : {"GTX 280", "RTX 3060", "H200"}) {
        for (const char* lab : {"all", "matmul"}) {
            const Outcome outcome = roofline_run(lab, 0, gpu);
            ASSERT_EQ(outcome.plots.size(), 1u);
            const ResultPlot& plot = outcome.plots.front();
            EXPECT_TRUE(plot.x.logarithmic && plot.y.logarithmic);
            std::vector<const PlotSeries*> roofs;
            double least = 1e300;
            double most = 0;
            int chosen = 0;
            for (const PlotSeries& series : plot.series) {
                if (series.limit) {
                    roofs.push_back(&series);
                    continue;
                }
                EXPECT_TRUE(series.scattered);
                chosen += series.chosen;
                double last = 0;
                for (const PlotPoint& point : series.points) {
                    EXPECT_GE(point.x, last) << "ascending";
                    last = point.x;
                    least = std::min(least, point.x);
                    most = std::max(most, point.x);
                }
            }
            EXPECT_EQ(chosen, 1);
            ASSERT_EQ(roofs.size(), 2u);
            const GpuProfile& profile = GpuTable().named(gpu);
            const PlotPoint meeting = roofs[0]->points.back();
            EXPECT_EQ(meeting.x, roofs[1]->points.front().x);
            EXPECT_NEAR(1e3 * meeting.y, peak_gflop_s(profile), 1e-6) << "TFLOP/s";
            EXPECT_NEAR(meeting.x * peak_bandwidth_gb_s(profile), peak_gflop_s(profile), 1e-6);
            EXPECT_NEAR(1e3 * roofs[0]->points.front().y / roofs[0]->points.front().x,
                        peak_bandwidth_gb_s(profile), 1e-9);
            EXPECT_LT(roofs[0]->points.front().x, least);
            EXPECT_GT(roofs[1]->points.back().x, most);
        }
    }
}

TEST(Roofline, HighlightsTheChosenVersion) {
    const auto chosen = [](const Outcome& outcome) {
        for (const PlotSeries& series : outcome.plots.front().series) {
            if (series.chosen) return english(series.name);
        }
        return std::string();
    };
    EXPECT_EQ(chosen(roofline_run("matmul", 4)), "matmul V4");
    EXPECT_EQ(english(roofline_run("matmul", 4).headline).find("matmul V4: "), 0u);
    // Where it has no place there: the one with the most FLOPS.
    EXPECT_EQ(chosen(roofline_run("matmul", 3)), chosen(roofline_run("matmul", 6)));
    EXPECT_EQ(chosen(roofline_run("matmul", 3)), "matmul V9");
}

TEST(Roofline, SaysWhereNothingComputes) {
    class Integers final : public VersionFigures {
      public:
        [[nodiscard]] WorkFigures figures(const Work& work) override {
            MadeFigures made;
            const Lab& lab = *work.lab;
            return made.figures(own_work(lab, lab.versions.size() > 3 ? 3 : lab.versions.front().number));
        }
    } integers;
    const std::unique_ptr<DeviceSession> session = session_of();
    const Outcome outcome = roofline::experiment().run(
        {.session = *session, .values = values_of("banks"), .versions = &integers});
    EXPECT_TRUE(outcome.plots.empty());
    EXPECT_FALSE(table_named(outcome, "effective FLOPS"));
    EXPECT_EQ(english(outcome.headline), "no floating-point operations");
    EXPECT_THROW((void)roofline::experiment().run({.session = *session, .values = values_of("banks")}),
                 Error);
}

// Counted by the simulated GPU at the size that the lab begins with.
TEST(Roofline, CountsWhatTheMatrixProductAsksFor) {
    WS_NEED_COMPILER();
    const std::unique_ptr<DeviceSession> session = session_of();
    SessionOptions options;
    options.cache_folder = testing::compiled_kernels();
    const auto known = std::make_shared<CountedVersions>();
    const std::unique_ptr<VersionFigures> versions = make_version_figures(options, session->facts(), known);
    const Lab& lab = matmul::lab();
    const Extent size = lab.sizes.first;
    const WorkFigures figures = versions->figures(own_work(lab, 3));
    ASSERT_TRUE(figures.counted()) << figures.problem;
    const StepResult& step = figures.steps.front();
    const double operations = lab.native.float_operations(size);
    EXPECT_NEAR(double(step.counters->total.float_operations), operations, 1e-3 * operations);
    EXPECT_FALSE(figures.measured);
    EXPECT_EQ(step.key.gpu.name, kGpu);
    // Three matrices at least; far less than each block's own part of them.
    ASSERT_TRUE(step.estimate);
    EXPECT_GE(step.estimate->device_bytes, figures.least_bytes);
    EXPECT_LT(step.estimate->device_bytes, double(step.counters->total.global_bytes_transferred()));
    EXPECT_EQ(figures.least_bytes, 3.0 * 4 * double(size.pixels()));
    // What is known is not made again.
    ASSERT_EQ(known->size(), 1u);
    known->begin()->second.least_bytes = 1;
    EXPECT_EQ(versions->figures(own_work(lab, 3)).least_bytes, 1);
}

// Time and bytes are of the same caches: nothing is above its roof. V2's loads are mostly L1's.
TEST(Roofline, NoEstimateIsAboveItsRoof) {
    WS_NEED_COMPILER();
    const std::unique_ptr<DeviceSession> session = session_of("RTX 3060");
    SessionOptions options;
    options.cache_folder = testing::compiled_kernels();
    const std::unique_ptr<VersionFigures> versions =
        make_version_figures(options, session->facts(), std::make_shared<CountedVersions>());
    const GpuProfile& gpu = session->facts().devices.front().gpu;
    const WorkFigures figures = versions->figures(own_work(matmul::lab(), 2));
    ASSERT_TRUE(figures.counted()) << figures.problem;
    const StepResult& step = figures.steps.front();
    ASSERT_TRUE(step.estimate);
    ASSERT_TRUE(step.estimate->clocked);
    EXPECT_GE(step.estimate->moved_bytes, figures.least_bytes);
    EXPECT_LE(step.estimate->moved_bytes / step.estimate->ms / 1e6, peak_bandwidth_gb_s(gpu));
}

TEST(Roofline, FindsOutWhyThereIsNoTime) {
    WS_NEED_COMPILER();
    const std::unique_ptr<DeviceSession> session = session_of("GTX 280");
    SessionOptions options;
    options.cache_folder = testing::compiled_kernels();
    const std::unique_ptr<VersionFigures> versions = make_version_figures(options, session->facts());
    const Outcome outcome = roofline::experiment().run(
        {.session = *session, .values = values_of("reduction"), .versions = versions.get()});
    const ResultTable* missing = table_named(outcome, "without a time");
    ASSERT_TRUE(missing);
    std::set<std::string> reasons;
    for (const auto& row : missing->rows) reasons.insert(english(std::get<Message>(row.at(1))));
    EXPECT_TRUE(reasons.contains("queues of atomics are not modelled"));
    EXPECT_TRUE(std::any_of(reasons.begin(), reasons.end(), [](const std::string& reason) {
        return reason.find("needs compute capability") != std::string::npos;
    }));
    EXPECT_EQ(english(outcome.headline), "no floating-point operations");
}

}  // namespace
}  // namespace ws
