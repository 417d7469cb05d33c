// Little's law: what is in flight and what it reaches, the line that no estimate may exceed, and how many
// threads hide a latency, as the lecture has it.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/analysis/model_session.h"
#include "gpu/analysis/profiles.h"
#include "gpu/engine/version_figures.h"
#include "gpu/labs/latency/latency.h"
#include "gpu/labs/littles_law/littles_law.h"
#include "gpu/labs/under_roof.h"
#include "tests/compiled_kernels.h"
#include "tests/made_figures.h"
#include "tests/outcomes.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

// Columns of the table.
enum Column : std::size_t { kIlp = 1, kWarpColumn, kTime, kReached, kInFlight, kOfTheLaw };

ControlValues values_of(const std::string& what, int warps, int each) {
    return {value_of(littles_law::experiment().controls.front(), what), warps, each};
}

Outcome run_on(const char* gpu, const ControlValues& values, VersionFigures& figures) {
    const std::unique_ptr<DeviceSession> session = make_model_session(GpuTable().named(gpu), 1);
    return littles_law::experiment().run({.session = *session, .values = values, .versions = &figures});
}

Outcome littles_run(const std::string& what, int each = 4) {
    MadeFigures figures;
    return run_on("H200", values_of(what, 4, each), figures);
}

// Counted and estimated, with kernels that are compiled.
Outcome run_counted(const char* gpu, const ControlValues& values) {
    SessionOptions options;
    options.cache_folder = testing::compiled_kernels();
    const std::unique_ptr<DeviceSession> session = make_model_session(GpuTable().named(gpu), 1);
    const std::unique_ptr<VersionFigures> figures = make_version_figures(options, session->facts());
    return littles_law::experiment().run({.session = *session, .values = values, .versions = figures.get()});
}

const ResultTable& rows_of(const Outcome& outcome) {
    return outcome.tables.front();
}
std::string word(const ResultTable& table, std::size_t row, std::size_t column) {
    return english(std::get<Message>(table.rows.at(row).at(column)));
}
std::optional<std::size_t> row_of(const ResultTable& table, const std::string& version, int ilp) {
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        if (name_of_row(table, row) == version && word(table, row, kIlp) == std::to_string(ilp)) return row;
    }
    return std::nullopt;
}

TEST(LittlesLaw, InFlightAreWarpsTimesLoadsTimesBytes) {
    const Outcome outcome = littles_run("words");
    const ResultTable& table = rows_of(outcome);
    // 550 clocks at 1980 MHz, on 132 multiprocessors.
    const double per_byte = 132 * 1980e6 / 550 / 1e9;
    for (const int ilp : {1, 4, 8}) {
        const std::optional<std::size_t> row = row_of(table, "V4", ilp);
        ASSERT_TRUE(row) << ilp;
        const double in_flight = MadeFigures::kWarps * ilp * 128.0;
        EXPECT_NEAR(cell(table, *row, kInFlight), in_flight / 1024, 1e-9) << "KiB";
        const double reached = MadeFigures::kLeastBytes / (MadeFigures::ms(4) * 1e-3) / 1e9;
        EXPECT_NEAR(cell(table, *row, kReached), reached, 1e-9) << "GB/s";
        EXPECT_NEAR(cell(table, *row, kOfTheLaw), 100 * reached / (in_flight * per_byte), 1e-9);
    }
    EXPECT_EQ(kind_of(table, Kind::measured), Kind::estimated);
}

TEST(LittlesLaw, ChainsAreCountedByClock) {
    const Outcome outcome = littles_run("chains");
    const ResultTable& table = rows_of(outcome);
    const std::optional<std::size_t> row = row_of(table, "V9", 3);
    ASSERT_TRUE(row);
    EXPECT_EQ(cell(table, *row, kInFlight), MadeFigures::kWarps * 32 * 3);
    const double clocks = MadeFigures::ms(9) * 1e-3 * 1980e6;
    const double per_clock = MadeFigures::operations(9) / 2 / clocks / 132;
    EXPECT_NEAR(cell(table, *row, kReached), per_clock, 1e-9);
    EXPECT_NEAR(cell(table, *row, kOfTheLaw), 100 * per_clock / (MadeFigures::kWarps * 32 * 3 / 4.0), 1e-9);
}

TEST(LittlesLaw, TheLineEndsUnderTheRoof) {
    for (const char* what : {"words", "wide", "chains"}) {
        const Outcome outcome = littles_run(what);
        ASSERT_EQ(outcome.plots.size(), 1u);
        const ResultPlot& plot = outcome.plots.front();
        EXPECT_TRUE(plot.x.logarithmic && plot.y.logarithmic);
        std::vector<const PlotSeries*> limits;
        std::size_t points = 0;
        for (const PlotSeries& series : plot.series) {
            if (series.limit)
                limits.push_back(&series);
            else
                points += series.points.size();
        }
        EXPECT_EQ(points, rows_of(outcome).rows.size()) << "all that is in the table";
        ASSERT_EQ(limits.size(), 2u);
        const PlotPoint begin = limits[0]->points.front();
        const PlotPoint ridge = limits[0]->points.back();
        EXPECT_NEAR(ridge.y / ridge.x, begin.y / begin.x, 1e-9) << "a line through 0";
        EXPECT_EQ(ridge.x, limits[1]->points.front().x);
        EXPECT_EQ(ridge.y, limits[1]->points.back().y);
    }
}

