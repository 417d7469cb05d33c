#pragma once
// The command line as values.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/cli/look_options.h"
#include "gpu/core/error.h"
#include "gpu/core/experiment.h"
#include "gpu/core/image.h"
#include "gpu/core/work.h"
#include "gpu/engine/device_host.h"

namespace ws {

enum class Command {
    window,
    run,
    lab,
    sweep,
    simt,
    debug,
    sass,
    occupancy,
    advise,
    versions,
    devices,
    calibrate,
    kernels,
    picture,
    poster,
    help,
    version
};

// What a program of the tests puts into the program; nothing on the command line does.
struct Hooks {
    DeviceOptions devices;
    int lose_gl_after = 0;  // frames, once; 0: never
};

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
    bool strict = false;     // notes count as errors
    bool optimised = false;  // debug: the code as it runs otherwise
};

// What the debugger is to do first, and where it is looked at.
struct DebugAsk {
    std::string commands;  // separated by semicolons
    bool window = false;   // debug: in the window, else in the terminal
};

// What to sweep over.
struct SweepAsk {
    std::vector<std::string> axes;  // empty: no sweep
    std::vector<int> versions;      // besides Options::version; empty: all
    std::vector<std::string> gpus;  // to simulate; empty: as the device is
    std::filesystem::path records;  // where each point is appended, and earlier ones are found
};

struct Options {
    Command command = Command::window;
    std::string help_text;  // of the command, for help

    const Lab* lab = nullptr;
    bool chooses_lab = false;  // by its name, or by something of it
    std::optional<int> version;
    std::string image;                    // a built-in name or a file; empty: the scene
    std::optional<int> view;              // of the lab
    std::map<std::string, Block> blocks;  // by step; "": the heaviest
    KnobValues knobs;
    std::optional<DeviceChoice> device;
    std::optional<std::string> gpu;            // profile for occupancy
    std::filesystem::path kernel_folder;       // --kernels DIR
    std::vector<std::string> include_folders;  // -I FOLDER
    bool interop = true;
    std::string picture_path = "image";  // --picture-path: image, texture or buffer
    bool json = false;

    std::filesystem::path output;  // run, picture: a file; of many pictures a folder
    std::string format = "png";    // run: of the results of many pictures, png or pgm
    int workers = 0;               // run: threads for many pictures, 0: one for each processor
    int repeat = 20;               // run: samples
    std::optional<int> step;       // occupancy, simt: always set there
    std::filesystem::path folder;  // kernels DIR
    bool overwrite = false;        // kernels
    Extent size{1600, 1000};       // picture
    std::filesystem::path shots;   // --shots DIR
    // Where there is no display, the window is drawn into this file.
    std::filesystem::path without_display;
    LookOptions look;
    std::string language;           // of the window: de or en; empty: the locale's
    std::filesystem::path restore;  // a file that was saved with pictures
    std::string play;               // a lecture: its file, or the name of a built-in one; empty: none
    bool presenter = false;         // the lecturer's view beside it, in a window of its own
    SimtOptions simt;
    DebugAsk debug;
    bool lists_labs = false;  // lab without an ID
    SweepAsk sweep;
    std::filesystem::path csv;                  // of a sweep: where its table goes
    int samples = 11;                           // calibrate: of each figure
    bool keeps_times = true;                    // the window appends what it measures to a file
    std::vector<std::filesystem::path> replay;  // records to show, or the names of built-in ones
    std::optional<Extent> work_size;            // --size of a lab without a picture
    // A lab that is an experiment, with a value for each of its controls; `lab` is then the first one.
    const Experiment* experiment = nullptr;
    ControlValues controls;
    Hooks hooks;
};

// Throws UsageError.
[[nodiscard]] Options parse_options(int argc, const char* const* argv);
// What a step of a lecture goes on from.
struct StepBase {
    const Lab& lab;
    const Experiment* experiment = nullptr;  // in the place of the lab; null: none
    ControlValues controls{};                // of it
};
// What a step of a lecture shows, of `base` where it names no lab: words as the command line has them, of the
// options that say what is shown and how. Throws UsageError.
[[nodiscard]] Options parse_step_options(const StepBase& base, const std::vector<std::string>& words);

// The lab's work in its first version, as the options want it. Throws UsageError.
[[nodiscard]] Work work_of(const Options& options);

// The work that the options ask for, on top of `base`; another lab begins anew, a version brings its own
// blocks. Throws UsageError.
[[nodiscard]] Work apply(const Options& options, Work base);

// What to throw where a version has no kernel for a step.
[[nodiscard]] UsageError no_such_step(const Work& work, int step);

}  // namespace ws
