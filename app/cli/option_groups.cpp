#include "app/cli/option_groups.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <optional>
#include <string_view>

#include "app/cli/look_names.h"
#include "app/cli/number_option.h"
#include "gpu/core/numbers.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

// "40,217,3", or "40,217" for the block's first warp.
std::optional<WarpPlace> warp_in(std::string_view text) {
    std::array<int, 3> numbers{};
    std::size_t count = 0;
    while (count < numbers.size()) {
        const std::size_t comma = text.find(',');
        const std::optional<int> number = parse_number<int>(text.substr(0, comma));
        if (!number || *number < 0) return std::nullopt;
        numbers[count++] = *number;
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
        if (count == numbers.size()) return std::nullopt;  // a fourth
    }
    if (count < 2) return std::nullopt;
    return WarpPlace{numbers[0], numbers[1], numbers[2]};
}

void add_include_folders(CLI::App& app, Options& options) {
    app.add_option("-I", options.include_folders,
                   "where kernels find headers that do not lie beside them; may be repeated")
        ->type_name("FOLDER")
        ->take_all();
}

}  // namespace

void add_version(CLI::App& app, RawOptions& raw, bool required) {
    auto* option = app.add_option("VERSION", raw.version_text,
                                  "version; of the image filters " + range_of_versions(lab_named(kFirstLab)));
    if (required) option->required();
}

void add_work_options(CLI::App& app, Options& options, RawOptions& raw) {
    app.add_option("--image", options.image,
                   "picture to show: a file, or scene (the default) or test, which are built in")
        ->type_name("FILE|scene|test");
    app.add_option("--show", raw.view,
                   "what to show: original, gray, blur or edge; of other labs see 'warpscope lab ID'")
        ->type_name("VIEW");
    app.add_flag("--no-blur", raw.no_blur, "find edges in the gray picture, without blurring");
    app.add_option("--block", raw.block, "block size of the version's main kernel, e.g. 32x8")
        ->type_name("XxY");
    app.add_option("--block-gray", raw.block_gray, "block size of the gray kernel")->type_name("XxY");
    app.add_option("--block-edge", raw.block_edge, "block size of the edge kernel")->type_name("XxY");
    app.add_option("--knob", raw.knobs,
                   "a kernel's compile-time constant, e.g. MIN_BLOCKS=8; may be repeated")
        ->type_name("NAME=VALUE")
        ->take_all();
    app.add_option(
           "--device", raw.device,
           "auto, cuda, simt (a simulated GPU) or cpu; of several GPUs cuda:1 is the one that 'warpscope "
           "devices' lists by that name")
        ->type_name("DEVICE");
    app.add_option("--gpu", raw.gpu, "GPU of the table to simulate and to calculate occupancy for")
        ->type_name("NAME");
    app.add_option("--kernels", options.kernel_folder, "use the .cu files of this folder and watch them")
        ->type_name("DIR");
}

void add_pipeline_options(CLI::App& app, Options& options, RawOptions& raw) {
    app.add_option("--lab", raw.lab, "lab that the version is of; see 'warpscope lab'; default: filters")
        ->type_name("ID");
    add_work_options(app, options, raw);
}

void add_look_options(CLI::App& app, LookOptions& look, RawOptions& raw) {
    constexpr int kMostLines = 1'000'000;
    constexpr int kMostPages = 9;
    app.add_option("--theme", look.theme, "light or dark")->check(CLI::IsMember(kThemeNames));
    app.add_option("--tab", look.tab, "the page that is shown")->check(CLI::IsMember(kTabNames));
    app.add_option("--compare", look.compare, "how the original and the result lie")
        ->check(CLI::IsMember(kCompareNames));
    app.add_option("--against", look.against, "the version that is the baseline; default: the one before")
        ->type_name("VERSION");
    app.add_option_function<std::string>(
           "--warp",
           [&look](const std::string& value) {
               look.warp = warp_in(value);
               if (!look.warp)
                   throw CLI::ValidationError(
                       "--warp", fmt::format("'{}' is no block and warp, as 40,217,3 is", value));
           },
           "whose addresses are drawn on the page of a warp: its block's place in the grid and its number in "
           "the block; beyond the grid stands for the last")
        ->type_name("BX,BY,W");
    app.add_flag("--slide", look.slide, "open in slide mode");
    app.add_flag("--advice", look.advice, "show what to try next in the place of the bars");
    CLI::Option* over =
        app.add_option(
               "--over", look.over,
               "show all versions over an axis: size, a knob, or off for none; 'picture' runs them first")
            ->type_name("AXIS");
    app.add_flag_function(
           "--sizes", [&look](std::int64_t on) { look.over = on > 0 ? "size" : "off"; }, "as --over size")
        ->excludes(over);
    CLI::Option* sweep =
        app.add_flag("--sweep", look.sweep, "show every block shape; 'picture' runs the sweep first");
    app.add_flag("--latency", look.latency,
                 "show how resident warps hide latency: those of one scheduler, clock by clock")
        ->excludes(sweep);
    app.add_option("--zoom", raw.zoom,
                   "the part of the picture that is seen: columns x rows + its first pixel, "
                   "e.g. 900x600+2200+1300; all: the whole picture")
        ->type_name("NxM+X+Y");
    app.add_option("--beside", look.source.beside,
                   "what stands beside the source: the counts of a line, its PTX or its machine code")
        ->check(CLI::IsMember(kSidePanelNames));
    app.add_option("--share", look.source.share,
                   "what the source's lines have a share in: warp instructions, or the time of the warps as "
                   "the clock of a multiprocessor estimates it")
        ->check(CLI::IsMember(kLineShareNames));
    app.add_option("--line", look.line, "the line of the source whose accesses are shown")
        ->check(CLI::Range(1, kMostLines))
        ->type_name("LINE");
    app.add_option("--access", look.access, "which access of that line, as the warp's page counts them")
        ->check(CLI::Range(1, kMostLines))
        ->type_name("N");
    app.add_option("--page", look.page,
                   "which of the pages that a narrow window makes of what is shown; beyond the last it goes "
                   "round them")
        ->check(CLI::Range(1, kMostPages))
        ->type_name("N");
}

