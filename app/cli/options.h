#pragma once
// The command line as values.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/image.h"
#include "gpu/core/settings.h"
#include "gpu/engine/engine.h"

namespace ws {

enum class Command { window, run, simt, occupancy, versions, devices, kernels, picture, help, version };

// A fault that a test stages in the window; see CONTRIBUTING.md.
enum class WindowFault { none, gl_lost };

// What only the simulated GPU takes.
struct SimtOptions {
    std::string what;    // a version's number or a .cu file
    std::string kernel;  // of the file
    std::array<int, 3> grid{1, 1, 1};
    std::array<int, 3> block{32, 1, 1};
    std::vector<std::string> arguments;
    std::uint64_t shared_bytes = 0;
    int print = 0;
    std::vector<std::string> saves;
    bool sample = false;
    std::uint64_t step_limit = 60'000'000;
    double block_seconds = 8;
    bool strict = false;  // notes count as errors
};

struct Options {
    Command command = Command::window;
    std::string help_text;  // of the command, for help

    std::optional<int> version;
    std::string image;  // empty: the built-in picture
    std::optional<View> view;
    std::optional<bool> blur_first;
    std::optional<Block> block_blur, block_gray, block_edge;
    KnobValues knobs;
    std::optional<DeviceKind> device;
    std::optional<std::string> gpu;       // profile for occupancy
    std::filesystem::path kernel_folder;  // --kernels DIR
    bool interop = true;
    std::string picture_path = "image";  // --picture-path: image, texture or buffer
    bool json = false;

    std::filesystem::path output;  // run, picture: a file; of many pictures a folder
    std::string format = "png";    // run: of the results of many pictures, png or pgm
    int workers = 0;               // run: threads for many pictures, 0: one for each processor
    int repeat = 20;               // run: samples
    std::optional<Stage> stage;    // occupancy, simt: always set there
    std::filesystem::path folder;  // kernels DIR
    bool overwrite = false;        // kernels
    Extent size{1600, 1000};       // picture
    std::filesystem::path shots;   // --shots DIR
    // Where there is no display, the window is drawn into this file.
    std::filesystem::path without_display;
    SimtOptions simt;
    StagedFault fault = StagedFault::none;
    WindowFault window_fault = WindowFault::none;
};

// Throws UsageError.
[[nodiscard]] Options parse_options(int argc, const char* const* argv);

// The work that the options ask for, on top of `base`; a version brings its own blocks. Throws UsageError for
// a block or knob that the version's kernels do not take.
[[nodiscard]] Settings apply(const Options& options, Settings base);

// What to throw where a version has no kernel for a stage.
[[nodiscard]] UsageError no_such_stage(int version, Stage stage);

}  // namespace ws
