#include "app/cli/experiment_command.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/experiment_report.h"
#include "app/cli/json_report.h"
#include "app/cli/long_run.h"
#include "gpu/core/background.h"
#include "gpu/core/files.h"
#include "gpu/core/job.h"
#include "gpu/engine/sessions.h"
#include "gpu/engine/version_figures.h"

namespace ws {
namespace {

int axis_of(const Experiment& experiment, const std::vector<std::string>& names_given) {
    if (names_given.empty()) return -1;
    if (names_given.size() > 1) throw UsageError("an experiment is swept over one axis", "", "name one");
    const std::string& name = names_given.front();
    const int place = control_named(experiment, name);
    if (place >= 0 && experiment.controls[std::size_t(place)].axis) return place;
    std::string names;
    for (const Control& control : experiment.controls) {
        if (control.axis) names += (names.empty() ? "" : ", ") + std::string(control.name);
    }
    throw UsageError(fmt::format("'{}' is no axis of {}", name, experiment.id), "",
                     names.empty() ? "it has none" : "choose one of " + names);
}

Outcome run_experiment(const Options& options, int axis) {
    LongRun watch(1, "measurements");
    std::stop_source stop;
    const Job<Done> interrupts([&](const std::stop_token& quit) {
        while (sleep_unless_stopped(quit, std::chrono::milliseconds(20))) {
            if (watch.cancelled()) stop.request_stop();
        }
        return Done{};
    });
    SessionOptions session = session_options(options);
    session.least_gpus = options.experiment->least_gpus;
    const OpenedSession opened = open_session(session);
    const std::unique_ptr<VersionFigures> versions =
        make_version_figures(session_options(options), opened.session->facts());
    Outcome outcome = options.experiment->run({.session = *opened.session,
                                               .values = options.controls,
                                               .axis = axis,
                                               .stop = stop.get_token(),
                                               .progress =
                                                   [&](int done, int total) {
                                                       watch.expect(std::uint64_t(total));
                                                       watch.blocks_done() = std::uint64_t(done);
                                                   },
                                               .versions = versions.get()});
    outcome.gpu += " (" + opened.reason + ")";
    return outcome;
}

}  // namespace

int experiment_command(const Options& options) {
    const Experiment& experiment = *options.experiment;
    const int axis = axis_of(experiment, options.sweep.axes);
    const Outcome outcome = run_experiment(options, axis);
    if (options.json)
        print_json(outcome_json(experiment, options.controls, axis, outcome));
    else
        print_outcome(experiment, outcome);
    if (!options.csv.empty()) {
        write_file(options.csv, outcome_csv(experiment, outcome));
        if (!options.json) fmt::print("wrote {}\n", options.csv.string());
    }
    return outcome.wrong ? 1 : 0;
}

}  // namespace ws
