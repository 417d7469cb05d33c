#include "gpu/compile/kernel_cache.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gpu/core/error.h"
#include "gpu/core/files.h"

namespace ws {
namespace {

// FNV-1a, 64 bits: names a file, where the key inside decides, and finds damage. Against another user's files
// stands who owns them.
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 14695981039346656037ull;
    for (const unsigned char byte : text) hash = (hash ^ byte) * 1099511628211ull;
    return hash;
}

std::string first_line(std::string_view rest) {
    return fmt::format("warpscope kernel 2 {:016x}\n", hash_of(rest));
}

// What follows the first line; empty if that is not the line of it.
std::string_view checked(std::string_view file) {
    const std::size_t end = file.find('\n');
    if (end == std::string_view::npos) return {};
    const std::string_view rest = file.substr(end + 1);
    return file.substr(0, end + 1) == first_line(rest) ? rest : std::string_view();
}

}  // namespace

KernelCache::KernelCache(std::filesystem::path folder) : folder_(std::move(folder)) {
    if (!make_private_folder(folder_)) folder_.clear();
}

std::filesystem::path KernelCache::path_of(const std::string& key) const {
    return folder_ / fmt::format("{:016x}.kernel", hash_of(key));
}

std::optional<CompiledKernel> KernelCache::load(const std::string& key) const {
    if (folder_.empty()) return std::nullopt;
    try {
        const std::filesystem::path path = path_of(key);
        std::error_code status;
        if (!std::filesystem::exists(path, status)) return std::nullopt;
        constexpr std::size_t kLargest = 64 << 20;
        const std::string whole = read_private_file(path, kLargest);
        const std::string_view file = checked(whole);
        // One line of JSON, then the binary.
        const std::size_t end = file.find('\n');
        if (end == std::string_view::npos) return std::nullopt;
        const auto head = nlohmann::json::parse(file.substr(0, end));
        if (head.at("key") != key || head.at("bytes") != file.size() - end - 1) return std::nullopt;
        CompiledKernel kernel;
        kernel.source_name = head.at("source");
        kernel.entry = head.at("entry");
        kernel.is_ptx = head.at("ptx");
        kernel.binary.assign(file.begin() + std::ptrdiff_t(end) + 1, file.end());
        CompileReport& report = kernel.report;
        report.architecture = head.at("architecture");
        report.compiler = head.at("compiler");
        report.registers = head.at("registers");
        report.shared_bytes = head.at("shared");
        report.local_bytes = head.at("local");
        report.constant_bytes = head.at("constant");
        report.code.loads_in_flight = head.at("loads_in_flight");
        report.code.spill_store_bytes = head.at("spill_stores");
        report.code.spill_load_bytes = head.at("spill_loads");
        report.register_cap = head.at("register_cap");
        report.milliseconds = head.at("milliseconds");
        report.log = head.at("log");
        report.from_cache = true;
        return kernel;
    } catch (const std::exception&) {
        return std::nullopt;  // damaged or unreadable: as good as missing
    }
}

void KernelCache::store(const std::string& key, const CompiledKernel& kernel) const {
    if (folder_.empty()) return;
    const CompileReport& report = kernel.report;
    const nlohmann::json head{{"key", key},
                              {"bytes", kernel.binary.size()},
                              {"source", kernel.source_name},
                              {"entry", kernel.entry},
                              {"ptx", kernel.is_ptx},
                              {"architecture", report.architecture},
                              {"compiler", report.compiler},
                              {"registers", report.registers},
                              {"shared", report.shared_bytes},
                              {"local", report.local_bytes},
                              {"constant", report.constant_bytes},
                              {"loads_in_flight", report.code.loads_in_flight},
                              {"spill_stores", report.code.spill_store_bytes},
                              {"spill_loads", report.code.spill_load_bytes},
                              {"register_cap", report.register_cap},
                              {"milliseconds", report.milliseconds},
                              {"log", report.log}};
    try {
        std::string file = head.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
        file.append(kernel.binary.begin(), kernel.binary.end());
        write_file(path_of(key), first_line(file) + file);
    } catch (const std::exception&) {
        return;  // a full or read-only disk costs time, not correctness
    }
}

}  // namespace ws