TEST(LittlesLaw, WhatIsSetIsHighlighted) {
    const auto chosen = [](const Outcome& outcome) {
        for (const PlotSeries& series : outcome.plots.front().series) {
            if (series.chosen) return english(series.name);
        }
        return std::string();
    };
    EXPECT_EQ(chosen(littles_run("words", 3)), "V4, ILP 3");
    EXPECT_EQ(chosen(littles_run("wide", 8)), "V5, ILP 8");
    EXPECT_EQ(chosen(littles_run("chains", 1)), "V9, ILP 1");
    EXPECT_EQ(english(littles_run("wide", 8).headline).find("V5: "), 0u);
}

TEST(LittlesLaw, WhatHasNoPlaceIsNamed) {
    class Unread final : public VersionFigures {
      public:
        [[nodiscard]] WorkFigures figures(const Work& work) override {
            WorkFigures made = made_.figures(work);
            if (work.version == 4) made.steps.front().code.loads_in_flight = 0;
            if (work.version == 5) made.steps.front().occupancy.reset();
            if (work.version == 1) made.problem = Message("it is not to be launched");
            return made;
        }

      private:
        MadeFigures made_;
    } unread;
    const Outcome outcome = run_on("H200", values_of("words", 4, 4), unread);
    const ResultTable* missing = table_named(outcome, "without a place");
    ASSERT_TRUE(missing);
    EXPECT_EQ(missing->rows.size(), 17u);
    for (std::size_t row = 0; row < missing->rows.size(); ++row) {
        const std::string name = name_of_row(*missing, row);
        EXPECT_EQ(word(*missing, row, 1), name == "V4"   ? "what its machine code has in flight is not known"
                                          : name == "V5" ? "its occupancy is not known"
                                                         : "it is not to be launched");
    }
    EXPECT_EQ(english(outcome.headline).find("V2: "), 0u) << "what is there";
}

// 24 clocks at 8 and at 32 lanes; 4 clocks at 128.
TEST(LittlesLaw, ThreadsThatHideALatencyAreTheLectures) {
    GpuProfile fermi = GpuTable().named("GTX 560 Ti");
    fermi.limits.capability = {2, 0};
    const GpuTable table;
    for (const auto& [gpu, threads] :
         {std::pair{table.named("GTX 280"), 192}, {fermi, 768}, {table.named("H200"), 512}}) {
        MadeFigures figures;
        const std::unique_ptr<DeviceSession> session = make_model_session(gpu, 1);
        const Outcome outcome = littles_law::experiment().run(
            {.session = *session, .values = values_of("chains", 4, 4), .versions = &figures});
        EXPECT_EQ(outcome.plots.front().series.back().points.front().x, threads) << gpu.name;
    }
    const std::vector<QuotedFigure>& quoted = littles_law::experiment().figures;
    EXPECT_EQ(quoted.front().value, 192);
    EXPECT_EQ(quoted.back().value, 768);
}

TEST(LittlesLaw, FewWarpsLieOnTheLine) {
    WS_NEED_COMPILER();
    // A GPU whose memory is full with few bytes in flight has other bounds near; of several loads the slowest
    // is waited for.
    for (const auto& [gpu, least] : {std::pair{"GTX 280", 65}, {"RTX 3060", 75}, {"H200", 80}}) {
        const Outcome outcome = run_counted(gpu, values_of("words", 4, 4));
        const ResultTable& table = rows_of(outcome);
        EXPECT_FALSE(table_named(outcome, "without a place")) << gpu;
        // The clock of a multiprocessor has latencies of its own, near the line's.
        for (std::size_t row = 0; row < table.rows.size(); ++row)
            EXPECT_LE(cell(table, row, kOfTheLaw), 115) << gpu << " " << name_of_row(table, row);
        for (const int ilp : {1, 2}) {
            const std::optional<std::size_t> few = row_of(table, "V4", ilp);
            ASSERT_TRUE(few);
            EXPECT_EQ(word(table, *few, kWarpColumn), "4");
            EXPECT_NEAR(cell(table, *few, kInFlight), 4 * ilp * 128 / 1024.0, 1e-9);
            EXPECT_GT(cell(table, *few, kOfTheLaw), least) << gpu;
        }
        const std::optional<std::size_t> wide = row_of(table, "V5", 4);
        ASSERT_TRUE(wide);
        EXPECT_NEAR(cell(table, *wide, kInFlight), 4 * 4 * 512 / 1024.0, 1e-9);
    }
}

TEST(LittlesLaw, AsManyWarpsAreResidentAsAreSet) {
    WS_NEED_COMPILER();
    for (const int warps : {4, 8, 16}) {
        const Outcome outcome = run_counted("H200", values_of("chains", warps, 4));
        const ResultTable& table = rows_of(outcome);
        const std::optional<std::size_t> row = row_of(table, "V9", 4);
        ASSERT_TRUE(row);
        EXPECT_EQ(word(table, *row, kWarpColumn), std::to_string(warps));
        EXPECT_EQ(cell(table, *row, kInFlight), warps * 32 * 4);
        for (std::size_t i = 0; i < table.rows.size(); ++i)
            EXPECT_LE(cell(table, i, kOfTheLaw), 100) << name_of_row(table, i) << " " << word(table, i, kIlp);
    }
}

}  // namespace
}  // namespace ws
