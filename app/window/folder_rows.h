#pragma once
// What the open dialog offers: pictures that were open lately, those of the program, and what lies in a
// folder.

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/thumbnails.h"

namespace ws {

struct FolderRow {
    enum class Kind : std::uint8_t { recent, builtin, parent, folder, picture };
    Kind kind = Kind::picture;
    std::string name;   // as it is shown
    ThumbnailKey file;  // with the path that opens it
    [[nodiscard]] bool is_folder() const { return kind == Kind::parent || kind == Kind::folder; }
};

// At most so many entries of a folder.
inline constexpr std::size_t kMostFolderRows = 5000;

// Recent pictures that are still there, built-in ones, the folder above, folders, pictures, each by name.
// Hidden files are left out. Throws Error for a folder that cannot be read.
[[nodiscard]] std::vector<FolderRow> folder_rows(const std::filesystem::path& folder,
                                                 std::span<const std::string> recent);

// "~" and "~/pictures" as a shell has them.
[[nodiscard]] std::string from_home(const std::string& path);
// The other way round.
[[nodiscard]] std::string to_home(const std::string& path);

// Whether what was typed is a path rather than a part of a name.
[[nodiscard]] bool is_path(std::string_view typed);
// The places of the rows whose names have what was typed in them, in any case; all for a path.
[[nodiscard]] std::vector<int> matching(std::span<const FolderRow> rows, std::string_view typed);

}  // namespace ws
