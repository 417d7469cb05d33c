// Experiments on modelled GPUs: each is walked with all GPUs of the table, its figures checked against what
// physics allows, its controls against their bounds, and its behaviour where it is stopped.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "gpu/analysis/model_session.h"
#include "gpu/analysis/profiles.h"
#include "gpu/core/error.h"
#include "gpu/core/experiment.h"
#include "gpu/labs/labs.h"
#include "tests/made_figures.h"

namespace ws {
namespace {

// The first control that can be swept over; -1: there is none.
int axis_of(const Experiment& experiment) {
    for (std::size_t i = 0; i < experiment.controls.size(); ++i) {
        if (experiment.controls[i].axis) return int(i);
    }
    return -1;
}

// What it found out, in figures.
std::size_t figures_in(const Outcome& outcome) {
    std::size_t figures = 0;
    for (const ResultPlot& plot : outcome.plots) {
        for (const PlotSeries& series : plot.series) figures += series.points.size();
    }
    for (const ResultTable& table : outcome.tables) figures += table.rows.size();
    return figures;
}

class Experiments : public ::testing::TestWithParam<const Experiment*> {
  protected:
    const Experiment& experiment_ = *GetParam();
    MadeFigures versions_;
};

TEST_P(Experiments, HaveNamesAndControlsWithBounds) {
    EXPECT_FALSE(experiment_.id.empty());
    EXPECT_FALSE(experiment_.title.empty());
    EXPECT_FALSE(experiment_.question.empty());
    EXPECT_EQ(experiment_named(experiment_.id), &experiment_);
    EXPECT_THROW((void)lab_named(experiment_.id), UsageError) << "it is no lab of kernels";
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < experiment_.controls.size(); ++i) {
        const Control& control = experiment_.controls[i];
        EXPECT_FALSE(control.title.empty());
        EXPECT_TRUE(names.insert(control.name).second) << control.name << " is there twice";
        EXPECT_EQ(control_named(experiment_, control.name), int(i));
        EXPECT_EQ(fitted(control, control.first), control.first);
        EXPECT_EQ(fitted(control, low_of(control) - 1), low_of(control));
        EXPECT_EQ(fitted(control, high_of(control) + 1), high_of(control));
        EXPECT_LT(low_of(control), high_of(control));
        for (const std::int64_t value : places_of(control))
            EXPECT_EQ(value_of(control, text_of(control, value)), value) << control.name;
        // Steps go through all of them, both ways, and stay at the ends.
        const std::vector<std::int64_t> places = places_of(control);
        for (std::size_t k = 0; k < places.size(); ++k) {
            EXPECT_EQ(stepped(control, places[k], 1), places[std::min(k + 1, places.size() - 1)])
                << control.name;
            EXPECT_EQ(stepped(control, places[k], -1), places[k - std::min<std::size_t>(k, 1)])
                << control.name;
        }
        for (const char* text : {"", "no such", "-1", "99999999999999999999", "1e3", "0x10"})
            EXPECT_THROW((void)value_of(control, text), UsageError) << control.name << " takes " << text;
    }
    EXPECT_EQ(control_named(experiment_, "no such"), -1);
}

void expect_sound(const ResultPlot& plot, const std::string& where) {
    double limit = 0;
    for (const PlotSeries& series : plot.series) {
        if (series.limit) {
            EXPECT_EQ(series.kind, Kind::calculated);
            for (const PlotPoint& point : series.points) limit = point.y;
        }
    }
    EXPECT_GT(limit, 0) << where;
    for (const PlotSeries& series : plot.series) {
        double last_x = 0;
        double last_time = 0;
        for (const PlotPoint& point : series.points) {
            const std::string at = where + ", " + english(series.name) + " at " + std::to_string(point.x);
            EXPECT_TRUE(std::isfinite(point.x) && std::isfinite(point.y) && std::isfinite(point.spread))
                << at;
            EXPECT_GT(point.x, last_x) << at;
            EXPECT_GT(point.y, 0) << at;
            EXPECT_LE(point.y, limit) << at;
            const double time = point.x / point.y;
            EXPECT_GE(time, last_time) << at << ": more bytes take longer";
            last_x = point.x;
            last_time = time;
        }
    }
}

TEST_P(Experiments, KeepToWhatPhysicsAllowsOnEveryGpu) {
    const GpuTable table;
    for (const GpuProfile& gpu : table.gpus()) {
        for (std::size_t axis = 0; axis < experiment_.controls.size(); ++axis) {
            if (!experiment_.controls[axis].axis) continue;
            const std::unique_ptr<DeviceSession> session = make_model_session(gpu, 2);
            const Outcome outcome = experiment_.run(
                {.session = *session, .values = first_values(experiment_), .axis = int(axis)});
            EXPECT_EQ(outcome.gpu, gpu.name);
            EXPECT_TRUE(outcome.kind == Kind::estimated || outcome.kind == Kind::calculated);
            EXPECT_TRUE(outcome.complete);
            EXPECT_FALSE(outcome.wrong);
            EXPECT_FALSE(outcome.headline.empty());
            EXPECT_FALSE(outcome.plots.empty());
            for (const ResultPlot& plot : outcome.plots)
                expect_sound(plot, gpu.name + ", " + english(plot.title));
            for (const ResultTable& tabled : outcome.tables) {
                for (const auto& row : tabled.rows) EXPECT_EQ(row.size(), tabled.columns.size());
            }
            for (const Timeline& timeline : outcome.timelines) {
                for (const TimelineBar& bar : timeline.bars) {
                    EXPECT_LT(std::size_t(bar.lane), timeline.lanes.size());
                    EXPECT_GE(bar.begin_ms, 0);
                    EXPECT_GT(bar.end_ms, bar.begin_ms);
                }
            }
        }
    }
}

TEST_P(Experiments, RunWithEveryValueOfEachControl) {
    for (std::size_t i = 0; i < experiment_.controls.size(); ++i) {
        for (const std::int64_t value : places_of(experiment_.controls[i])) {
            const std::unique_ptr<DeviceSession> session = make_model_session(GpuTable().named("H200"), 2);
            ControlValues values = first_values(experiment_);
            values[i] = value;
            const Outcome outcome =
                experiment_.run({.session = *session, .values = values, .versions = &versions_});
            EXPECT_FALSE(outcome.headline.empty()) << experiment_.controls[i].name << " " << value;
            EXPECT_TRUE(outcome.plots.empty() || axis_of(experiment_) < 0) << "nothing is swept over";
        }
    }
}

TEST_P(Experiments, EndWhereTheyAreStopped) {
    const std::unique_ptr<DeviceSession> session = make_model_session(GpuTable().named("H200"), 2);
    std::stop_source stop;
    int last = 0;
    int total = 0;
    const int axis = axis_of(experiment_);
    const auto progress = [&](int done, int all) {
        EXPECT_GE(done, last);
        EXPECT_LE(done, all);
        last = done;
        total = all;
        if (done == 3) stop.request_stop();
    };
    const Outcome outcome = experiment_.run({.session = *session,
                                             .values = first_values(experiment_),
                                             .axis = axis,
                                             .stop = stop.get_token(),
                                             .progress = progress,
                                             .versions = &versions_});
    EXPECT_FALSE(outcome.complete);
    EXPECT_GT(total, 3);
    // The same without a stop finds out more.
    const Outcome whole = experiment_.run(
        {.session = *session, .values = first_values(experiment_), .axis = axis, .versions = &versions_});
    EXPECT_GT(figures_in(whole), figures_in(outcome));
}

INSTANTIATE_TEST_SUITE_P(All, Experiments, ::testing::ValuesIn(experiments().begin(), experiments().end()),
                         [](const auto& test) {
                             std::string name(test.param->id);
                             std::replace(name.begin(), name.end(), '-', '_');
                             return name;
                         });

TEST(Bytes, AreWrittenAndRead) {
    for (const auto& [text, bytes] : {std::pair{"1", 1ll},
                                      {"1000", 1000ll},
                                      {"64K", 65536ll},
                                      {"64 KiB", 65536ll},
                                      {"64kb", 65536ll},
                                      {"1G", 1ll << 30},
                                      {"3 MiB", 3ll << 20}})
        EXPECT_EQ(parse_bytes(text), bytes) << text;
    for (const char* text : {"", "K", "64X", "1.5M", "-1", "64 K B", "99999999999G", " 1"})
        EXPECT_FALSE(parse_bytes(text)) << text;
    EXPECT_EQ(bytes_text(65536), "64 KiB");
    EXPECT_EQ(bytes_text(1ll << 30), "1 GiB");
    EXPECT_EQ(bytes_text(10007), "10007 bytes");
    EXPECT_EQ(bytes_text(1), "1 byte");
}

}  // namespace
}  // namespace ws
