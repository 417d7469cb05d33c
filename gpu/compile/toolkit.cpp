#include "gpu/compile/toolkit.h"

#include <cstdlib>

namespace ws {
namespace fs = std::filesystem;

namespace {

// A folder counts if it has the headers that kernels include most.
bool has_headers(const fs::path& folder) {
    std::error_code status;
    return fs::exists(folder / "cuda_fp16.h", status) && fs::exists(folder / "vector_types.h", status);
}

}  // namespace

std::vector<std::string> toolkit_folders_near(const fs::path& nvrtc_library) {
    std::error_code status;
    const fs::path library = fs::weakly_canonical(nvrtc_library, status).parent_path();
    std::vector<fs::path> candidates{
        library.parent_path() / "include",                // /usr/local/cuda-13.0/lib64
        library.parent_path().parent_path() / "include",  // .../targets/x86_64-linux/lib
        library.parent_path().parent_path() / "cuda_runtime" /
            "include"};  // the compiler's package of Python
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
        if (const char* folder = std::getenv(name)) candidates.push_back(fs::path(folder) / "include");
    }
    candidates.emplace_back("/usr/local/cuda/include");
    for (const fs::path& folder : candidates) {
        if (!has_headers(folder)) continue;
        std::vector<std::string> folders{folder.string()};
        // From 13.0 on cub and the C++ library for kernels lie in a folder of their own.
        if (fs::is_directory(folder / "cccl", status)) folders.push_back((folder / "cccl").string());
        return folders;
    }
    return {};
}

}  // namespace ws
