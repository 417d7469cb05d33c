// The architecture: which folder may include which. Reads the includes of the source tree.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
const fs::path kRoot = WARPSCOPE_SOURCE_DIR;

struct Include {
    std::string file;    // "gpu/cpu/native.cpp"
    std::string target;  // as it is written
};

std::vector<Include> includes_below(const std::string& folder) {
    static const std::regex line_pattern(R"(^\s*#\s*include\s*[<"]([^">]+)[">])");
    std::vector<Include> list;
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
        const std::string ending = entry.path().extension().string();
        if (ending != ".h" && ending != ".cpp" && ending != ".cu" && ending != ".cuh") continue;
        std::ifstream file(entry.path());
        for (std::string line; std::getline(file, line);) {
            std::smatch match;
            if (std::regex_search(line, match, line_pattern)) {
                list.push_back({fs::relative(entry.path(), kRoot).generic_string(), match[1]});
            }
        }
    }
    return list;
}

bool starts_with_any(const std::string& text, const std::set<std::string>& starts) {
    for (const std::string& start : starts) {
        if (text.rfind(start, 0) == 0) return true;
    }
    return false;
}

bool is_cuda_header(const std::string& target) {
    return starts_with_any(target, {"cuda", "nvrtc", "nvml", "device_launch", "vector_types"});
}
bool is_gl_header(const std::string& target) {
    return starts_with_any(target, {"glad/", "GL/", "GLFW/", "EGL/"});
}
bool is_imgui_header(const std::string& target) {
    return starts_with_any(target, {"imgui", "imstb"});
}

// Project headers that each box may include, beside its own.
const std::map<std::string, std::set<std::string>> kMayInclude{
    {"gpu/core/", {}},
    {"gpu/kernels/", {}},
    {"gpu/labs/", {"gpu/core/"}},
    {"gpu/pipeline/", {"gpu/core/"}},
    {"gpu/compile/", {"gpu/core/"}},
    {"gpu/cuda/", {"gpu/core/", "gpu/compile/"}},
    {"gpu/simt/", {"gpu/core/", "gpu/compile/"}},
    {"gpu/cpu/", {"gpu/core/"}},
    {"gpu/analysis/", {"gpu/core/"}},
    {"gpu/picture/", {"gpu/core/"}},
    {"gpu/engine/", {"gpu/"}},
    {"render/", {"gpu/core/"}},
    {"app/state/", {"gpu/"}},
    {"app/cli/", {"gpu/", "app/state/"}},
    {"app/", {"gpu/", "render/"}},
};

TEST(Boxes, IncludeOnlyWhatTheyMay) {
    int seen = 0;
    for (const auto& [box, allowed] : kMayInclude) {
        for (const Include& include : includes_below(box)) {
            if (!starts_with_any(include.target, {"gpu/", "render/", "app/"})) continue;
            ++seen;
            const bool interop = box == "render/" && include.file.rfind("render/interop_", 0) == 0 &&
                                 include.target.rfind("gpu/cuda/", 0) == 0;
            EXPECT_TRUE(include.target.rfind(box, 0) == 0 || starts_with_any(include.target, allowed) ||
                        interop)
                << include.file << " includes " << include.target;
        }
    }
    EXPECT_GT(seen, 100) << "the test found hardly any include: is the path of the sources right?";
}

TEST(Boxes, EveryFolderOfTheDataLayerIsListed) {
    for (const auto& entry : fs::directory_iterator(kRoot / "gpu")) {
        if (!entry.is_directory()) continue;
        EXPECT_EQ(kMayInclude.count("gpu/" + entry.path().filename().string() + "/"), 1u) << entry.path();
    }
}

// The compiler finds a kernel's headers beside it and nowhere else.
TEST(Boxes, KernelsIncludeTheirNeighboursAlone) {
    for (const Include& include : includes_below("gpu/kernels")) {
        EXPECT_TRUE(include.target.ends_with(".cuh") && fs::exists(kRoot / "gpu/kernels" / include.target))
            << include.file << " includes " << include.target;
    }
}

TEST(Boxes, NobodyIncludesTheApp) {
    for (const char* folder : {"gpu", "render"}) {
        for (const Include& include : includes_below(folder)) {
            EXPECT_NE(include.target.rfind("app/", 0), 0u) << include.file << " includes " << include.target;
        }
    }
}

TEST(Boxes, NoWindowInTheDataLayer) {
    for (const Include& include : includes_below("gpu")) {
        EXPECT_FALSE(is_gl_header(include.target) || is_imgui_header(include.target))
            << include.file << ": " << include.target;
    }
    for (const Include& include : includes_below("render")) {
        EXPECT_FALSE(is_imgui_header(include.target)) << include.file << ": " << include.target;
    }
    for (const Include& include : includes_below("app/cli")) {
        EXPECT_FALSE(is_gl_header(include.target) || is_imgui_header(include.target))
            << include.file << ": " << include.target;
    }
}

TEST(Boxes, CudaHeadersStayInTheirPlaces) {
    for (const char* folder : {"gpu", "render", "app"}) {
        for (const Include& include : includes_below(folder)) {
            if (!is_cuda_header(include.target)) continue;
            EXPECT_TRUE(starts_with_any(include.file, {"gpu/compile/", "gpu/cuda/", "render/interop_"}))
                << include.file << " includes " << include.target;
        }
    }
}

}  // namespace
