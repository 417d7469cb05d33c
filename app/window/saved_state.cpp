#include "app/window/saved_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/cli/look_names.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

using Json = nlohmann::ordered_json;

// A whole number that `int` holds; the library itself would cut others off.
int whole_number(const Json& json) {
    if (!json.is_number_integer() || json > std::numeric_limits<int>::max() ||
        json < std::numeric_limits<int>::min())
        throw Error("'" + json.dump() + "' is not a whole number");
    return json.get<int>();
}

int whole_number(const Json& object, const char* key, int otherwise) {
    return object.contains(key) ? whole_number(object.at(key)) : otherwise;
}

std::vector<WorkEdit> read_work(const Json& json) {
    std::vector<WorkEdit> edits;
    const Lab* lab = labs().front();
    for (const Lab* other : labs()) {
        if (json.value("lab", "") == other->id) lab = other;
    }
    edits.push_back(ChooseLab{std::string(lab->id)});
    edits.push_back(ChooseVersion{whole_number(json, "version", lab->versions.front().number)});
    int view = view_named(*lab, json.value("show", ""));
    if (view < 0) view = first_view(*lab);
    // Files of earlier programs have the step that a view leaves out on its own.
    edits.push_back(ChooseView{json.value("blur_first", true) ? view : view_with(*lab, view, false)});
    if (json.contains("size") && json["size"].size() == 2)
        edits.push_back(ChooseSize{{whole_number(json["size"][0]), whole_number(json["size"][1])}});
    const Json blocks = json.value("blocks", Json::object());
    for (std::size_t i = 0; i < lab->steps.size(); ++i) {
        const Json sides = blocks.value(std::string(lab->steps[i].name), Json::array());
        if (sides.size() != 2) continue;
        const Block block{whole_number(sides[0]), whole_number(sides[1])};
        if (block.valid()) edits.push_back(ChooseBlock{int(i), block});
    }
    const Json knobs = json.value("knobs", Json::object());
    for (const auto& [name, value] : knobs.items()) edits.push_back(ChooseKnob{name, whole_number(value)});
    for (const DeviceKind kind : {DeviceKind::automatic, DeviceKind::simt, DeviceKind::cpu}) {
        if (json.value("device", "auto") == name_of(kind)) edits.push_back(ChooseDevice{kind});
    }
    edits.push_back(ChooseGpu{json.value("target_gpu", "")});
    return edits;
}

constexpr std::array kPlaceAxes{"column", "row", "both"};
constexpr std::array kFramings{"fill", "whole", "free", "detail"};

// The place of a name; `otherwise` for one that another program wrote.
template <typename T, std::size_t N>
T named(const std::array<const char*, N>& names, const Json& json, const char* key, T otherwise) {
    const std::string wanted = json.value(key, "");
    const auto found = std::find(names.begin(), names.end(), wanted);
    return found == names.end() ? otherwise : T(found - names.begin());
}

Camera read_camera(const Json& json) {
    Camera camera;
    camera.framing = named(kFramings, json, "framing", camera.framing);
    if (camera.framing != Framing::free && camera.framing != Framing::detail) return camera;
    camera.zoom = std::clamp(json.value("zoom", 1.0f), 1.0f / 64, 64.0f);
    camera.center_x = json.value("center_x", 0.0f);
    camera.center_y = json.value("center_y", 0.0f);
    if (camera.framing == Framing::free) return camera;
    camera.across = std::max(1.0f, json.value("across", 1.0f));
    camera.down = std::max(1.0f, json.value("down", 1.0f));
    return camera;
}

constexpr std::array kAKinds{"usual", "view", "baseline", "version"};

ChosenA read_a(const Json& json) {
    return {named(kAKinds, json, "kind", ChosenA::Kind::usual), json.value("view", ""),
            whole_number(json, "version", 0)};
}

Pin read_pin(const Json& json) {
    Pin pin;
    pin.name = json.value("name", "");
    pin.input = json.value("input", "");
    pin.given = json.value("given", "");
    // A number of 64 bits is kept as text: not every reader of JSON has so many.
    pin.pinned.input.content = std::stoull(json.value("content", "0"), nullptr, 16);
    pin.pinned.input.knobs = std::stoull(json.value("input_knobs", "0"), nullptr, 16);
    if (json.contains("extent") && json["extent"].size() == 2)
        pin.pinned.input.size = {whole_number(json["extent"][0]), whole_number(json["extent"][1])};
    pin.pinned.work = edited(initial_work(), read_work(json.value("work", Json::object())),
                             KernelLibrary(std::filesystem::path()));
    return pin;
}

std::optional<WarpPlace> read_warp(const Json& json) {
    if (!json.is_array() || json.size() != 3) return std::nullopt;
    const WarpPlace at{whole_number(json[0]), whole_number(json[1]), whole_number(json[2])};
    if (at.block_x < 0 || at.block_y < 0 || at.warp < 0) return std::nullopt;
    return at;
}
Json warp_json(const std::optional<WarpPlace>& at) {
    return at ? Json{at->block_x, at->block_y, at->warp} : Json();
}

