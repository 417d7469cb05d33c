// From the texts of the command line to values.

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/batch_command.h"
#include "app/cli/command_table.h"
#include "gpu/core/error.h"
#include "gpu/core/numbers.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

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

void translate_simt(RawOptions& raw, Options& options) {
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
    const std::optional<DeviceChoice> device = device_named(raw.device.empty() ? "simt" : raw.device);
    if (!device || (device->kind != DeviceKind::simt && device->kind != DeviceKind::cuda))
        throw UsageError("'" + raw.device + "' runs no .cu file", "", "choose one of simt, cuda, cuda:1");
    if (!raw.grid.empty()) simt.grid = parse_shape(raw.grid);
    if (!raw.block.empty()) simt.block = parse_shape(raw.block);
    raw.block.clear();
}

void refuse_debug(const RawOptions& raw, const Options& options) {
    if (raw.version || std::string_view(options.simt.what).ends_with(".cu")) return;
    throw UsageError(
        "'" + options.simt.what + "' is no .cu file and no version", "",
        "write 'warpscope debug FILE.cu', 'warpscope debug VERSION' or 'warpscope debug ID VERSION'");
}

// What belongs to the window means nothing in a terminal.
void refuse_debug_looks(const RawOptions& raw, const Options& options) {
    if (options.command == Command::picture && !options.debug.commands.empty() &&
        options.look.tab != "debugger")
        throw UsageError("--commands are the debugger's", "", "add --tab debugger");
    if (options.command != Command::debug) return;
    if (!raw.size.empty() && options.output.empty())
        throw UsageError("--pixels is the size of a picture", "", "add --output FILE");
    const bool looks = !options.look.theme.empty() || !options.language.empty();
    if (looks && options.output.empty() && !options.debug.window)
        throw UsageError("--theme and --language belong to the window", "", "add --window or --output FILE");
}

void translate_sass(RawOptions& raw, const Options& options) {
    raw.version = parse_number<int>(options.simt.what);
    if (raw.version && !options.simt.kernel.empty())
        throw UsageError("--kernel belongs to a .cu file", "", "a version takes --step");
    if (!raw.version && (!raw.block.empty() || !raw.step.empty() || !options.kernel_folder.empty()))
        throw UsageError("--block, --step and --kernels belong to a version", "",
                         "a .cu file takes --kernel and --knob");
}

template <typename T, typename Find>
T look_up(const std::string& text, const char* what, const char* choices, const Find& find) {
    const std::optional<T> found = find(text);
    if (!found)
        throw UsageError(fmt::format("'{}' is not a {}", text, what), "",
                         fmt::format("choose one of {}", choices));
    return *found;
}

DeviceChoice parse_device(const std::string& text, const Options& options) {
    const DeviceChoice choice = look_up<DeviceChoice>(text, "device", kDeviceChoices, device_named);
    if (choice.gpu == kAllGpus && (options.command != Command::run || !names_many(options.image)))
        throw UsageError("cuda:all is for many pictures", "",
                         "write 'warpscope run VERSION --image FOLDER --output FOLDER --device cuda:all', or "
                         "choose one GPU, e.g. cuda:0");
    return choice;
}

Extent parse_size(const std::string& text) {
    const std::vector<int> sides = parse_sides(text);
    if (sides.size() != 2 || sides[0] < 320 || sides[1] < 240 || sides[0] > 8192 || sides[1] > 8192)
        throw UsageError("'" + text + "' is not a size", "", "write it as 1600x1000, 320x240 to 8192x8192");
    return {sides[0], sides[1]};
}

