#include "app/window/open_dialog.h"

#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "app/canvas/style.h"
#include "app/canvas/text.h"

namespace ws {
namespace fs = std::filesystem;

namespace {

bool looks_like_picture(const fs::path& path) {
    constexpr std::array<std::string_view, 13> kEndings{".jpg", ".jpeg", ".png", ".bmp", ".tga",
                                                        ".psd", ".gif",  ".ppm", ".pgm", ".pnm",
                                                        ".jpe", ".jfif", ".webp"};
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

// "~/pictures" as a shell has it.
std::string from_home(const std::string& path) {
    const char* home = std::getenv("HOME");
    if (!home || path.empty() || path[0] != '~' || (path.size() > 1 && path[1] != '/')) return path;
    return home + path.substr(1);
}

}  // namespace

void OpenDialog::show(const fs::path& folder) {
    if (folder_.empty()) list(folder);
    visible_ = true;
    focus_ = true;
}

void OpenDialog::list(const fs::path& folder) {
    constexpr std::size_t kMost = 5000;
    std::error_code status;
    std::vector<fs::path> folders;
    std::vector<fs::path> files;
    fs::directory_iterator entries(folder, fs::directory_options::skip_permission_denied, status);
    if (status) {
        problem_ = folder.string() + ": " + status.message();
        return;
    }
    for (const fs::directory_entry& entry : entries) {
        if (entry.path().filename().string().rfind('.', 0) == 0) continue;
        if (entry.is_directory(status))
            folders.push_back(entry.path());
        else if (looks_like_picture(entry.path()))
            files.push_back(entry.path());
        if (folders.size() + files.size() >= kMost) break;
    }
    std::sort(folders.begin(), folders.end());
    std::sort(files.begin(), files.end());
    entries_ = std::move(folders);
    entries_.insert(entries_.end(), files.begin(), files.end());
    folder_ = folder;
    problem_.clear();
}

void OpenDialog::draw(Theme theme, Edits& edits) {
    if (!visible_) return;
    std::string chosen;
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({screen.x / 2, screen.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::SetNextWindowSize({std::min(screen.x * 0.9f, 40 * em()), std::min(screen.y * 0.9f, 30 * em())});
    ImGui::SetNextWindowFocus();
    ImGui::Begin("Open a picture", &visible_,
                 ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings);
    wrapped(color_of(theme, Ink::dim),
            "Type a path and press Enter, choose below, or drop a file on the window.");
    ImGui::SetNextItemWidth(-1);
    if (focus_) ImGui::SetKeyboardFocusHere();
    focus_ = false;
    if (ImGui::InputText("##path", &typed_,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll)) {
        std::error_code status;
        typed_ = from_home(typed_);
        if (fs::is_directory(typed_, status)) {
            list(typed_);
            focus_ = true;
        } else if (!typed_.empty()) {
            chosen = typed_;
        }
    }
    if (!problem_.empty()) wrapped(color_of(theme, Ink::alarm), problem_);
    wrapped(color_of(theme, Ink::dim), folder_.string());
    ImGui::BeginChild("entries", {0, -ImGui::GetFrameHeightWithSpacing()}, true);
    std::optional<fs::path> enter;
    if (folder_.has_parent_path() && ImGui::Selectable("../")) enter = folder_.parent_path();
    for (const fs::path& entry : entries_) {
        std::error_code status;
        const bool is_folder = fs::is_directory(entry, status);
        const std::string label = entry.filename().string() + (is_folder ? "/" : "");
        if (!ImGui::Selectable(label.c_str())) continue;
        if (is_folder)
            enter = entry;
        else
            chosen = entry.string();
    }
    ImGui::EndChild();
    if (enter) list(*enter);
    if (ImGui::Button("cancel (Esc)")) visible_ = false;
    ImGui::End();
    if (chosen.empty()) return;
    visible_ = false;
    edits.add(OpenPicture{chosen});
}

}  // namespace ws
