#include "app/window/experiment_runner.h"

#include <utility>

namespace ws {
namespace {

int first_axis(const Experiment& experiment) {
    for (std::size_t i = 0; i < experiment.controls.size(); ++i) {
        if (experiment.controls[i].axis) return int(i);
    }
    return -1;
}

// Of those that the window asks for.
bool same(const SessionOptions& a, const SessionOptions& b) {
    return a.device == b.device && a.cuda_gpu == b.cuda_gpu && a.gpu == b.gpu &&
           a.kernel_folder == b.kernel_folder;
}

}  // namespace

void ExperimentRunner::show(const Experiment* experiment, const SessionOptions& options) {
    stop_.request_stop();
    discard_ = busy();
    scene_ = {};
    scene_.experiment = experiment;
    again_ = experiment != nullptr;
    if (!experiment) return;
    scene_.values = first_values(*experiment);
    options_ = options;
    known_ = options.kernel_folder.empty() ? std::make_shared<CountedVersions>() : nullptr;
}

void ExperimentRunner::show(const Experiment* experiment, const SessionOptions& options,
                            const ControlValues& values) {
    if (experiment != scene_.experiment || !same(options, options_)) show(experiment, options);
    set_all(values);
    const bool under_way = scene_.running && !stop_.stop_requested();
    const bool ended = !scene_.running && scene_.outcome && scene_.outcome->complete;
    again_ = !(under_way || ended) || scene_.ran != scene_.values || !scene_.problem.empty();
    if (!again_) {
        scene_.stale = scene_.stale && !ended;
        return;
    }
    if (!scene_.running) return;
    stop_.request_stop();
    discard_ = true;
    scene_.running = false;
    scene_.ran.clear();
}

void ExperimentRunner::set_all(const ControlValues& values) {
    for (std::size_t i = 0; i < values.size(); ++i) set(int(i), values[i]);
}

void ExperimentRunner::set(int control, std::int64_t value) {
    if (!scene_.experiment || control < 0 || std::size_t(control) >= scene_.values.size()) return;
    std::int64_t& now = scene_.values[std::size_t(control)];
    const std::int64_t wanted = fitted(scene_.experiment->controls[std::size_t(control)], value);
    if (wanted == now) return;
    now = wanted;
    scene_.stale = scene_.outcome.has_value();
    again_ = again_ || (scene_.outcome && scene_.outcome->kind != Kind::measured);
}

void ExperimentRunner::step(int control, int by) {
    if (!scene_.experiment || control < 0 || std::size_t(control) >= scene_.values.size()) return;
    const auto place = std::size_t(control);
    set(control, stepped(scene_.experiment->controls[place], scene_.values[place], by));
}

void ExperimentRunner::run() {
    if (!scene_.experiment || busy()) return;
    again_ = false;
    stop_ = {};
    progress_ = std::make_shared<Progress>();
    scene_.ran = scene_.values;
    job_ = Job<Outcome>([experiment = scene_.experiment, values = scene_.values, options = options_,
                         known = known_, progress = progress_,
                         stop = stop_](const std::stop_token& quit) mutable {
        const std::stop_callback both(quit, [&stop] { stop.request_stop(); });
        options.least_gpus = experiment->least_gpus;
        const OpenedSession opened = open_session(options);
        const std::unique_ptr<VersionFigures> versions =
            make_version_figures(options, opened.session->facts(), known);
        Outcome outcome = experiment->run({.session = *opened.session,
                                           .values = values,
                                           .axis = first_axis(*experiment),
                                           .stop = stop.get_token(),
                                           .progress =
                                               [&](int done, int total) {
                                                   progress->done = done;
                                                   progress->total = total;
                                               },
                                           .versions = versions.get()});
        outcome.notes.insert(outcome.notes.begin(), opened.reason);
        return outcome;
    });
    scene_.running = true;
}

void ExperimentRunner::update() {
    if (progress_ && !discard_) {
        scene_.done = progress_->done;
        scene_.total = progress_->total;
    }
    std::optional<Result<Outcome>> ended = job_.poll();
    if (ended && discard_) {
        discard_ = false;
    } else if (ended) {
        scene_.running = false;
        scene_.problem.clear();
        if (ended->ok())
            scene_.outcome = std::move(ended->value());
        else
            scene_.problem = ended->message();
        scene_.stale = scene_.outcome && (!ended->ok() || scene_.ran != scene_.values);
    }
    if (again_ && !busy()) run();
}

}  // namespace ws
