#include "app/cli/command_table.h"
#include "app/cli/look_names.h"

#include <CLI/CLI.hpp>

#include <array>

#include "app/cli/number_option.h"
#include "app/cli/option_groups.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {
// The kernel that is read or run: of a version, or of a file.
void add_kernel(CLI::App& app, Options& options, RawOptions& raw) {
    app.add_option("WHAT", options.simt.what,
                   "version, or a .cu file; of the image filters " + range_of_versions(lab_named(kFirstLab)))
        ->required()
        ->type_name("");
    add_kernel_options(app, options, raw);
}

void add_simt(CLI::App& app, Options& options, RawOptions& raw) {
    SimtOptions& simt = options.simt;
    add_kernel(app, options, raw);
    app.add_option("--size", raw.work_size, "of a version whose lab takes no picture: columns x rows")
        ->type_name("NxM");
    app.add_option("--image", options.image,
                   "of a version: its picture, a file, or scene (the default) or test, which are built in")
        ->type_name("FILE|scene|test");
    app.add_flag("--no-blur", raw.no_blur, "of a version: edges of the gray picture, without blurring");
    app.add_option("--blocks", raw.blocks,
                   "of a version: simulate all blocks, or a sample and scale the counts")
        ->type_name("all|sample");
    app.add_option("--device", raw.device,
                   "of a file: cuda (of several GPUs cuda:1) runs it on the GPU, too, once the simulated one "
                   "has found nothing; default: "
                   "simt")
        ->type_name("NAME");
    app.add_option("--grid", raw.grid, "of a file: grid size in blocks, e.g. 64x64")->type_name("XxYxZ");
    app.add_option("--arg", simt.arguments,
                   "of a file: its arguments in order. A buffer as f32[1024]=iota (zero, iota, random:SEED, "
                   "poison or a "
                   "raw file), a number as i32=1024; types u8, i32, u32, i64, f32, f64")
        ->type_name("ARG")
        ->take_all();
    add_number(app, "--shared", simt.shared_bytes, std::uint64_t(0), std::uint64_t(1) << 30,
               "of a file: bytes of dynamic shared memory", "BYTES");
    add_number(app, "--print", simt.print, 0, 1 << 20,
               "of a file: print the first N elements of each buffer");
    app.add_option("--save", simt.saves, "of a file: write the K-th argument's buffer, counted from 0")
        ->type_name("K=FILE")
        ->take_all();
    add_number(app, "--steps", simt.step_limit, std::uint64_t(1000), std::uint64_t(1) << 40,
               "stop a block after N steps; a warp instruction takes one or more");
    add_number(app, "--seconds", simt.block_seconds, 0.01, 1e6,
               "stop a block after so much processor time, default 8; a grid may take longer", "SECONDS");
    app.add_option("--sweep,--axis", options.sweep.axes, "of a file: run it for each value of a knob of it")
        ->type_name("KNOB");
    app.add_option("--csv", options.csv, "write the sweep's table as CSV")->type_name("FILE");
    app.add_flag("--strict", simt.strict, "exit with 1 for notes too, not only for errors");
}

void add_debug(CLI::App& app, Options& options, RawOptions& raw) {
    SimtOptions& simt = options.simt;
    app.add_option("WHAT", simt.what,
                   "a .cu file, a version of the image filters " + range_of_versions(lab_named(kFirstLab)) +
                       ", or a lab's ID")
        ->required()
        ->type_name("");
    app.add_option("VERSION", raw.debug_version, "behind a lab's ID: its version")->type_name("");
    add_kernel_options(app, options, raw);
    app.add_option("--size", raw.work_size, "of a version whose lab takes no picture: columns x rows")
        ->type_name("NxM");
    app.add_option("--image", options.image,
                   "of a version: its picture, a file, or scene (the default) or test, which are built in")
        ->type_name("FILE|scene|test");
    app.add_flag("--no-blur", raw.no_blur, "of a version: edges of the gray picture, without blurring");
    app.add_option("--grid", raw.grid, "of a file: grid size in blocks, e.g. 64x64")->type_name("XxYxZ");
    app.add_option("--arg", simt.arguments,
                   "of a file: its arguments in order, as 'warpscope simt' takes them")
        ->type_name("ARG")
        ->take_all();
    add_number(app, "--shared", simt.shared_bytes, std::uint64_t(0), std::uint64_t(1) << 30,
               "of a file: bytes of dynamic shared memory", "BYTES");
    add_number(app, "--steps", simt.step_limit, std::uint64_t(1000), std::uint64_t(1) << 40,
               "stop a block that runs before the one that is looked at after N steps");
    app.add_flag("--optimised", simt.optimised,
                 "the code that runs otherwise: registers and lines, but no variables");
    add_debug_commands(app, options);
    CLI::Option* window =
        app.add_flag("--window", options.debug.window, "in the window, on its page Debugger");
    app.add_option("--output", options.output,
                   "draw that page off screen once --commands are carried out: PNG to write")
        ->excludes(window)
        ->type_name("FILE");
    app.add_option("--pixels", raw.size, "its size, default 1600x1000")->type_name("WxH");
    app.add_option("--theme", options.look.theme, "of the window: light or dark")
        ->check(CLI::IsMember(kThemeNames));
    app.add_option("--language", options.language, "of the window: de or en; default: the locale's")
        ->check(CLI::IsMember({"de", "en"}));
}

