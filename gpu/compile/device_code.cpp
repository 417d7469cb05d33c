#include "gpu/compile/device_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>

#include "gpu/compile/declarations.h"
#include "gpu/compile/host_code.h"
#include "gpu/compile/includes.h"
#include "gpu/compile/source_text.h"
#include "gpu/core/files.h"

namespace ws {
namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLargestHeader = 16 << 20;
constexpr int kMostRounds = 24;

// Headers of the toolkit that speak to a CPU alone; their beginnings.
constexpr std::array<std::string_view, 21> kHostOnly{
    "cublas", "cufft",        "cusparse", "cusolver",

    "cudnn",  "nccl",         "npp",      "nvjpeg",   "nvtx3/",       "nvToolsExt",        "nvml",
    "cupti",  "nvrtc.h",      "thrust/",  "cuda.h",   "cudaProfiler", "cuda_profiler_api", "cuda_gl_interop",
    "cudaGL", "cudaTypedefs", "cuda_egl"};

// cub/cub.cuh also has algorithms for whole GPUs, which a CPU launches. Their headers do not compile for
// kernels alone.
constexpr std::string_view kCub = "cub/cub.cuh";
constexpr std::string_view kCubInKernels = R"(#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
)";

bool is_host_only(std::string_view name) {
    return std::any_of(kHostOnly.begin(), kHostOnly.end(),
                       [&](std::string_view start) { return name.starts_with(start); });
}

// Of the C and C++ libraries and of POSIX: that they are empty surprises nobody.
bool is_library_header(std::string_view name) {
    constexpr std::array<std::string_view, 26> kOfC{
        "assert.h",  "ctype.h",  "errno.h",  "fenv.h",    "float.h",  "inttypes.h", "limits.h",
        "locale.h",  "malloc.h", "math.h",   "memory.h",  "setjmp.h", "signal.h",   "stdarg.h",
        "stdbool.h", "stddef.h", "stdint.h", "stdio.h",   "stdlib.h", "string.h",   "strings.h",
        "time.h",    "unistd.h", "getopt.h", "windows.h", "omp.h"};
    return name.find('.') == std::string_view::npos || name.starts_with("sys/") ||
           std::find(kOfC.begin(), kOfC.end(), name) != kOfC.end();
}

// The file and its headers while host code is taken out of them.
class Stripper {
  public:
    Stripper(const Nvrtc& nvrtc, CompileRequest request) : nvrtc_(nvrtc) {
        made_.request = std::move(request);
        made_.request.host_names = true;
        main_ = made_.request.name + ".cu";
        texts_[main_] = made_.request.text;
        collect(main_);
        Words words;
        for (const auto& [name, text] : texts_) words.merge(device_words(code_of(text)));
        words_ = std::move(words);
        for (auto& [name, text] : texts_) text = without_host_code(text, words_);
    }

    Result<DeviceCode> run() {
        for (int round = 0;; ++round) {
            set_request();
            Result<std::vector<std::string>> kernels = nvrtc_.kernels_of(made_.request);
            if (kernels.ok()) {
                made_.kernels = std::move(kernels.value());
                return std::move(made_);
            }
            if (round == kMostRounds || !mend(kernels.message()))
                return Result<DeviceCode>::failure(kernels.message() + missing_text());
        }
    }

  private:
    // Reads the headers of a text, and theirs. Those of the toolkit are the compiler's to find.
    void collect(const std::string& from) {
        const std::string text = texts_.at(from);
        for (const Include& include : includes_of(text)) {
            if (texts_.count(include.name) > 0) continue;
            if (std::optional<fs::path> path = find(include.name, made_.request.include_folders)) {
                texts_[include.name] = read_file(*path, kLargestHeader);
                add_folder(path->parent_path());
                collect(include.name);
            } else if (include.name == kCub) {
                texts_[include.name] = kCubInKernels;
            } else if (is_host_only(include.name) || !find(include.name, nvrtc_.toolkit_folders())) {
                count_as_empty(include.name);
            }
        }
    }

    [[nodiscard]] static std::optional<fs::path> find(const std::string& name,
                                                      const std::vector<std::string>& folders) {
        for (const std::string& folder : folders) {
            const fs::path path = fs::path(folder) / name;
            std::error_code status;
            if (fs::is_regular_file(path, status)) return path;
        }
        return std::nullopt;
    }

    // What a header includes may lie beside it.
    void add_folder(const fs::path& folder) {
        std::vector<std::string>& folders = made_.request.include_folders;
        if (std::find(folders.begin(), folders.end(), folder.string()) == folders.end())
            folders.push_back(folder.string());
    }

    void count_as_empty(const std::string& name) {
        texts_[name] = "";
        if (!is_library_header(name) && !is_host_only(name)) made_.missing.push_back(name);
    }

    void set_request() {
        made_.request.text = texts_.at(main_);
        made_.request.headers.clear();
        for (const auto& [name, text] : texts_) {
            if (name != main_) made_.request.headers.push_back({name, text});
        }
    }

    // Takes out what the errors of a log point at; false if that is nothing.
    bool mend(const std::string& log) {
        std::map<std::string, std::vector<int>> lines;
        bool mended = false;
        std::istringstream stream(log);
        for (std::string line; std::getline(stream, line);) {
            const std::size_t error = line.find("): ");
            const std::size_t open = line.rfind('(', error);
            if (error == std::string::npos || open == std::string::npos) continue;
            const std::string_view kind = std::string_view(line).substr(error + 3);
            if (!kind.starts_with("error") && !kind.starts_with("catastrophic error")) continue;
            int number = 0;
            std::from_chars(line.data() + open + 1, line.data() + error, number);
            lines[line.substr(0, open)].push_back(number);
            mended |= take_for_empty(line);
        }
        for (const auto& [name, numbers] : lines) {
            const auto found = texts_.find(name);
            if (found == texts_.end()) continue;
            std::string less = without_declarations_at(found->second, numbers, words_);
            if (less == found->second) continue;
            for (const int number : numbers) {
                std::string place = fmt::format("{}:{}", name, number);
                if (std::find(made_.left_out.begin(), made_.left_out.end(), place) == made_.left_out.end())
                    made_.left_out.push_back(std::move(place));
            }
            found->second = std::move(less);
            mended = true;
        }
        return mended;
    }

    // A header that a header of the toolkit asks for.
    bool take_for_empty(const std::string& line) {
        constexpr std::string_view kMissing = "cannot open source file \"";
        const std::size_t at = line.find(kMissing);
        if (at == std::string::npos) return false;
        const std::size_t first = at + kMissing.size();
        const std::string name = line.substr(first, line.find('"', first) - first);
        if (texts_.count(name) > 0) return false;
        count_as_empty(name);
        return true;
    }

    [[nodiscard]] std::string missing_text() const {
        std::string text;
        for (const std::string& name : made_.missing) text += (text.empty() ? "" : ", ") + name;
        if (text.empty()) return "";
        return "\nnot found, and taken for empty: " + text + "; name their folder with -I FOLDER";
    }

    const Nvrtc& nvrtc_;
    DeviceCode made_;
    std::string main_;
    std::map<std::string, std::string> texts_;  // by the name under which they are included
    Words words_;
};

}  // namespace

Result<DeviceCode> device_code(const Nvrtc& nvrtc, CompileRequest request) {
    return Stripper(nvrtc, std::move(request)).run();
}

}  // namespace ws
