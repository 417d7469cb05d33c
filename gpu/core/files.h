#pragma once
// Folders and files: where the program keeps things, and writing without ever leaving half a file.

#include <filesystem>
#include <string>
#include <string_view>

namespace ws {

// Safe to delete. Empty where the environment names no home (HOME unset): nothing is kept then, because a
// folder that all users share could be prepared by another one.
[[nodiscard]] std::filesystem::path config_folder();    // settings
[[nodiscard]] std::filesystem::path cache_folder();     // compiled kernels
[[nodiscard]] std::filesystem::path data_folder();      // kernels that a person edits: not safe to delete
[[nodiscard]] std::filesystem::path pictures_folder();  // the user's pictures, else the current folder

// Makes the folder with mode 0700, or takes one that is there: a folder, not a link, of this user, that
// nobody else may write to (others lose the right to read it). False if it cannot be had.
[[nodiscard]] bool make_private_folder(const std::filesystem::path& folder);

// Reads a whole file of at most `limit` bytes. Throws Error.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t(1)
                                                                                           << 31);

// The same for a file that this user alone may write to; follows no link at the end of the path. Throws
// Error.
[[nodiscard]] std::string read_private_file(const std::filesystem::path& path, std::size_t limit);

// Writes to a new file beside the target, has the disk store it, and renames it. Makes the folder. A target
// that is a link is replaced, what it points to stays; one that was there keeps its permissions. A device or
// pipe is written to as it is. Throws Error: what was there stays.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace ws
