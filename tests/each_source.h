#pragma once
// The project's own sources, as tests read them.

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace ws {

// `use(path, text)` of each source below a folder of the project.
template <typename Use>
void for_each_source(const char* folder, Use use) {
    const std::filesystem::path root = std::filesystem::path(WARPSCOPE_SOURCE_DIR) / folder;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
        std::ostringstream read;
        read << std::ifstream(entry.path()).rdbuf();
        use(entry.path(), read.str());
    }
}

}  // namespace ws
