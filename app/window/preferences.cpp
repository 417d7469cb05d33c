#include "app/window/preferences.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/pipeline/requests.h"
#include "gpu/pipeline/versions.h"

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

void read_settings(const Json& json, Settings& settings) {
    const int version = whole_number(json, "version", 0);
    for (const Version& row : versions()) {
        if (row.number == version) settings = with_version(settings, row);
    }
    settings.view = view_named(json.value("show", "edge")).value_or(View::edge);
    settings.blur_first = json.value("blur_first", true);
    for (const Stage stage : kStages) {
        const Json sides =
            json.value("blocks", Json::object()).value(std::string(name_of(stage)), Json::array());
        if (sides.size() != 2) continue;
        const Block block{whole_number(sides[0]), whole_number(sides[1])};
        if (block.valid()) settings.block(stage) = block;
    }
    const Json knobs = json.value("knobs", Json::object());
    for (const auto& [name, value] : knobs.items()) settings.knobs[name] = whole_number(value);
    for (const DeviceKind kind : {DeviceKind::automatic, DeviceKind::simt, DeviceKind::cpu}) {
        if (json.value("device", "auto") == name_of(kind)) settings.device = kind;
    }
    settings.target_gpu = json.value("target_gpu", "");
    settings.inspected = stage_named(json.value("inspected", "blur")).value_or(Stage::blur);
}

Json settings_json(const Settings& settings) {
    Json json{
        {"version", settings.version}, {"show", name_of(settings.view)}, {"blur_first", settings.blur_first}};
    for (const Stage stage : kStages) {
        json["blocks"][std::string(name_of(stage))] = {settings.block(stage).x, settings.block(stage).y};
    }
    json["knobs"] = settings.knobs;
    json["device"] = name_of(settings.device);
    json["target_gpu"] = settings.target_gpu;
    json["inspected"] = name_of(settings.inspected);
    return json;
}

}  // namespace

std::filesystem::path settings_path() {
    const std::filesystem::path folder = config_folder();
    return folder.empty() ? folder : folder / "settings.json";
}

SavedState load_state(const std::filesystem::path& path, std::string& problem) {
    SavedState state;
    state.settings = with_version(state.settings, versions().front());
    std::error_code status;
    if (!std::filesystem::exists(path, status)) return state;
    try {
        const Json json = Json::parse(read_file(path, 1 << 20));
        SavedState read = state;
        read_settings(json.value("pipeline", Json::object()), read.settings);
        const Json window = json.value("window", Json::object());
        read.preferences.font_scale =
            std::clamp(window.value("font_scale", 1.0f), kLeastFontScale, kMostFontScale);
        read.preferences.window.width = std::clamp(whole_number(window, "width", 1600), 640, 16384);
        read.preferences.window.height = std::clamp(whole_number(window, "height", 1000), 480, 16384);
        read.preferences.full_screen = window.value("full_screen", false);
        read.preferences.open_panels =
            window.value("open_panels", std::map<std::string, bool, std::less<>>{});
        return read;
    } catch (const std::exception& error) {
        problem = "the settings could not be read (" + path.string() + "): " + error.what() +
                  "; starting with defaults";
        return state;
    }
}

void save_state(const std::filesystem::path& path, const SavedState& state) {
    if (path.empty()) return;
    const Preferences& preferences = state.preferences;
    const Json json{{"pipeline", settings_json(state.settings)},
                    {"window",
                     {{"font_scale", preferences.font_scale},
                      {"width", preferences.window.width},
                      {"height", preferences.window.height},
                      {"full_screen", preferences.full_screen},
                      {"open_panels", preferences.open_panels}}}};
    write_file(path, json.dump(2) + "\n");
}

}  // namespace ws
