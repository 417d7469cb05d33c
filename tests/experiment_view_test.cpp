// The page of an experiment: everything fits, and nothing moves, whatever was found out.

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

}  // namespace
}  // namespace ws
