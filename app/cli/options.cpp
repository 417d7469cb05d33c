#include "app/cli/options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "app/state/work_edit.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/error.h"
#include "gpu/core/numbers.h"
#include "gpu/pipeline/requests.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

std::string range_of_versions() {
    return fmt::format("{} to {}", versions().front().number, versions().back().number);
}

// What the parser fills in before it is checked.
struct Raw {
    std::optional<int> version;
    std::string version_text;
    std::string view, device, block, block_gray, block_edge, stage, size, fault, gpu, grid, blocks;
    std::vector<std::string> knobs;
    bool no_blur = false;
    bool no_interop = false;
};

void add_version(CLI::App& app, Raw& raw, bool required) {
    auto* option =
        app.add_option("VERSION", raw.version_text, "version of the pipeline, " + range_of_versions());
    if (required) option->required();
}

// An option with a whole number. The parser's own conversion takes 010 for 8 and "" for 0.
template <typename T>
void add_number(CLI::App& app, const std::string& name, T& number, T low, T high, const std::string& text,
                const char* type = "N") {
    app.add_option_function<std::string>(
           name,
           [name, &number, low, high](const std::string& value) {
               const std::optional<T> parsed = parse_number<T>(value);
               if (!parsed || !(*parsed >= low && *parsed <= high))  // not what is no number, either
                   throw CLI::ValidationError(
                       name, fmt::format("'{}' is not in the range of {} to {}", value, low, high));
               number = *parsed;
           },
           text)
        ->type_name(type);
}

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

void add_pipeline_options(CLI::App& app, Options& options, Raw& raw) {
    app.add_option("--image", options.image, "picture to show; default: a built-in one of 3648 x 2736")
        ->type_name("FILE");
    app.add_option("--show", raw.view, "original, gray, blur or edge")->type_name("VIEW");
    app.add_flag("--no-blur", raw.no_blur, "find edges in the gray picture, without blurring");
    app.add_option("--block", raw.block, "block size of the blur kernel, e.g. 32x8")->type_name("XxY");
    app.add_option("--block-gray", raw.block_gray, "block size of the gray kernel")->type_name("XxY");
    app.add_option("--block-edge", raw.block_edge, "block size of the edge kernel")->type_name("XxY");
    app.add_option("--knob", raw.knobs,
                   "a kernel's compile-time constant, e.g. MIN_BLOCKS=8; may be repeated")
        ->type_name("NAME=VALUE")
        ->take_all();
    app.add_option("--device", raw.device, "auto, cuda, simt (a simulated GPU) or cpu")->type_name("DEVICE");
    app.add_option("--gpu", raw.gpu, "GPU of the table to simulate and to calculate occupancy for")
        ->type_name("NAME");
    app.add_option("--kernels", options.kernel_folder, "use the .cu files of this folder and watch them")
        ->type_name("DIR");
}

void add_window_options(CLI::App& app, Options& options, Raw& raw) {
    app.add_option(
           "--picture-path", options.picture_path,
           "how OpenGL gets the picture: from a texture that CUDA fills (image, the default: the fastest "
           "where "
           "measured), from a texture into which OpenGL copies the buffer (texture), or by reading the "
           "buffer itself (buffer)")
        ->check(CLI::IsMember({"image", "texture", "buffer"}));
    app.add_flag("--no-interop", raw.no_interop,
                 "copy pictures through host memory instead of sharing an OpenGL buffer");
    app.add_option("--shots", options.shots, "folder for saved pictures; default: the pictures folder")
        ->type_name("DIR");
    app.add_option("--fault", raw.fault, "stage a fault, for tests: launch, no-memory, cuda-lost or gl-lost")
        ->type_name("FAULT")
        ->group("");
}

void add_simt_options(CLI::App& app, Options& options, Raw& raw) {
    SimtOptions& simt = options.simt;
    app.add_option("WHAT", simt.what, "version of the pipeline, " + range_of_versions() + ", or a .cu file")
        ->required()
        ->type_name("");
    app.add_option("--gpu", raw.gpu, "GPU of the table to simulate; default RTX 3060")->type_name("NAME");
    app.add_option("--block", raw.block, "block size in threads, e.g. 32x8")->type_name("XxYxZ");
    app.add_option("--stage", raw.stage, "of a version: gray, blur, edge or fused; default: its largest")
        ->type_name("STAGE");
    app.add_option("--image", options.image,
                   "of a version: its picture; default: a built-in one of 3648 x 2736")
        ->type_name("FILE");
    app.add_flag("--no-blur", raw.no_blur, "of a version: edges of the gray picture, without blurring");
    app.add_option("--knob", raw.knobs, "of a version: a kernel's compile-time constant; may be repeated")
        ->type_name("NAME=VALUE")
        ->take_all();
    app.add_option("--kernels", options.kernel_folder, "of a version: use the .cu files of this folder")
        ->type_name("DIR");
    app.add_option("--blocks", raw.blocks,
                   "of a version: simulate all blocks, or a sample and scale the counts")
        ->type_name("all|sample");
    app.add_option("--kernel", simt.kernel, "of a file: the __global__ function to run")->type_name("NAME");
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
               "stop a block after this time, default 8; a grid may take longer", "SECONDS");
    app.add_flag("--strict", simt.strict, "exit with 1 for notes too, not only for errors");
}

