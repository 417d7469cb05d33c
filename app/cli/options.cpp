#include "app/cli/options.h"

#include <CLI/CLI.hpp>

#include <string_view>
#include <utility>

#include "app/cli/command_table.h"
#include "gpu/core/error.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

// An empty text comes from a variable of a shell script that is not set; nothing would be left out in
// silence.
void refuse_empty(const CLI::App& app) {
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& value : option->results()) {
            if (value.empty() || value == "{}")
                throw UsageError(option->get_name() + " is empty", "", "leave it out or give it a value");
        }
    }
}

// A person's file is a lab of one version: "lab FILE.cu" and "sweep FILE.cu" are "simt FILE.cu".
std::vector<const char*> words_of(int argc, const char* const* argv) {
    std::vector<const char*> words(argv, argv + argc);
    if (argc <= 2) return words;
    const std::string_view command = words[1];
    if ((command == "lab" || command == "sweep") && std::string_view(words[2]).ends_with(".cu"))
        words[1] = "simt";
    return words;
}

bool takes_experiments(Command command) {
    return command == Command::lab || command == Command::window || command == Command::picture;
}

// The command, its lab, and what follows from these two.
void choose_command(const CLI::App& app, RawOptions& raw, Options& options) {
    for (const CommandRow& row : command_rows()) {
        const CLI::App* command = app.get_subcommand(row.name);
        if (!command->parsed()) continue;
        options.command = row.command;
        const CLI::Option* repeat = command->get_option_no_throw("--repeat");
        raw.repeats = repeat && repeat->count() > 0;
    }
    if (!raw.debug_version.empty()) {
        if (!raw.lab.empty())
            throw UsageError("the lab is named twice", "", "write 'warpscope debug ID VERSION'");
        raw.lab = std::exchange(options.simt.what, raw.debug_version);
    }
    if (!raw.lab_text.empty()) raw.lab = raw.lab_text;
    if (takes_experiments(options.command)) options.experiment = experiment_named(raw.lab);
    options.lab = &lab_named(raw.lab.empty() || options.experiment ? kFirstLab : raw.lab);
    options.lists_labs = options.command == Command::lab && raw.lab_text.empty();
    if (options.command == Command::sweep && options.sweep.axes.empty()) options.sweep.axes = {"block"};
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
    Options options;
    RawOptions raw;
    CLI::App app(
        "Warpscope shows how CUDA kernels become fast: a photograph, an image filter pipeline in many "
        "versions, each with one more optimisation, with times and occupancy.\nWithout a sub-command it "
        "opens the window.",
        "warpscope");
    app.footer("\nIn the window, F1 or ? shows all keys; Ctrl q quits.");
    app.require_subcommand(0, 1);
    add_main_options(app, options, raw);
    for (const CommandRow& row : command_rows()) {
        CLI::App* command = app.add_subcommand(row.name, row.help);
        row.add(*command, options, raw);
        if (row.command == Command::debug) continue;  // a session is no JSON
        command->add_flag("--json", options.json, "print JSON; its keys are described in docs/json.md");
    }
    try {
        app.parse(argc, words_of(argc, argv).data());
    } catch (const CLI::CallForHelp&) {
        options.command = Command::help;
        options.help_text = app.help();
        return options;
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what(), "", "see 'warpscope --help'");
    }
    if (raw.shows_version) {
        options.command = Command::version;
        return options;
    }
    refuse_empty(app);
    for (const CLI::App* command : app.get_subcommands()) refuse_empty(*command);
    if (options.presenter && options.play.empty())
        throw UsageError("--presenter shows the notes of a lecture", "", "name one with --play");
    choose_command(app, raw, options);
    translate(raw, options);
    return options;
}

Options parse_step_options(const StepBase& base, const std::vector<std::string>& words) {
    Options options;
    RawOptions raw;
    CLI::App app;
    add_step_options(app, options, raw);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // as CLI11 wants them
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what());
    }
    refuse_empty(app);
    options.experiment = raw.lab.empty() ? base.experiment : experiment_named(raw.lab);
    if (options.experiment && options.experiment == base.experiment) options.controls = base.controls;
    options.lab = raw.lab.empty() || options.experiment ? &base.lab : &lab_named(raw.lab);
    translate(raw, options);
    return options;
}

}  // namespace ws
