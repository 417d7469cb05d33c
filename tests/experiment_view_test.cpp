// The page of an experiment: everything fits, and nothing moves, whatever was found out.

#include <algorithm>
#include <array>

#include "gpu/analysis/model_session.h"
#include "gpu/analysis/profiles.h"
#include "tests/made_figures.h"
#include "tests/walked_views.h"

namespace ws {
namespace {

// An experiment as it was found out on a model, its pages one after the other; and what stands there before.
ExperimentScene scene_of(const Experiment& experiment, const ControlValues& values) {
    ExperimentScene scene;
    scene.experiment = &experiment;
    scene.values = scene.ran = values;
    const std::unique_ptr<DeviceSession> session = make_model_session(GpuTable().named("H200"), 2);
    int axis = int(experiment.controls.size()) - 1;
    while (axis >= 0 && !experiment.controls[std::size_t(axis)].axis) --axis;
    MadeFigures versions;
    scene.outcome =
        experiment.run({.session = *session, .values = scene.values, .axis = axis, .versions = &versions});
    return scene;
}

TEST_F(Views, ExperimentsFitAndStayInTheirPlaces) {
    Work work = first_work(*labs().front());
    work.device = DeviceKind::simt;
    engine().prepare(work);
    const Snapshot snapshot = engine().snapshot();
    for (const Experiment* experiment : experiments()) {
        const ExperimentScene found = scene_of(*experiment, first_values(*experiment));
        ControlValues first_choices = first_values(*experiment);
        for (std::size_t i = 0; i < first_choices.size(); ++i) {
            const Control& control = experiment->controls[i];
            if (std::holds_alternative<ChoiceControl>(control.takes)) first_choices[i] = low_of(control);
        }
        const ExperimentScene most = scene_of(*experiment, first_choices);
        ExperimentScene empty = found;
        empty.outcome.reset();
        ExperimentScene failed = empty;
        failed.problem = "the cuda device is not available: CUDA finds no GPU: use --device auto";
        ExperimentScene running = found;
        running.running = running.stale = true;
        running.done = 137;
        running.total = 396;
        ExperimentScene wrong = found;
        wrong.outcome->wrong = true;
        ExperimentScene highest = found;
        for (std::size_t i = 0; i < highest.values.size(); ++i)
            highest.values[i] = high_of(experiment->controls[i]);
        const std::array<const ExperimentScene*, 7> scenes{&found, &empty,   &failed, &running,
                                                           &wrong, &highest, &most};
        for (const Theme theme : {Theme::light, Theme::dark}) {
            for (const Extent size : kSizes) {
                std::vector<std::pair<std::string, Box>> places;
                for (const ExperimentScene* scene : scenes) {
                    for (int page = 0; page < experiment_pages(*scene); ++page) {
                        ViewState view = view_of(theme, Tab::story);
                        view.page = page;
                        experiment_ = scene;
                        const Drawing& drawing = draw(snapshot, view, size);
                        walk(drawing, theme, size,
                             fmt::format("{} page {} {}x{}", experiment->id, page, size.width, size.height));
                        if (places.empty()) places = slots_in(drawing);
                        EXPECT_EQ(slots_in(drawing), places) << experiment->id << " page " << page;
                    }
                }
                EXPECT_GE(places.size(), 5u);
            }
        }
    }
}

const Snapshot& some_snapshot() {
    Work work = first_work(*labs().front());
    work.device = DeviceKind::simt;
    engine().prepare(work);
    static Snapshot made;
    return made = engine().snapshot();
}

bool shows(const Drawing& drawing, std::string_view words, Ink ink) {
    return std::any_of(drawing.texts.begin(), drawing.texts.end(),
                       [&](const DrawnText& text) { return text.ink == ink && text.text == words; });
}

TEST_F(Views, AnAxisOfGpusHasNoPartsOfThem) {
    const Experiment* gpus = experiment_named("several-gpus");
    ExperimentScene scene = scene_of(*gpus, first_values(*gpus));
    ResultPlot plot;
    plot.x.title = plot.y.title = Message("GPUs");
    PlotSeries series;
    series.points = {{.x = 1, .y = 1}, {.x = 2, .y = 2}, {.x = 4, .y = 3}};
    plot.series = {series};
    scene.outcome->plots = {plot};
    experiment_ = &scene;
    const Drawing& drawing = draw(some_snapshot(), view_of(Theme::dark, Tab::story), {1280, 720});
    for (const char* number : {"1", "2", "3", "4"}) EXPECT_TRUE(shows(drawing, number, Ink::dim)) << number;
    for (const char* part : {"1.75", "2.5", "3.25"}) EXPECT_FALSE(shows(drawing, part, Ink::dim)) << part;
}

TEST_F(Views, TheChosenPointHasItsNameAmongHowManyOthers) {
    const Experiment* roofline = experiment_named("roofline");
    ExperimentScene scene = scene_of(*roofline, first_values(*roofline));
    ASSERT_FALSE(scene.outcome->plots.empty());
    std::vector<PlotSeries>& series = scene.outcome->plots.front().series;
    const auto chosen =
        std::find_if(series.begin(), series.end(), [](const PlotSeries& one) { return one.chosen; });
    ASSERT_NE(chosen, series.end());
    ASSERT_EQ(chosen->points.size(), 1u);
    const PlotPoint point = chosen->points.front();
    const auto others = std::find_if(series.begin(), series.end(),
                                     [](const PlotSeries& one) { return one.scattered && !one.chosen; });
    ASSERT_NE(others, series.end());
    PlotPoint other = point;
    other.name.clear();
    for (int i = 0; i < 300; ++i) {
        other.y = point.y * (0.9 + 0.2 * i / 300);
        other.x = point.x * (0.9 + 0.2 * (i % 20) / 20);
        others->points.push_back(other);
    }
    experiment_ = &scene;
    const Drawing& drawing = draw(some_snapshot(), view_of(Theme::dark, Tab::story), {1280, 720});
    EXPECT_TRUE(shows(drawing, point.name, Ink::now)) << point.name;
}

}  // namespace
}  // namespace ws
