// What App does over several frames: reading a picture, the walk through all versions, saving
// pictures, keeping settings.

#include <imgui.h>

#include "app/cli/commands.h"
#include "app/window/app.h"
#include "gpu/core/background.h"
#include "gpu/core/files.h"
#include "gpu/pipeline/requests.h"
#include "gpu/pipeline/versions.h"

namespace ws {

void App::open_picture(const std::string& path) {
    if (opening_.active()) {
        next_path_ = path;  // the last one asked for wins
        return;
    }
    opening_path_ = path;
    opening_ = reading(path);
}

// Shows the picture that was read meanwhile; one that could not be read leaves the previous one.
void App::take_opened_picture() {
    std::optional<Result<Picture>> opened = opening_.poll();
    if (!opened) return;
    try {
        if (!opened->ok()) throw Error(opened->message());
        engine_->set_picture(std::move(opened->value()), picture_label(opening_path_));
        original_fresh_ = false;
        camera_ = {};
        tell("opened " + opening_path_, false);
    } catch (...) {
        tell(caught_message(), true);
    }
    if (!next_path_.empty()) open_picture(std::exchange(next_path_, {}));
}

// Walks through all versions until each has its times.
void App::step_tour() {
    constexpr int kSamples = 25;
    Settings& settings = state_.settings;
    if (!settings.measure_all) {
        tour_return_.reset();
        return;
    }
    const Snapshot& snapshot = engine_->snapshot();
    if (!tour_return_) {
        tour_return_ = settings.version;
        settings = with_version(settings, versions().front());
        return;
    }
    const bool failed =
        snapshot.failure || snapshot.device.kind != DeviceKind::cuda || settings.view == View::original;
    const bool done = snapshot.settings.version == settings.version && !snapshot.stale &&
                      snapshot.total_ms.samples >= kSamples;
    if (!done && !failed) return;
    for (const Version& version : versions()) {
        if (version.number <= settings.version) continue;
        settings = with_version(settings, version);
        return;
    }
    settings = with_version(settings, version_numbered(*tour_return_));
    settings.measure_all = false;
    tour_return_.reset();
}

void App::save_before_after() {
    if (capture_.busy()) {
        tell("still writing the previous pictures", false);
        return;
    }
    save_wanted_ = true;
    save_when_ready();
}

// Saves once the picture on the screen and its times are those of the settings: a caption must be true.
void App::save_when_ready() {
    if (!save_wanted_ || capture_.busy()) return;
    const Snapshot& snapshot = engine_->snapshot();
    const bool original = state_.settings.view == View::original;
    if (!original && (snapshot.failure || snapshot.stale) && snapshot.compiling == 0) {
        save_wanted_ = false;
        tell("not saved: the screen does not show the chosen picture yet", true);
        return;
    }
    constexpr int kSamples = 10;
    const bool ready =
        snapshot.settings == state_.settings && gray_fresh_ && !snapshot.stale && snapshot.drawn &&
        snapshot.drawn->current && !engine_->wants_first_run() &&
        (snapshot.simulation ? snapshot.simulation->complete : snapshot.total_ms.samples >= kSamples);
    if (!original && !ready) return;
    save_wanted_ = false;
    CaptureRequest request =
        describe_capture(snapshot, options_.shots.empty() ? pictures_folder() : options_.shots);
    request.original = engine_->picture();
    if (!original) request.current = read_shown();
    capture_.start(std::move(request));
    tell("saving the original and the result", false);
}

void App::save_settings_when_changed() {
    constexpr double kRest = 0.3;
    const bool changed = !(state_.settings == saved_.settings) || !(state_.preferences == saved_.preferences);
    if (changed && !state_.settings.measure_all) {
        saved_ = state_;
        changed_at_ = ImGui::GetTime();
    }
    if (changed_at_ < 0 || ImGui::GetTime() - changed_at_ < kRest) return;
    changed_at_ = -1;
    if (!persist_) return;
    try {
        save_state(settings_path(), saved_);
    } catch (const Error& error) {
        persist_ = false;  // said once
        tell(std::string("cannot save the settings: ") + error.what(), true);
    }
}

}  // namespace ws
