#include "gpu/compile/kernel_library.h"

#include <span>

#include "gpu/compile/kernel_source.h"
#include "gpu/core/embedded_file.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace ws::embedded_kernels {
std::span<const EmbeddedFile> files();
}

namespace ws {
namespace fs = std::filesystem;

namespace {

std::string stem(std::string_view file) {
    return std::string(file.substr(0, file.rfind('.')));
}

}  // namespace

KernelLibrary::KernelLibrary(fs::path folder) : folder_(std::move(folder)) {
    for (const EmbeddedFile& file : embedded_kernels::files()) {
        Result<KernelSource> source = parse_kernel(stem(file.name), std::string(file.text));
        if (!source.ok()) throw Error("an embedded kernel is broken", source.message());
        sources_.emplace(stem(file.name), std::move(source.value()));
    }
    if (folder_.empty()) return;
    std::error_code status;
    if (!fs::is_directory(folder_, status)) {
        throw Error("there is no folder of kernels", folder_.string(),
                    "write one first with 'warpscope kernels " + folder_.string() + "'");
    }
    refresh();
}

const KernelSource& KernelLibrary::find(std::string_view name) const {
    const auto found = sources_.find(name);
    if (found == sources_.end()) throw Error("there is no kernel file " + std::string(name) + ".cu");
    return found->second;
}

bool KernelLibrary::refresh() {
    if (folder_.empty()) return false;
    bool changed = false;
    for (auto& [name, source] : sources_) {
        const fs::path path = folder_ / (name + ".cu");
        std::error_code status;
        const Stamp stamp{fs::last_write_time(path, status), status ? 0 : fs::file_size(path, status)};
        if (status || stamps_[name] == stamp) continue;  // a file that is missing: the one we have stays
        stamps_[name] = stamp;
        constexpr std::size_t kLargest = 1 << 20;
        problem_.clear();
        try {
            std::string text = read_file(path, kLargest);
            if (text == source.text) {
                source.path = path.string();
                continue;
            }
            Result<KernelSource> parsed = parse_kernel(name, std::move(text));
            if (!parsed.ok()) {
                problem_ = parsed.message();
                continue;
            }
            source = std::move(parsed.value());
            source.path = path.string();
            changed = true;
        } catch (const Error& error) {
            problem_ = error.what();
        }
    }
    return changed;
}

std::vector<std::string> KernelLibrary::write_to(const fs::path& folder, bool overwrite) {
    std::vector<std::string> kept;
    for (const EmbeddedFile& file : embedded_kernels::files()) {
        const fs::path path = folder / file.name;
        std::error_code status;
        if (fs::exists(path, status)) {
            if (read_file(path) == file.text) continue;
            if (!overwrite) {
                kept.emplace_back(file.name);
                continue;
            }
        }
        write_file(path, file.text);
    }
    return kept;
}

}  // namespace ws
