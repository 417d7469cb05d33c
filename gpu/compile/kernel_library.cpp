#include "gpu/compile/kernel_library.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <span>

#include "gpu/compile/includes.h"
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

bool is_kernel(std::string_view file) {
    return file.ends_with(".cu");
}

bool is_embedded(std::string_view file, std::string_view text) {
    for (const EmbeddedFile& embedded : embedded_kernels::files()) {
        if (embedded.name == file) return embedded.text == text;
    }
    return false;
}

std::int64_t seconds_since_1970(fs::file_time_type time) {
    const auto system = std::chrono::file_clock::to_sys(time);
    return std::chrono::duration_cast<std::chrono::seconds>(system.time_since_epoch()).count();
}

}  // namespace

KernelLibrary::KernelLibrary(EmbeddedAlone) {
    for (const EmbeddedFile& file : embedded_kernels::files()) {
        if (!is_kernel(file.name)) {
            headers_.emplace(file.name, file.text);
            continue;
        }
        Result<KernelSource> source = parse_kernel(stem(file.name), std::string(file.text));
        if (!source.ok()) throw Error("an embedded kernel is broken", source.message());
        sources_.emplace(stem(file.name), std::move(source.value()));
    }
    find_headers();
}

const KernelLibrary& KernelLibrary::embedded() {
    static const KernelLibrary library{EmbeddedAlone{}};
    return library;
}

KernelLibrary::KernelLibrary(fs::path folder, std::vector<fs::path> include_folders)
    : KernelLibrary(embedded()) {
    folder_ = std::move(folder);
    include_folders_ = std::move(include_folders);
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

std::optional<std::string> KernelLibrary::changed_text(const fs::path& path) {
    std::error_code status;
    const Stamp stamp{fs::last_write_time(path, status), status ? 0 : fs::file_size(path, status)};
    if (status || stamps_[path] == stamp) return std::nullopt;  // one that is missing: what we have stays
    stamps_[path] = stamp;
    constexpr std::size_t kLargest = 1 << 20;
    problem_.clear();
    return read_file(path, kLargest);
}

fs::path KernelLibrary::header_path(const std::string& name) const {
    std::error_code status;
    for (const fs::path& folder : include_folders_) {
        if (!fs::exists(folder_ / name, status) && fs::exists(folder / name, status)) return folder / name;
    }
    return folder_ / name;
}

bool KernelLibrary::refresh_headers() {
    bool changed = false;
    for (const std::string& name : included_) {
        try {
            if (auto text = changed_text(header_path(name))) {
                headers_[name] = std::move(*text);
                changed = true;
            }
        } catch (const Error& error) {
            problem_ = error.what();
        }
    }
    return changed;
}

// True if any kernel's headers are others than before. A header of the folder that the program does not know
// counts as soon as a kernel includes it.
bool KernelLibrary::find_headers() {
    included_.clear();
    const auto find = [this](const std::string& name) -> std::optional<std::string> {
        included_.insert(name);
        const auto found = headers_.find(name);
        return found == headers_.end() ? std::nullopt : std::optional(found->second);
    };
    bool changed = false;
    for (auto& [name, source] : sources_) {
        std::vector<KernelHeader> headers = headers_of(source.text, find);
        if (headers == source.headers) continue;
        source.headers = std::move(headers);
        changed = true;
    }
    return changed;
}

void KernelLibrary::mark_edited() {
    for (auto& [name, source] : sources_) {
        source.edited = !is_embedded(name + ".cu", source.text) ||
                        !std::all_of(source.headers.begin(), source.headers.end(), [](const auto& header) {
                            return is_embedded(header.name, header.text);
                        });
    }
}

bool KernelLibrary::refresh() {
    if (folder_.empty()) return false;
    bool changed = false;
    for (auto& [name, source] : sources_) {
        try {
            const fs::path path = folder_ / (name + ".cu");
            std::optional<std::string> text = changed_text(path);
            if (!text) continue;
            if (*text != source.text) {
                Result<KernelSource> parsed = parse_kernel(name, std::move(*text));
                if (!parsed.ok()) {
                    problem_ = parsed.message();
                    continue;
                }
                source = std::move(parsed.value());
                changed = true;
            }
            source.path = path.string();
            source.saved_at = seconds_since_1970(stamps_[path].time);
        } catch (const Error& error) {
            problem_ = error.what();
        }
    }
    if (changed) find_headers();
    // A header may include another one, which is known only once it is read.
    while (refresh_headers()) changed |= find_headers();
    if (changed) mark_edited();
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