Detail parse_detail(const std::string& text) {
    if (text == "all") return {};
    const std::size_t x = std::min(text.find('+'), text.size());
    const std::size_t y = std::min(text.find('+', x + 1), text.size());
    const std::vector<int> sides = parse_sides(text.substr(0, x));
    const auto place = [&](std::size_t from, std::size_t to) {
        return from < to ? parse_number<int>(std::string_view(text).substr(from + 1, to - from - 1))
                         : std::nullopt;
    };
    const std::optional<int> left = place(x, y);
    const std::optional<int> top = place(y, text.size());
    if (sides.size() != 2 || sides[0] < 1 || sides[1] < 1 || !left || !top || *left < 0 || *top < 0)
        throw UsageError("'" + text + "' is no part of a picture", "",
                         "write it as 900x600+2200+1300, or 'all'");
    return {sides[0], sides[1], *left, *top};
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
void refuse_kernel_options(const RawOptions& raw, const Options& options) {
    const bool work = raw.version || !raw.view.empty() || !raw.block.empty() || !raw.block_gray.empty() ||
                      !raw.block_edge.empty() || !raw.knobs.empty() || raw.no_blur;
    const bool picture =
        options.command == Command::lab && (!options.image.empty() || !options.output.empty());
    if (work || picture)
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

void translate_experiment(const RawOptions& raw, Options& options) {
    if (!options.experiment) {
        if (!raw.settings.empty())
            throw UsageError("--set belongs to an experiment", "", "see 'warpscope lab'");
        return;
    }
    refuse_kernel_options(raw, options);
    // A step of a lecture may go on from those of the one before.
    if (options.controls.empty()) options.controls = first_values(*options.experiment);
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

void translate_blocks(const RawOptions& raw, Options& options) {
    const bool one_step = options.command == Command::simt || options.command == Command::sass ||
                          options.command == Command::debug;
    const std::string step = one_step ? raw.step : "";
    for (const auto& [name, text] :
         {std::pair{step, raw.block}, {"gray", raw.block_gray}, {"edge", raw.block_edge}}) {
        if (text.empty()) continue;
        if (!name.empty() && step_named(*options.lab, name) < 0)
            throw UsageError(fmt::format("'{}' has no step {}", options.lab->id, name), "", "use --block");
        options.blocks[name] = parse_block(text);
    }
}

// What is written is what its name says. The poster, which is a PDF, too, has its own answer.
void refuse_endings(const Options& options) {
    const std::filesystem::path& output = options.output;
    const bool results = options.command == Command::run || options.command == Command::lab;
    if (output.empty() || options.command == Command::poster || options.command == Command::calibrate) return;
    if (options.command == Command::run && names_many(options.image)) return;  // a folder
    const std::string ending = output.extension().string();
    std::error_code unknown;
    if (std::filesystem::exists(output, unknown) && !std::filesystem::is_regular_file(output, unknown))
        return;  // a pipe, say
    if (ending == ".png" || (results && ending == ".pgm")) return;
    throw UsageError(
        results ? "a result is written as PNG or PGM" : "a picture of the window is written as PNG",
        output.string(), results ? "name a file that ends in .png or .pgm" : "name a file that ends in .png");
}

// A text, so that what is no number gets an answer.
void translate_version(RawOptions& raw, const Options& options) {
    if (raw.version_text.empty()) return;
    raw.version = parse_number<int>(raw.version_text);
    if (!raw.version)
        throw UsageError("'" + raw.version_text + "' is not a version", "",
                         "choose from " + range_of_versions(*options.lab) + ", or see 'warpscope --help'");
}

}  // namespace

std::string range_of_versions(const Lab& lab) {
    return fmt::format("{} to {}", lab.versions.front().number, lab.versions.back().number);
}

void translate(RawOptions& raw, Options& options) {
    const Lab& lab = *options.lab;
    if (options.command == Command::simt || options.command == Command::debug) translate_simt(raw, options);
    if (options.command == Command::debug) refuse_debug(raw, options);
    refuse_debug_looks(raw, options);
    refuse_endings(options);
    if (options.command == Command::sass) translate_sass(raw, options);
    translate_version(raw, options);
    if (raw.version) options.version = version_of(lab, *raw.version).number;
    if (!raw.view.empty()) options.view = place_named(lab, raw.view, "view", lab.views, view_named);
    if (options.look.against) (void)version_of(lab, *options.look.against);
    if (raw.no_blur) options.view = view_with(lab, options.view.value_or(first_view(lab)), false);
    translate_blocks(raw, options);
    for (const std::string& knob : raw.knobs) options.knobs.insert(parse_knob(knob));
    if (!raw.device.empty()) options.device = parse_device(raw.device, options);
    if (!raw.gpu.empty()) options.gpu = GpuTable().named(raw.gpu).name;
    if (!raw.step.empty()) options.step = place_named(lab, raw.step, "step", lab.steps, step_named);
    if (!options.step && options.version) options.step = main_step(lab, version_of(lab, *options.version));
    if (!raw.size.empty()) options.size = parse_size(raw.size);
    if (!raw.zoom.empty()) options.look.zoom = parse_detail(raw.zoom);
    if (options.look.access && !options.look.line)
        throw UsageError("an access is one of a line", "", "add --line LINE");
    if (!raw.work_size.empty() && !options.experiment)
        options.work_size = parse_work_size(raw.work_size, lab);
    translate_experiment(raw, options);
    options.interop = !raw.no_interop;
    options.chooses_lab = (!raw.lab.empty() && !options.experiment) || options.version || options.view ||
                          !options.blocks.empty() || !options.knobs.empty();
}

}  // namespace ws
