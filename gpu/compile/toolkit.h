#pragma once
// Where the CUDA toolkit's headers for kernels lie.

#include <filesystem>
#include <string>
#include <vector>

namespace ws {

// The folders to search, those that belong to this NVRTC library first; empty if there is no toolkit.
[[nodiscard]] std::vector<std::string> toolkit_folders_near(const std::filesystem::path& nvrtc_library);

}  // namespace ws