// The numbers between the 'x's; nothing if one of them is none.
std::vector<int> parse_sides(std::string_view text) {
    std::vector<int> sides;
    while (true) {
        const std::size_t cross = text.find('x');
        const std::optional<int> side = parse_number<int>(text.substr(0, cross));
        if (!side) return {};
        sides.push_back(*side);
        if (cross == std::string_view::npos) return sides;
        text.remove_prefix(cross + 1);
    }
}

// "64", "64x64" or "8x8x4".
std::array<int, 3> parse_shape(const std::string& text) {
    std::array<int, 3> shape{1, 1, 1};
    const std::vector<int> sides = parse_sides(text);
    if (sides.empty() || sides.size() > shape.size() || *std::min_element(sides.begin(), sides.end()) < 1)
        throw UsageError("'" + text + "' is not a shape", "",
                         "write it as 64, 64x64 or 8x8x4, each side from 1 to 2147483647");
    std::copy(sides.begin(), sides.end(), shape.begin());
    return shape;
}

void translate_simt(Raw& raw, Options& options) {
    SimtOptions& simt = options.simt;
    raw.version = parse_number<int>(simt.what);
    if (!raw.blocks.empty() && raw.blocks != "all" && raw.blocks != "sample")
        throw UsageError("'" + raw.blocks + "' is not known", "", "--blocks takes all or sample");
    simt.sample = raw.blocks == "sample";
    if (raw.version) {
        if (!simt.kernel.empty() || !simt.arguments.empty() || !raw.grid.empty() || simt.shared_bytes ||
            !simt.saves.empty() || simt.print)
            throw UsageError("--kernel, --grid, --arg, --shared, --print and --save belong to a .cu file", "",
                             "a version brings its own");
        return;
    }
    if (!raw.stage.empty() || !options.image.empty() || !raw.knobs.empty() || !raw.blocks.empty() ||
        raw.no_blur)
        throw UsageError("--stage, --image, --knob, --blocks and --no-blur belong to a version", "",
                         "a .cu file takes --kernel, --grid, --block and --arg");
    if (!raw.grid.empty()) simt.grid = parse_shape(raw.grid);
    if (!raw.block.empty()) simt.block = parse_shape(raw.block);
    raw.block.clear();
}

template <typename T, typename Find>
T look_up(const std::string& text, const char* what, const char* choices, const Find& find) {
    const std::optional<T> found = find(text);
    if (!found)
        throw UsageError(fmt::format("'{}' is not a {}", text, what), "",
                         fmt::format("choose one of {}", choices));
    return *found;
}

std::optional<DeviceKind> device_named(const std::string& name) {
    for (const DeviceKind kind :
         {DeviceKind::automatic, DeviceKind::cuda, DeviceKind::simt, DeviceKind::cpu}) {
        if (name == name_of(kind)) return kind;
    }
    return std::nullopt;
}

Extent parse_size(const std::string& text) {
    const std::vector<int> sides = parse_sides(text);
    if (sides.size() != 2 || sides[0] < 320 || sides[1] < 240 || sides[0] > 8192 || sides[1] > 8192)
        throw UsageError("'" + text + "' is not a size", "", "write it as 1600x1000, 320x240 to 8192x8192");
    return {sides[0], sides[1]};
}

std::pair<std::string, int> parse_knob(const std::string& text) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::optional<int> value =
        parse_number<int>(std::string_view(text).substr(std::min(equals + 1, text.size())));
    if (equals == 0 || !value)
        throw UsageError("'" + text + "' is not a knob", "", "write it as MIN_BLOCKS=8");
    return {text.substr(0, equals), *value};
}

void stage_fault(const std::string& name, Options& options) {
    if (name.empty()) return;
    if (name == "launch")
        options.fault = StagedFault::launch;
    else if (name == "no-memory")
        options.fault = StagedFault::no_memory;
    else if (name == "cuda-lost")
        options.fault = StagedFault::device_lost;
    else if (name == "gl-lost")
        options.window_fault = WindowFault::gl_lost;
    else
        throw UsageError("'" + name + "' is not a fault", "",
                         "choose launch, no-memory, cuda-lost or gl-lost");
}