std::vector<ViewEdit> read_view(const Json& pipeline, const Json& window) {
    std::vector<ViewEdit> edits;
    const Preferences usual;
    edits.push_back(InspectStep{pipeline.value("inspected", "")});
    edits.push_back(ScaleText{window.value("font_scale", 1.0f)});
    edits.push_back(ChooseTheme{named(kThemeNames, window, "theme", usual.theme)});
    edits.push_back(ChooseLanguage{window.value("language", usual.language)});
    edits.push_back(ChooseTab{named(kTabNames, window, "tab", usual.tab)});
    edits.push_back(ChooseCompare{named(kCompareNames, window, "compare", usual.comparison.how)});
    edits.push_back(ChooseA{read_a(window.value("a", Json::object()))});
    edits.push_back(MoveWipe{window.value("wipe", usual.comparison.wipe)});
    edits.push_back(ShowRemovedLines{window.value("removed_lines", usual.removed_lines)});
    edits.push_back(ShowChangesOnly{window.value("changes_only", usual.changes_only)});
    edits.push_back(ChooseLineShare{named(kLineShareNames, window, "line_share", usual.line_share)});
    edits.push_back(Amplify{whole_number(window, "amplification", usual.comparison.amplification)});
    edits.push_back(ChoosePlaces{named(kPlaceAxes, window, "places", usual.comparison.places)});
    edits.push_back(UseInk{window.value("ink", usual.ink)});
    edits.push_back(MoveCamera{read_camera(window.value("camera", Json::object()))});
    const Json pins = window.value("pins", Json::array());
    for (auto pin = pins.rbegin(); pin != pins.rend(); ++pin) edits.push_back(KeepPin{read_pin(*pin)});
    const Json recent = window.value("recent", Json::array());
    for (auto path = recent.rbegin(); path != recent.rend(); ++path)
        edits.push_back(KeepRecent{path->get<std::string>()});
    edits.push_back(ChooseBaseline{whole_number(window, "baseline", -1)});
    edits.push_back(ChooseWarp{read_warp(window.value("warp", Json()))});
    return edits;
}

WindowPlace read_place(const Json& window) {
    const WindowPlace usual;
    WindowPlace place;
    place.size.width = std::clamp(whole_number(window, "width", usual.size.width), 640, 16384);
    place.size.height = std::clamp(whole_number(window, "height", usual.size.height), 480, 16384);
    place.full_screen = window.value("full_screen", false);
    return place;
}

Json work_json(const Work& work) {
    Json json{{"lab", work.lab->id},
              {"version", work.version},
              {"show", work.lab->views[std::size_t(work.view)].name}};
    if (!work.lab->takes_picture()) json["size"] = {work.size.width, work.size.height};
    for (std::size_t i = 0; i < work.lab->steps.size(); ++i)
        json["blocks"][std::string(work.lab->steps[i].name)] = {work.blocks[i].x, work.blocks[i].y};
    json["knobs"] = work.knobs;
    json["device"] = name_of(work.device);
    json["target_gpu"] = work.target_gpu;
    return json;
}

Json pin_json(const Pin& pin) {
    return {{"name", pin.name},
            {"input", pin.input},
            {"given", pin.given},
            {"content", fmt::format("{:x}", pin.pinned.input.content)},
            {"input_knobs", fmt::format("{:x}", pin.pinned.input.knobs)},
            {"extent", {pin.pinned.input.size.width, pin.pinned.input.size.height}},
            {"work", work_json(pin.pinned.work)}};
}

Json window_json(const SavedState& state) {
    const Preferences& kept = state.preferences;
    const Camera& camera = kept.camera;
    Json pins = Json::array();
    for (const Pin& pin : kept.pins) pins.push_back(pin_json(pin));
    return {{"font_scale", kept.font_scale},
            {"theme", kThemeNames[std::size_t(kept.theme)]},
            {"language", kept.language},
            {"tab", kTabNames[std::size_t(kept.tab)]},
            {"compare", kCompareNames[std::size_t(kept.comparison.how)]},
            {"a",
             {{"kind", kAKinds[std::size_t(kept.comparison.a.kind)]},
              {"view", kept.comparison.a.view},
              {"version", kept.comparison.a.version}}},
            {"wipe", kept.comparison.wipe},
            {"removed_lines", kept.removed_lines},
            {"changes_only", kept.changes_only},
            {"line_share", kLineShareNames[std::size_t(kept.line_share)]},
            {"amplification", kept.comparison.amplification},
            {"places", kPlaceAxes[std::size_t(kept.comparison.places)]},
            {"ink", kept.ink},
            {"camera",
             {{"framing", kFramings[std::size_t(camera.framing)]},
              {"zoom", camera.zoom},
              {"center_x", camera.center_x},
              {"center_y", camera.center_y},
              {"across", camera.across},
              {"down", camera.down}}},
            {"pins", pins},
            {"recent", kept.recent},
            {"baseline", kept.baseline},
            {"warp", warp_json(kept.warp)},
            {"width", state.window.size.width},
            {"height", state.window.size.height},
            {"full_screen", state.window.full_screen}};
}

}  // namespace

std::filesystem::path settings_path() {
    const std::filesystem::path folder = config_folder();
    return folder.empty() ? folder : folder / "settings.json";
}

RestoredState load_state(const std::filesystem::path& path) {
    RestoredState nothing;
    std::error_code status;
    if (!std::filesystem::exists(path, status)) return nothing;
    try {
        const Json json = Json::parse(read_file(path, 1 << 20));
        const Json pipeline = json.value("pipeline", Json::object());
        const Json window = json.value("window", Json::object());
        return {read_work(pipeline), read_view(pipeline, window), read_place(window),
                json.value("picture", ""), ""};
    } catch (const std::exception& error) {
        nothing.problem = "the settings could not be read (" + path.string() + "): " + error.what() +
                          "; starting with defaults";
        return nothing;
    }
}

std::string state_text(const SavedState& state) {
    Json pipeline = work_json(state.work);
    pipeline["inspected"] = state.preferences.step;
    const Json json{
        {"pipeline", std::move(pipeline)}, {"window", window_json(state)}, {"picture", state.picture}};
    return json.dump(2) + "\n";
}

void save_state(const std::filesystem::path& path, const SavedState& state) {
    if (!path.empty()) write_file(path, state_text(state));
}

}  // namespace ws
