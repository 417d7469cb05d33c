#include "app/cli/lab_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/commands.h"
#include "app/cli/experiment_command.h"
#include "app/cli/experiment_report.h"
#include "app/cli/json_report.h"
#include "app/cli/sweep_command.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

using Json = nlohmann::ordered_json;

void list_labs(const Options& options) {
    if (options.json) {
        Json list = Json::array();
        for (const Lab* lab : labs()) list.push_back(lab_json(*lab));
        for (const Experiment* experiment : experiments()) list.push_back(experiment_json(*experiment));
        print_json(list);
        return;
    }
    std::size_t wide = 0;
    for (const Lab* lab : labs()) wide = std::max(wide, lab->id.size() + 2);
    for (const Experiment* experiment : experiments()) wide = std::max(wide, experiment->id.size() + 2);
    for (const Lab* lab : labs())
        fmt::print("{:<{}}{}, V{} to V{}\n{:<{}}{}\n", lab->id, wide, lab->title,
                   lab->versions.front().number, lab->versions.back().number, "", wide, lab->question);
    for (const Experiment* experiment : experiments())
        fmt::print("{:<{}}{}, an experiment\n{:<{}}{}\n", experiment->id, wide, experiment->title, "", wide,
                   experiment->question);
}

void describe(const Options& options) {
    const Lab& lab = *options.lab;
    if (options.json) {
        print_json(lab_json(lab));
        return;
    }
    fmt::print("{}\n{}\n\n", lab.title, lab.question);
    versions_command(options);
    std::string views;
    for (const View& view : lab.views) views += (views.empty() ? "" : ", ") + std::string(view.name);
    fmt::print("\nto show (--show): {}\n", views);
    for (const PublishedFigure& figure : lab.figures) {
        std::string knobs;
        for (const auto& [name, value] : figure.knobs) knobs += fmt::format(", {}={}", name, value);
        fmt::print("V{}{}: {} {}, {}, at {} x {} on a {} ({})\n", figure.version, knobs, figure.value,
                   unit_of(figure.quantity), name_of(figure.quantity), figure.size.width, figure.size.height,
                   figure.gpu, figure.source);
    }
}

}  // namespace

int lab_command(const Options& options) {
    if (!options.csv.empty() && options.sweep.axes.empty())
        throw UsageError("--csv is the table of a sweep", "", "add --sweep AXIS");
    if (options.experiment) return experiment_command(options);
    if (options.lists_labs) {
        list_labs(options);
    } else if (!options.sweep.axes.empty()) {
        return sweep_command(options);
    } else if (options.version) {
        run_command(options);
    } else {
        describe(options);
    }
    return 0;
}

}  // namespace ws