void translate(const Raw& raw, Options& options) {
    if (raw.version) options.version = version_numbered(*raw.version).number;
    if (!raw.view.empty()) {
        options.view = look_up<View>(raw.view, "view", "original, gray, blur, edge",
                                     [](const std::string& name) { return view_named(name); });
    }
    if (raw.no_blur) options.blur_first = false;
    if (!raw.block.empty()) {
        const bool of_other_stage =
            options.command == Command::simt && (raw.stage == "gray" || raw.stage == "edge");
        (!of_other_stage       ? options.block_blur
         : raw.stage == "gray" ? options.block_gray
                               : options.block_edge) = parse_block(raw.block);
    }
    if (!raw.block_gray.empty()) options.block_gray = parse_block(raw.block_gray);
    if (!raw.block_edge.empty()) options.block_edge = parse_block(raw.block_edge);
    for (const std::string& knob : raw.knobs) options.knobs.insert(parse_knob(knob));
    if (!raw.device.empty())
        options.device = look_up<DeviceKind>(raw.device, "device", "auto, cuda, simt, cpu", device_named);
    if (!raw.gpu.empty()) options.gpu = GpuTable().named(raw.gpu).name;
    if (!raw.stage.empty()) {
        options.stage = look_up<Stage>(raw.stage, "stage", "gray, blur, edge, fused",
                                       [](const std::string& name) { return stage_named(name); });
    }
    if (!options.stage && options.version) {
        const bool whole = !version_numbered(*options.version).kernels[index_of(Stage::fused)].empty();
        options.stage = whole ? Stage::fused : Stage::blur;
    }
    if (!raw.size.empty()) options.size = parse_size(raw.size);
    options.interop = !raw.no_interop;
    stage_fault(raw.fault, options);
}

}  // namespace

Options parse_options(int argc, const char* const* argv) {
    Options options;
    Raw raw;
    CLI::App app(
        "Warpscope shows how CUDA kernels become fast: a photograph, an image filter pipeline in many "
        "versions, each with one more optimisation, with times and occupancy.\nWithout a sub-command it "
        "opens the window.",
        "warpscope");
    app.footer("\nIn the window, F1 or ? shows all keys; q or Esc quits.");
    app.require_subcommand(0, 1);
    add_version(app, raw, false);
    add_pipeline_options(app, options, raw);
    add_window_options(app, options, raw);
    app.add_option("--without-display", options.without_display,
                   "if there is no display, draw the window off screen into this PNG")
        ->type_name("FILE");
    bool show_version = false;
    app.add_flag("--version", show_version, "print the version, and the CUDA and OpenGL found here");

    const auto add_json = [&](CLI::App* command) {
        command->add_flag("--json", options.json, "print JSON; its keys are described in docs/json.md");
    };
    CLI::App* run = app.add_subcommand("run", "run a version without a window and print its times");
    add_version(*run, raw, true);
    add_pipeline_options(*run, options, raw);
    run->add_option("--output", options.output,
                    "write the picture as PNG; of many pictures (--image FOLDER or --image 'FOLDER/*.jpg') "
                    "the folder for all")
        ->type_name("FILE");
    run->add_option("--format", options.format,
                    "of many pictures: png, or pgm, which needs no time to encode")
        ->check(CLI::IsMember({"png", "pgm"}));
    add_number(*run, "--workers", options.workers, 1, 256,
               "of many pictures: threads that read and write; default: one per processor");
    add_number(*run, "--repeat", options.repeat, 1, 200, "samples of each time, 1 to 200");
    add_json(run);

    CLI::App* occupancy =
        app.add_subcommand("occupancy", "calculate the theoretical occupancy of a version's kernel on a GPU");
    add_version(*occupancy, raw, true);
    add_pipeline_options(*occupancy, options, raw);
    occupancy->add_option("--stage", raw.stage, "gray, blur, edge or fused; default: the version's largest")
        ->type_name("STAGE");
    add_json(occupancy);

    CLI::App* simt = app.add_subcommand(
        "simt",
        "run a version's kernel, or any kernel of a .cu file, on a simulated GPU and count what it does");
    add_simt_options(*simt, options, raw);
    add_json(simt);

    CLI::App* versions = app.add_subcommand("versions", "list the versions");
    add_json(versions);
    CLI::App* devices = app.add_subcommand("devices", "list the devices that can run the pipeline here");
    add_json(devices);
    CLI::App* kernels =
        app.add_subcommand("kernels", "write the kernel sources into a folder, to read and change");
    kernels->add_option("DIR", options.folder, "folder")->required();
    kernels->add_flag("--overwrite", options.overwrite, "replace changed files too");
    add_json(kernels);

    CLI::App* picture =
        app.add_subcommand("picture", "draw the window's content off screen, without a display");
    add_version(*picture, raw, false);
    add_pipeline_options(*picture, options, raw);
    add_window_options(*picture, options, raw);
    picture->add_option("--output", options.output, "PNG to write")->required()->type_name("FILE");
    picture->add_option("--size", raw.size, "size in pixels, default 1600x1000")->type_name("WxH");
    add_json(picture);

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        options.command = Command::help;
        options.help_text = app.help();
        return options;
    } catch (const CLI::ParseError& error) {
        throw UsageError(error.what(), "", "see 'warpscope --help'");
    }
    if (show_version) {
        options.command = Command::version;
        return options;
    }
    const std::pair<CLI::App*, Command> commands[] = {
        {run, Command::run},           {simt, Command::simt},       {occupancy, Command::occupancy},
        {versions, Command::versions}, {devices, Command::devices}, {kernels, Command::kernels},
        {picture, Command::picture}};
    for (const auto& [command, meaning] : commands) {
        if (command->parsed()) options.command = meaning;
    }
    refuse_empty(app);
    for (const CLI::App* command : app.get_subcommands()) refuse_empty(*command);
    if (options.command == Command::simt) translate_simt(raw, options);
    if (!raw.version_text.empty()) {
        raw.version = parse_number<int>(raw.version_text);
        if (!raw.version)
            throw UsageError("'" + raw.version_text + "' is not a version", "",
                             "choose from " + range_of_versions() + ", or see 'warpscope --help'");
    }
    translate(raw, options);
    return options;
}

