#include "app/window/saved_state.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

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
    if (view < 0) view = lab->first_view;
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

std::vector<ViewEdit> read_view(const Json& pipeline, const Json& window) {
    std::vector<ViewEdit> edits;
    edits.push_back(InspectStep{pipeline.value("inspected", "")});
    edits.push_back(ScaleText{window.value("font_scale", 1.0f)});
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

Json pipeline_json(const SavedState& state) {
    const Work& work = state.work;
    Json json{{"lab", work.lab->id},
              {"version", work.version},
              {"show", work.lab->views[std::size_t(work.view)].name}};
    if (!work.lab->takes_picture()) json["size"] = {work.size.width, work.size.height};
    for (std::size_t i = 0; i < work.lab->steps.size(); ++i)
        json["blocks"][std::string(work.lab->steps[i].name)] = {work.blocks[i].x, work.blocks[i].y};
    json["knobs"] = work.knobs;
    json["device"] = name_of(work.device);
    json["target_gpu"] = work.target_gpu;
    json["inspected"] = state.preferences.step;
    return json;
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
        return {read_work(pipeline), read_view(pipeline, window), read_place(window), ""};
    } catch (const std::exception& error) {
        nothing.problem = "the settings could not be read (" + path.string() + "): " + error.what() +
                          "; starting with defaults";
        return nothing;
    }
}

void save_state(const std::filesystem::path& path, const SavedState& state) {
    if (path.empty()) return;
    const Json json{{"pipeline", pipeline_json(state)},
                    {"window",
                     {{"font_scale", state.preferences.font_scale},
                      {"width", state.window.size.width},
                      {"height", state.window.size.height},
                      {"full_screen", state.window.full_screen}}}};
    write_file(path, json.dump(2) + "\n");
}

}  // namespace ws
