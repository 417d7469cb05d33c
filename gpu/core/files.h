#pragma once
// Folders and files: where the program keeps things, and writing without ever leaving half a file.

#include <filesystem>
#include <string>
#include <string_view>

namespace ws {

[[nodiscard]] std::filesystem::path config_folder();    // settings; safe to delete
[[nodiscard]] std::filesystem::path cache_folder();     // compiled kernels; safe to delete
[[nodiscard]] std::filesystem::path pictures_folder();  // the user's pictures, else the current folder

// Reads a whole file of at most `limit` bytes. Throws Error.
[[nodiscard]] std::string read_file(const std::filesystem::path& path, std::size_t limit = std::size_t(1)
                                                                                           << 31);

// Writes to a temporary name beside the target and renames. Makes the folder. Throws Error: what was there
// stays.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace ws
