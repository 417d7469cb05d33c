#include "app/window/folder_rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "gpu/core/error.h"
#include "gpu/picture/builtin_pictures.h"

namespace ws {
namespace fs = std::filesystem;

namespace {

std::string lower(std::string_view text) {
    std::string made(text);
    std::transform(made.begin(), made.end(), made.begin(),
                   [](unsigned char c) { return char(std::tolower(c)); });
    return made;
}

bool looks_like_picture(const fs::path& path) {
    constexpr std::array<std::string_view, 13> kEndings{".jpg", ".jpeg", ".png", ".bmp", ".tga",
                                                        ".psd", ".gif",  ".ppm", ".pgm", ".pnm",
                                                        ".jpe", ".jfif", ".webp"};
    const std::string ending = lower(path.extension().string());
    return std::find(kEndings.begin(), kEndings.end(), ending) != kEndings.end();
}

// Empty where HOME says nothing.
std::string home() {
    const char* named = std::getenv("HOME");
    return named ? named : "";
}

}  // namespace

std::string from_home(const std::string& path) {
    const std::string folder = home();
    if (folder.empty() || path.empty() || path[0] != '~' || (path.size() > 1 && path[1] != '/')) return path;
    return folder + path.substr(1);
}

std::string to_home(const std::string& path) {
    const std::string folder = home();
    if (folder.size() < 2 || !path.starts_with(folder)) return path;
    if (path.size() > folder.size() && path[folder.size()] != '/') return path;
    return "~" + path.substr(folder.size());
}

std::vector<FolderRow> folder_rows(const fs::path& folder, std::span<const std::string> recent) {
    using Row = FolderRow::Kind;
    std::vector<FolderRow> rows;
    std::error_code status;
    for (const std::string& path : recent) {
        if (!fs::is_regular_file(path, status)) continue;  // it is gone: nobody needs to hear of it
        rows.push_back({Row::recent, fs::path(path).filename().string(), thumbnail_key(path)});
    }
    for (const BuiltinPicture& one : builtin_pictures())
        rows.push_back({Row::builtin, std::string(one.name), {std::string(one.name)}});
    if (folder.has_parent_path() && folder.parent_path() != folder)
        rows.push_back({Row::parent, "..", {folder.parent_path().string()}});
    fs::directory_iterator entries(folder, fs::directory_options::skip_permission_denied, status);
    if (status) throw Error("the folder cannot be read", folder.string(), status.message());
    std::vector<FolderRow> found;
    while (entries != fs::directory_iterator() && found.size() < kMostFolderRows) {
        const fs::path path = entries->path();
        const std::string name = path.filename().string();
        if (!name.starts_with('.')) {
            if (entries->is_directory(status))
                found.push_back({Row::folder, name + "/", {path.string()}});
            else if (looks_like_picture(path))
                found.push_back({Row::picture, name, thumbnail_key(path)});
        }
        entries.increment(status);
        if (status) break;
    }
    std::sort(found.begin(), found.end(), [](const FolderRow& a, const FolderRow& b) {
        return a.kind != b.kind ? a.kind < b.kind : a.name < b.name;
    });
    rows.insert(rows.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
    return rows;
}

bool is_path(std::string_view typed) {
    return typed.starts_with('~') || typed.find('/') != std::string_view::npos || typed == "." ||
           typed == "..";
}

std::vector<int> matching(std::span<const FolderRow> rows, std::string_view typed) {
    std::vector<int> shown;
    const std::string wanted = is_path(typed) ? "" : lower(typed);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (lower(rows[i].name).find(wanted) != std::string::npos) shown.push_back(int(i));
    }
    return shown;
}

}  // namespace ws
