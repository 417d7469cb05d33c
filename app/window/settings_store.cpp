#include "app/window/settings_store.h"

#include "gpu/core/error.h"

namespace ws {

SettingsStore::SettingsStore(std::filesystem::path path, SavedState saved)
    : path_(std::move(path)), saved_(std::move(saved)), latest_(saved_) {}

std::string SettingsStore::update(const Work& work, const Preferences& preferences, const WindowPlace& window,
                                  const std::string& picture, double now) {
    if (!(work == latest_.work && preferences == latest_.preferences && window == latest_.window &&
          picture == latest_.picture)) {
        latest_ = {work, preferences, window, picture};
        changed_at_ = now;
    }
    // A slider that moves is not worth a file for every step.
    constexpr double kRestSeconds = 0.3;
    if (!busy() || now - changed_at_ < kRestSeconds) return {};
    try {
        save_state(path_, latest_);
        saved_ = latest_;
        return {};
    } catch (const Error& error) {
        failed_ = true;
        return std::string("cannot save the settings: ") + error.what();
    }
}

}  // namespace ws
