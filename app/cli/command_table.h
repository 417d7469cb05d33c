#pragma once
// The sub-commands with the options that each takes, and what a parser puts into their values.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/cli/options.h"

namespace CLI {
class App;
}

namespace ws {

inline constexpr const char* kFirstLab = "filters";

// What the parser fills in before it is checked.
struct RawOptions {
    std::optional<int> version;
    std::string version_text;
    std::string lab, lab_text, debug_version;
    std::string view, device, block, block_gray, block_edge, step, size, work_size, gpu, grid, blocks, zoom;
    std::vector<std::string> knobs, settings;
    bool repeats = false;
    bool no_blur = false;
    bool no_interop = false;
    bool shows_version = false;
};

struct CommandRow {
    Command command;
    const char* name;
    const char* help;
    void (*add)(CLI::App& app, Options& options, RawOptions& raw);  // its options, but for --json
};
// In the order of the help.
[[nodiscard]] std::span<const CommandRow> command_rows();
// Those of the program without a sub-command.
void add_main_options(CLI::App& app, Options& options, RawOptions& raw);
// Those that a step of a lecture takes.
void add_step_options(CLI::App& app, Options& options, RawOptions& raw);

// "0 to 17".
[[nodiscard]] std::string range_of_versions(const Lab& lab);

// From texts to values, once the command and the lab are known. Throws UsageError.
void translate(RawOptions& raw, Options& options);

}  // namespace ws
