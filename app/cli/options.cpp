#include "app/cli/options.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>

#include "gpu/core/error.h"
#include "gpu/core/numbers.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

constexpr const char* kFirstLab = "filters";

std::string range_of_versions(const Lab& lab) {
    return fmt::format("{} to {}", lab.versions.front().number, lab.versions.back().number);
}

// What the parser fills in before it is checked.
struct Raw {
    std::optional<int> version;
    std::string version_text;
    std::string lab, lab_text;
    std::string view, device, block, block_gray, block_edge, step, size, work_size, gpu, grid, blocks;
    std::vector<std::string> knobs, settings;
    bool repeats = false;
    bool no_blur = false;
    bool no_interop = false;
};

void add_version(CLI::App& app, Raw& raw, bool required) {
    auto* option = app.add_option("VERSION", raw.version_text,
                                  "version; of the image filters " + range_of_versions(lab_named(kFirstLab)));
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

void add_work_options(CLI::App& app, Options& options, Raw& raw);

void add_pipeline_options(CLI::App& app, Options& options, Raw& raw) {
    app.add_option("--lab", raw.lab, "lab that the version is of; see 'warpscope lab'; default: filters")
        ->type_name("ID");
    add_work_options(app, options, raw);
}

// What a lab takes.
void add_work_options(CLI::App& app, Options& options, Raw& raw) {
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
    LookOptions& look = options.look;
    app.add_option("--theme", look.theme, "light or dark")->check(CLI::IsMember({"light", "dark"}));
    app.add_option("--tab", look.tab, "the page that is shown")
        ->check(CLI::IsMember({"story", "source", "warp", "occupancy", "memory", "gpu"}));
    app.add_option("--compare", look.compare, "how the original and the result lie")
        ->check(CLI::IsMember({"single", "wipe", "beside", "difference"}));
    app.add_option("--against", look.against, "the version that is the baseline; default: the one before")
        ->type_name("VERSION");
    app.add_option("--restore", look.restore, "begin as it was when pictures were saved: their .json file")
        ->type_name("FILE");
    app.add_flag("--slide", look.slide, "open in slide mode");
    app.add_flag("--advice", look.advice, "show what to try next in the place of the bars");
    app.add_flag("--sweep", look.sweep, "show every block shape; 'picture' runs the sweep first");
    app.add_option(
           "--replay", options.replay,
           "show the times of a recorded GPU: a file of records, or the name of a built-in one; may be "
           "repeated")
        ->type_name("FILE|NAME");
    app.add_option("--shots", options.shots, "folder for saved pictures; default: the pictures folder")
        ->type_name("DIR");
}

void add_sweep_options(CLI::App& app, Options& options, Raw& raw) {
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
    app.add_option("--size", raw.work_size, "of a lab without a picture: columns x rows, e.g. 4096x4096")
        ->type_name("NxM");
}

void add_include_folders(CLI::App& app, Options& options) {
    app.add_option("-I", options.include_folders,
                   "where kernels find headers that do not lie beside them; may be repeated")
        ->type_name("FOLDER")
        ->take_all();
}

void add_simt_options(CLI::App& app, Options& options, Raw& raw) {
    SimtOptions& simt = options.simt;
    app.add_option("WHAT", simt.what,
                   "version, or a .cu file; of the image filters " + range_of_versions(lab_named(kFirstLab)))
        ->required()
        ->type_name("");
    app.add_option("--gpu", raw.gpu, "GPU of the table to simulate; default RTX 3060")->type_name("NAME");
    app.add_option("--block", raw.block, "block size in threads, e.g. 32x8")->type_name("XxYxZ");
    app.add_option("--lab", raw.lab, "lab that the version is of; default: filters")->type_name("ID");
    app.add_option("--stage,--step", raw.step,
                   "of a version: gray, blur, edge or fused; default: its largest")
        ->type_name("STEP");
    app.add_option("--size", raw.work_size, "of a version whose lab takes no picture: columns x rows")
        ->type_name("NxM");
    app.add_option("--image", options.image,
                   "of a version: its picture, a file, or scene (the default) or test, which are built in")
        ->type_name("FILE|scene|test");
    app.add_flag("--no-blur", raw.no_blur, "of a version: edges of the gray picture, without blurring");
    app.add_option("--knob", raw.knobs, "a kernel's compile-time constant; may be repeated")
        ->type_name("NAME=VALUE")
        ->take_all();
    app.add_option("--kernels", options.kernel_folder, "of a version: use the .cu files of this folder")
        ->type_name("DIR");
    add_include_folders(app, options);
    app.add_option("--blocks", raw.blocks,
                   "of a version: simulate all blocks, or a sample and scale the counts")
        ->type_name("all|sample");
    app.add_option("--kernel", simt.kernel, "of a file: the __global__ function to run")->type_name("NAME");
    app.add_option(
           "--device", raw.device,
           "of a file: cuda runs it on the GPU, too, once the simulated one has found nothing; default: "
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
               "stop a block after this time, default 8; a grid may take longer", "SECONDS");
    app.add_option("--sweep,--axis", options.sweep.axes, "of a file: run it for each value of a knob of it")
        ->type_name("KNOB");
    app.add_option("--csv", options.csv, "write the sweep's table as CSV")->type_name("FILE");
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
        if (!options.include_folders.empty() && options.kernel_folder.empty())
            throw UsageError("-I belongs to a .cu file or to --kernels DIR", "",
                             "the program's own kernels include nothing from outside");
        if (!raw.device.empty())
            throw UsageError("--device belongs to a .cu file", "",
                             fmt::format("a version runs on the GPU with: warpscope run {} --device {}",
                                         *raw.version, raw.device));
        if (!simt.kernel.empty() || !simt.arguments.empty() || !raw.grid.empty() || simt.shared_bytes ||
            !simt.saves.empty() || simt.print)
            throw UsageError("--kernel, --grid, --arg, --shared, --print and --save belong to a .cu file", "",
                             "a version brings its own");
        if (!options.sweep.axes.empty())
            throw UsageError("--sweep belongs to a .cu file", "",
                             fmt::format("versions are swept by: warpscope lab {} {} --sweep {}",
                                         options.lab->id, *raw.version, options.sweep.axes.front()));
        return;
    }
    if (!options.csv.empty() && options.sweep.axes.empty())
        throw UsageError("--csv is the table of a sweep", "", "add --sweep KNOB");
    if (!options.sweep.axes.empty() && (!simt.saves.empty() || simt.print))
        throw UsageError("--print and --save belong to one run", "", "leave --sweep away");
    if (!raw.step.empty() || !options.image.empty() || !raw.blocks.empty() || raw.no_blur)
        throw UsageError("--stage, --image, --blocks and --no-blur belong to a version", "",
                         "a .cu file takes --kernel, --grid, --block and --arg");
    if (!raw.device.empty() && raw.device != "simt" && raw.device != "cuda")
        throw UsageError("'" + raw.device + "' runs no .cu file", "", "choose one of simt, cuda");
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

// What belongs to kernels has no meaning for an experiment.
void refuse_kernel_options(const Raw& raw, const Options& options) {
    const bool work = raw.version || !raw.view.empty() || !raw.block.empty() || !raw.block_gray.empty() ||
                      !raw.block_edge.empty() || !raw.knobs.empty() || raw.no_blur;
    if (work || !options.image.empty() || !options.output.empty())
        throw UsageError(fmt::format("'{}' is an experiment: it has no versions, blocks or pictures",
                                     options.experiment->id),
                         "", "its controls are set with --set NAME=VALUE");
}

void set_control(Options& options, const std::string& name, const std::string& value) {
    const Experiment& experiment = *options.experiment;
    const int place = control_named(experiment, name);
    if (place < 0) {
        std::string names;
        for (const Control& control : experiment.controls)
            names += (names.empty() ? "" : ", ") + std::string(control.name);
        throw UsageError(fmt::format("'{}' has no control {}", experiment.id, name), "", "it has " + names);
    }
    options.controls[std::size_t(place)] = value_of(experiment.controls[std::size_t(place)], value);
}

void translate_experiment(const Raw& raw, Options& options) {
    if (!options.experiment) {
        if (!raw.settings.empty())
            throw UsageError("--set belongs to an experiment", "", "see 'warpscope lab'");
        return;
    }
    if (options.command == Command::lab) refuse_kernel_options(raw, options);
    options.controls = first_values(*options.experiment);
    if (!raw.work_size.empty()) set_control(options, "size", raw.work_size);
    if (raw.repeats) set_control(options, "samples", std::to_string(options.repeat));
    for (const std::string& text : raw.settings) {
        const std::size_t equals = std::min(text.find('='), text.size());
        if (equals == 0 || equals == text.size())
            throw UsageError("'" + text + "' sets nothing", "", "write it as NAME=VALUE");
        set_control(options, text.substr(0, equals), text.substr(equals + 1));
    }
}

Extent parse_work_size(const std::string& text, const Lab& lab) {
    if (lab.takes_picture())
        throw UsageError("the size of '" + std::string(lab.id) + "' is its picture's", "",
                         "choose it with --image");
    const std::vector<int> sides = parse_sides(text);
    const auto possible = [](int side) { return side >= 1 && side <= kMaxSide; };
    if (sides.empty() || sides.size() > 2 || !std::all_of(sides.begin(), sides.end(), possible))
        throw UsageError("'" + text + "' is not a size", "",
                         fmt::format("write it as 4096x4096, each side from 1 to {}", kMaxSide));
    return {sides.front(), sides.back()};
}

// A place in one of the lab's lists, by name.
template <typename List, typename Find>
int place_named(const Lab& lab, const std::string& text, const char* what, const List& list,
                const Find& find) {
    const int found = find(lab, text);
    if (found >= 0) return found;
    std::string names;
    for (const auto& entry : list) names += (names.empty() ? "" : ", ") + std::string(entry.name);
    throw UsageError(fmt::format("'{}' is not a {}", text, what), "", "choose one of " + names);
}

void translate_blocks(const Raw& raw, Options& options) {
    const std::string step = options.command == Command::simt ? raw.step : "";
    for (const auto& [name, text] :
         {std::pair{step, raw.block}, {"gray", raw.block_gray}, {"edge", raw.block_edge}}) {
        if (text.empty()) continue;
        if (!name.empty() && step_named(*options.lab, name) < 0)
            throw UsageError(fmt::format("'{}' has no step {}", options.lab->id, name), "", "use --block");
        options.blocks[name] = parse_block(text);
    }
}

void translate(const Raw& raw, Options& options) {
    const Lab& lab = *options.lab;
    if (raw.version) options.version = version_of(lab, *raw.version).number;
    if (!raw.view.empty()) options.view = place_named(lab, raw.view, "view", lab.views, view_named);
    if (options.look.against) (void)version_of(lab, *options.look.against);
    if (raw.no_blur) options.view = view_with(lab, options.view.value_or(lab.first_view), false);
    translate_blocks(raw, options);
    for (const std::string& knob : raw.knobs) options.knobs.insert(parse_knob(knob));
    if (!raw.device.empty())
        options.device = look_up<DeviceKind>(raw.device, "device", "auto, cuda, simt, cpu", device_named);
    if (!raw.gpu.empty()) options.gpu = GpuTable().named(raw.gpu).name;
    if (!raw.step.empty()) options.step = place_named(lab, raw.step, "step", lab.steps, step_named);
    if (!options.step && options.version) options.step = main_step(lab, version_of(lab, *options.version));
    if (!raw.size.empty()) options.size = parse_size(raw.size);
    if (!raw.work_size.empty() && !options.experiment)
        options.work_size = parse_work_size(raw.work_size, lab);
    translate_experiment(raw, options);
    options.interop = !raw.no_interop;
    options.chooses_lab = (!raw.lab.empty() && !options.experiment) || options.version || options.view ||
                          !options.blocks.empty() || !options.knobs.empty();
}

bool takes_experiments(Command command) {
    return command == Command::lab;
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
    app.footer("\nIn the window, F1 or ? shows all keys; Ctrl q quits.");
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

    CLI::App* lab = app.add_subcommand(
        "lab", "list the labs, the versions of one, run one of them, or sweep over sizes, blocks or knobs");
    lab->add_option("ID", raw.lab_text,
                    "lab; without it they are listed. A .cu file is a lab of one version: then the options "
                    "are those of simt");
    add_version(*lab, raw, false);
    add_work_options(*lab, options, raw);
    lab->add_option(
           "--size", raw.work_size,
           "of a lab without a picture: columns x rows, e.g. 4096x4096; of an experiment its bytes, e.g. 64M")
        ->type_name("NxM|BYTES");
    lab->add_option("--set", raw.settings,
                    "of an experiment: the value of a control, e.g. direction=up; may be repeated")
        ->type_name("NAME=VALUE")
        ->take_all();
    lab->add_option("--sweep", options.sweep.axes, "as 'warpscope sweep ID --axis AXIS'")->type_name("AXIS");
    lab->add_option("--csv", options.csv, "write the sweep's table as CSV")->type_name("FILE");
    lab->add_option("--output", options.output, "write the result as PNG, of a lab with pictures")
        ->type_name("FILE");
    add_number(*lab, "--repeat", options.repeat, 1, 200, "samples of each time, 1 to 200");
    add_json(lab);

    CLI::App* sweep = app.add_subcommand(
        "sweep", "run versions over block shapes, sizes or a knob, on the GPU or on simulated ones");
    sweep->add_option("ID", raw.lab_text, "lab; default: filters");
    add_version(*sweep, raw, false);
    add_work_options(*sweep, options, raw);
    add_sweep_options(*sweep, options, raw);
    add_number(*sweep, "--repeat", options.repeat, 1, 200, "samples of each time, 1 to 200");
    add_json(sweep);

    CLI::App* occupancy =
        app.add_subcommand("occupancy", "calculate the theoretical occupancy of a version's kernel on a GPU");
    add_version(*occupancy, raw, true);
    add_pipeline_options(*occupancy, options, raw);
    occupancy
        ->add_option("--stage,--step", raw.step, "gray, blur, edge or fused; default: the version's largest")
        ->type_name("STEP");
    add_json(occupancy);

    CLI::App* advise = app.add_subcommand(
        "advise", "say what limits a version's heaviest kernel, which counts show it, and what to try next");
    add_version(*advise, raw, true);
    add_pipeline_options(*advise, options, raw);
    advise->add_option("--size", raw.work_size, "of a lab without a picture: columns x rows, e.g. 4096x4096")
        ->type_name("NxM");
    add_json(advise);

    CLI::App* simt = app.add_subcommand(
        "simt",
        "run a version's kernel, or any kernel of a .cu file, on a simulated GPU and count what it does");
    add_simt_options(*simt, options, raw);
    add_json(simt);

    CLI::App* versions = app.add_subcommand("versions", "list the versions of a lab");
    versions->add_option("--lab", raw.lab, "lab; default: filters")->type_name("ID");
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

    // A person's file is a lab of one version: "lab FILE.cu" is "simt FILE.cu".
    std::vector<const char*> words(argv, argv + argc);
    if (argc > 2 && (std::string_view(words[1]) == "lab" || std::string_view(words[1]) == "sweep") &&
        std::string_view(words[2]).ends_with(".cu"))
        words[1] = "simt";
    try {
        app.parse(argc, words.data());
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
    const std::pair<CLI::App*, Command> commands[] = {{run, Command::run},
                                                      {lab, Command::lab},
                                                      {simt, Command::simt},
                                                      {sweep, Command::sweep},
                                                      {occupancy, Command::occupancy},
                                                      {versions, Command::versions},
                                                      {devices, Command::devices},
                                                      {kernels, Command::kernels},
                                                      {picture, Command::picture},
                                                      {advise, Command::advise}};
    for (const auto& [command, meaning] : commands) {
        if (command->parsed()) options.command = meaning;
    }
    refuse_empty(app);
    for (const CLI::App* command : app.get_subcommands()) refuse_empty(*command);
    if (!raw.lab_text.empty()) raw.lab = raw.lab_text;
    if (takes_experiments(options.command)) options.experiment = experiment_named(raw.lab);
    options.lab = &lab_named(raw.lab.empty() || options.experiment ? kFirstLab : raw.lab);
    raw.repeats = lab->count("--repeat") > 0;
    options.lists_labs = options.command == Command::lab && raw.lab_text.empty();
    if (options.command == Command::sweep && options.sweep.axes.empty()) options.sweep.axes = {"block"};
    if (options.command == Command::simt) translate_simt(raw, options);
    if (!raw.version_text.empty()) {
        raw.version = parse_number<int>(raw.version_text);
        if (!raw.version)
            throw UsageError(
                "'" + raw.version_text + "' is not a version", "",
                "choose from " + range_of_versions(*options.lab) + ", or see 'warpscope --help'");
    }
    translate(raw, options);
    return options;
}

}  // namespace ws