void add_debug_commands(CLI::App& app, Options& options) {
    app.add_option("--commands", options.debug.commands,
                   "of the debugger, separated by semicolons: what it does first, e.g. 'break 14; run'")
        ->type_name("TEXT");
}

void add_window_options(CLI::App& app, Options& options, RawOptions& raw) {
    app.add_option(
           "--picture-path", options.picture_path,
           "how OpenGL gets the picture: from a texture that CUDA fills (image, the default: the fastest "
           "where "
           "measured), from a texture into which OpenGL copies the buffer (texture), or by reading the "
           "buffer itself (buffer)")
        ->check(CLI::IsMember({"image", "texture", "buffer"}));
    app.add_flag("--no-interop", raw.no_interop,
                 "copy pictures through host memory instead of sharing an OpenGL buffer");
    add_look_options(app, options.look, raw);
    add_debug_commands(app, options);
    app.add_option("--language", options.language, "of the window: de or en; default: the locale's")
        ->check(CLI::IsMember({"de", "en"}));
    app.add_option("--restore", options.restore, "begin as it was when pictures were saved: their .json file")
        ->type_name("FILE");
    app.add_option(
           "--replay", options.replay,
           "show the times of a recorded GPU: a file of records, or the name of a built-in one; may be "
           "repeated")
        ->type_name("FILE|NAME");
    app.add_flag_callback(
        "--no-records", [&options] { options.keeps_times = false; },
        "neither keep the times that the window measures for the next start nor show those of earlier ones");
    app.add_option("--shots", options.shots,
                   "folder for saved pictures; default: the pictures folder. With --play: hold the lecture "
                   "off screen and save a picture of each step there")
        ->type_name("DIR");
}

void add_work_size(CLI::App& app, RawOptions& raw) {
    app.add_option("--size", raw.work_size, "of a lab without a picture: columns x rows, e.g. 4096x4096")
        ->type_name("NxM");
}

void add_sweep_options(CLI::App& app, Options& options, RawOptions& raw) {
    SweepAsk& ask = options.sweep;
    app.add_option("--axis", ask.axes,
                   "block (every power of two by every other), threads (32 x 1 to 32 x 32), size, or a knob; "
                   "of several, separated by commas, every combination; default: block")
        ->type_name("AXIS")
        ->delimiter(',');
    app.add_option("--versions", ask.versions, "several versions, separated by commas; default: all")
        ->type_name("N,N")
        ->delimiter(',');
    app.add_option("--gpus", ask.gpus, "GPUs of the table to simulate, separated by commas")
        ->type_name("NAME,NAME")
        ->delimiter(',');
    app.add_option("--records", ask.records,
                   "append each point to this file, and take from it what it has already")
        ->type_name("FILE");
    app.add_option("--csv", options.csv, "write the table as CSV")->type_name("FILE");
    add_work_size(app, raw);
}

void add_kernel_options(CLI::App& app, Options& options, RawOptions& raw) {
    app.add_option("--kernel", options.simt.kernel, "of a file: its __global__ function")->type_name("NAME");
    app.add_option("--gpu", raw.gpu, "GPU of the table to compile for and to simulate; default RTX 3060")
        ->type_name("NAME");
    app.add_option("--block", raw.block, "block size in threads, e.g. 32x8")->type_name("XxYxZ");
    app.add_option("--lab", raw.lab, "lab that the version is of; default: filters")->type_name("ID");
    app.add_option("--stage,--step", raw.step,
                   "of a version: gray, blur, edge or fused; default: its largest")
        ->type_name("STEP");
    app.add_option("--knob", raw.knobs, "a kernel's compile-time constant; may be repeated")
        ->type_name("NAME=VALUE")
        ->take_all();
    app.add_option("--kernels", options.kernel_folder, "of a version: use the .cu files of this folder")
        ->type_name("DIR");
    add_include_folders(app, options);
}

}  // namespace ws