void add_repeat(CLI::App& app, Options& options) {
    add_number(app, "--repeat", options.repeat, 1, 200, "samples of each time, 1 to 200");
}

// ---- by sub-command

void add_run(CLI::App& app, Options& options, RawOptions& raw) {
    add_version(app, raw, true);
    add_pipeline_options(app, options, raw);
    app.add_option("--output", options.output,
                   "write the picture, a .png or a .pgm; of many pictures (--image FOLDER or "
                   "--image 'FOLDER/*.jpg') the folder for all")
        ->type_name("FILE");
    app.add_option("--format", options.format, "of many pictures: png, or pgm, which needs no time to encode")
        ->check(CLI::IsMember({"png", "pgm"}));
    add_number(app, "--workers", options.workers, 1, 256,
               "of many pictures: threads that read and write; default: one per processor");
    add_repeat(app, options);
}

void add_settings(CLI::App& app, RawOptions& raw) {
    app.add_option("--set", raw.settings,
                   "of an experiment: the value of a control, e.g. direction=up; may be repeated")
        ->type_name("NAME=VALUE")
        ->take_all();
}

void add_lab(CLI::App& app, Options& options, RawOptions& raw) {
    app.add_option("ID", raw.lab_text,
                   "lab; without it they are listed. A .cu file is a lab of one version: then the options "
                   "are those of simt");
    add_version(app, raw, false);
    add_work_options(app, options, raw);
    app.add_option(
           "--size", raw.work_size,
           "of a lab without a picture: columns x rows, e.g. 4096x4096; of an experiment its bytes, e.g. 64M")
        ->type_name("NxM|BYTES");
    add_settings(app, raw);
    app.add_option("--sweep", options.sweep.axes, "as 'warpscope sweep ID --axis AXIS'")->type_name("AXIS");
    app.add_option("--csv", options.csv, "write the sweep's table as CSV")->type_name("FILE");
    app.add_option("--output", options.output, "write the result, a .png or a .pgm, of a lab with pictures")
        ->type_name("FILE");
    add_repeat(app, options);
}

void add_sweep(CLI::App& app, Options& options, RawOptions& raw) {
    app.add_option("ID", raw.lab_text, "lab; default: filters");
    add_version(app, raw, false);
    add_work_options(app, options, raw);
    add_sweep_options(app, options, raw);
    add_repeat(app, options);
}

void add_occupancy(CLI::App& app, Options& options, RawOptions& raw) {
    add_version(app, raw, true);
    add_pipeline_options(app, options, raw);
    app.add_option("--stage,--step", raw.step, "gray, blur, edge or fused; default: the version's largest")
        ->type_name("STEP");
}

void add_advise(CLI::App& app, Options& options, RawOptions& raw) {
    add_version(app, raw, true);
    add_pipeline_options(app, options, raw);
    add_work_size(app, raw);
}

void add_versions(CLI::App& app, Options& /*options*/, RawOptions& raw) {
    app.add_option("--lab", raw.lab, "lab; default: filters")->type_name("ID");
}

void add_devices(CLI::App& /*app*/, Options& /*options*/, RawOptions& /*raw*/) {}

void add_calibrate(CLI::App& app, Options& options, RawOptions& raw) {
    constexpr int kMostSamples = 1000;
    app.add_option(
           "--device", raw.device,
           "the GPU of this machine that is calibrated: cuda, or one of several as 'warpscope devices' lists "
           "them, cuda:1; default: the first")
        ->type_name("DEVICE");
    add_number(app, "--samples", options.samples, 3, kMostSamples, "of each figure; default 11");
    app.add_option("-o,--output", options.output, "the file to write; default: where estimates look for it")
        ->type_name("FILE");
}

void add_kernels(CLI::App& app, Options& options, RawOptions& /*raw*/) {
    app.add_option("DIR", options.folder, "folder")->required();
    app.add_flag("--overwrite", options.overwrite, "replace changed files too");
}