namespace {

std::vector<WorkEdit> edits_of(const Options& options) {
    std::vector<WorkEdit> edits;
    if (options.version) edits.push_back(ChooseVersion{*options.version});
    if (options.view) edits.push_back(ChooseView{*options.view});
    if (options.blur_first) edits.push_back(ChooseBlurFirst{*options.blur_first});
    if (options.block_blur) {
        edits.push_back(ChooseBlock{Stage::blur, *options.block_blur});
        edits.push_back(ChooseBlock{Stage::fused, *options.block_blur});
    }
    if (options.block_gray) edits.push_back(ChooseBlock{Stage::gray, *options.block_gray});
    if (options.block_edge) edits.push_back(ChooseBlock{Stage::edge, *options.block_edge});
    for (const auto& [name, value] : options.knobs) edits.push_back(ChooseKnob{name, value});
    if (options.device) edits.push_back(ChooseDevice{*options.device});
    if (options.gpu) edits.push_back(ChooseGpu{*options.gpu});
    return edits;
}

// A window makes the best of a value that a kernel does not take; a command line is wrong.
void check_knobs(const Options& options, const Version& version, const KernelLibrary& library) {
    for (const auto& [name, value] : options.knobs) {
        bool known = false;
        std::string names;
        for (const std::string_view kernel : version.kernels) {
            if (kernel.empty()) continue;
            for (const Knob& knob : library.find(kernel).knobs) {
                if (knob.name == "BLOCK_X" || knob.name == "BLOCK_Y") continue;
                if (names.find(knob.name) == std::string::npos)
                    names += (names.empty() ? "" : ", ") + knob.name;
                if (knob.name != name) continue;
                known = true;
                if (value < knob.low || value > knob.high) {
                    throw UsageError(fmt::format("{}={} is out of range", name, value), "",
                                     fmt::format("choose from {} to {}", knob.low, knob.high));
                }
            }
        }
        if (!known) {
            throw UsageError(fmt::format("V{} has no knob {}", version.number, name), "",
                             names.empty() ? "it has none besides its block (--block)" : "it has " + names);
        }
    }
}

void check_blocks(const Options& options, const Version& version, const KernelLibrary& library) {
    if (!options.block_blur) return;  // gray and edge kernels take any
    const Block block = *options.block_blur;
    const bool whole = !version.kernels[index_of(Stage::fused)].empty();
    const Stage stage = whole ? Stage::fused : Stage::blur;
    const KernelSource& source = library.find(version.kernels[index_of(stage)]);
    if (fitted(source, block) == block) return;
    throw UsageError(fmt::format("V{} does not accept a block of {}", version.number, to_string(block)),
                     source.name + ".cu", "choose from " + blocks_text(source));
}

}  // namespace

Settings apply(const Options& options, Settings base) {
    const KernelLibrary library(options.kernel_folder);
    const Settings work = edited(std::move(base), edits_of(options), library);
    check_knobs(options, version_numbered(work.version), library);
    check_blocks(options, version_numbered(work.version), library);
    return work;
}

UsageError no_such_stage(int version, Stage stage) {
    std::string names;
    for (const Stage other : kStages) {
        if (version_numbered(version).kernels[index_of(other)].empty()) continue;
        names += (names.empty() ? "" : ", ") + std::string(name_of(other));
    }
    return UsageError(fmt::format("V{} has no kernel for stage {}", version, name_of(stage)), "",
                      "it has " + names);
}

}  // namespace ws