void add_picture(CLI::App& app, Options& options, RawOptions& raw) {
    add_version(app, raw, false);
    add_pipeline_options(app, options, raw);
    add_window_options(app, options, raw);
    app.add_option("--output", options.output, "PNG to write")->required()->type_name("FILE");
    app.add_option("--size", raw.size, "size in pixels, default 1600x1000")->type_name("WxH");
}

void add_poster(CLI::App& app, Options& options, RawOptions& raw) {
    app.add_option("--lab", raw.lab, "lab whose versions stand on it; see 'warpscope lab'; default: filters")
        ->type_name("ID");
    app.add_option("--image", options.image,
                   "picture to work on: a file, or scene (the default) or test, which are built in")
        ->type_name("FILE|scene|test");
    add_work_size(app, raw);
    app.add_option("--device", raw.device, "auto (a GPU of this machine is measured), cuda, cuda:1 or simt")
        ->type_name("DEVICE");
    app.add_option("--gpu", raw.gpu, "GPU of the table whose times are estimated")->type_name("NAME");
    app.add_option("--replay", options.replay,
                   "the times of a recorded GPU: a file of records, or the name of a built-in one; may be "
                   "repeated")
        ->type_name("FILE|NAME");
    app.add_option("--language", options.language, "de or en; default: the locale's")
        ->check(CLI::IsMember({"de", "en"}));
    app.add_option("--output", options.output, "the file to write: .pdf or .png")
        ->required()
        ->type_name("FILE");
}

constexpr std::array kRows{
    CommandRow{Command::run, "run", "run a version without a window and print its times", add_run},
    CommandRow{Command::lab, "lab",
               "list the labs, the versions of one, run one of them, or sweep over sizes, blocks or knobs",
               add_lab},
    CommandRow{Command::sweep, "sweep",
               "run versions over block shapes, sizes or a knob, on the GPU or on simulated ones", add_sweep},
    CommandRow{Command::occupancy, "occupancy",
               "calculate the theoretical occupancy of a version's kernel on a GPU", add_occupancy},
    CommandRow{Command::advise, "advise",
               "say what limits a version's heaviest kernel, which counts show it, and what to try next",
               add_advise},
    CommandRow{
        Command::simt, "simt",
        "run a version's kernel, or any kernel of a .cu file, on a simulated GPU and count what it does",
        add_simt},
    CommandRow{
        Command::debug, "debug",
        "step through a block of a version's kernel, or of a .cu file's, on a simulated GPU, forwards and "
        "backwards, with gdb's commands",
        add_debug},
    CommandRow{Command::sass, "sass",
               "read a kernel's machine code: pipes, stalls, scoreboards and loads in flight by source line",
               add_kernel},
    CommandRow{Command::versions, "versions", "list the versions of a lab", add_versions},
    CommandRow{Command::devices, "devices", "list the devices that can run the pipeline here", add_devices},
    CommandRow{Command::calibrate, "calibrate",
               "measure a GPU's latencies, rates and bandwidths, which its estimates then use (a minute)",
               add_calibrate},
    CommandRow{Command::kernels, "kernels", "write the kernel sources into a folder, to read and change",
               add_kernels},
    CommandRow{Command::picture, "picture", "draw the window's content off screen, without a display",
               add_picture},
    CommandRow{Command::poster, "poster",
               "all versions of a lab with times and reasons on a sheet of paper (A3), as PDF or PNG",
               add_poster}};

}  // namespace

std::span<const CommandRow> command_rows() {
    return kRows;
}

void add_main_options(CLI::App& app, Options& options, RawOptions& raw) {
    add_version(app, raw, false);
    add_pipeline_options(app, options, raw);
    add_window_options(app, options, raw);
    app.add_option("--play", options.play,
                   "hold a lecture: a file of steps (docs/lectures.md), or the name of a built-in one")
        ->type_name("FILE|NAME");
    app.add_flag("--presenter", options.presenter,
                 "with --play: the lecturer's view (notes, next step, clock) in a window of its own; where "
                 "there are two screens the class's window fills the second. With --shots a picture of it, "
                 "too, a step");
    app.add_option("--size", raw.size, "size in pixels of what is drawn off screen, default 1600x1000")
        ->type_name("WxH");
    app.add_option("--without-display", options.without_display,
                   "if there is no display, draw the window off screen into this PNG")
        ->type_name("FILE");
    app.add_flag("--version", raw.shows_version, "print the version, and the CUDA and OpenGL found here");
}

void add_step_options(CLI::App& app, Options& options, RawOptions& raw) {
    add_version(app, raw, false);
    add_pipeline_options(app, options, raw);
    add_look_options(app, options.look, raw);
    add_work_size(app, raw);
    add_settings(app, raw);
}

}  // namespace ws
