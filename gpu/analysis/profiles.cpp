#include "gpu/analysis/profiles.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <span>

#include "gpu/analysis/calibration_file.h"
#include "gpu/core/embedded_file.h"

namespace ws::embedded_profiles {
std::span<const EmbeddedFile> files();
}

namespace ws {
namespace {

using nlohmann::json;

ComputeCapability parse_capability(const std::string& text) {
    const std::size_t dot = text.find('.');
    return {std::stoi(text.substr(0, dot)), std::stoi(text.substr(dot + 1))};
}

GpuLimits parse_limits(const json& entry) {
    GpuLimits limits;
    limits.capability = parse_capability(entry.at("capability"));
    entry.at("grid").get_to(limits.grid);
    entry.at("block").get_to(limits.block);
    entry.at("threads_per_block").get_to(limits.threads_per_block);
    entry.at("blocks_per_multiprocessor").get_to(limits.blocks_per_multiprocessor);
    entry.at("warps_per_multiprocessor").get_to(limits.warps_per_multiprocessor);
    entry.at("registers_per_multiprocessor").get_to(limits.registers_per_multiprocessor);
    entry.at("registers_per_block").get_to(limits.registers_per_block);
    entry.at("registers_per_thread").get_to(limits.registers_per_thread);
    entry.at("register_granularity").get_to(limits.register_granularity);
    entry.at("registers_per_warp").get_to(limits.registers_per_warp);
    entry.at("warp_granularity").get_to(limits.warp_granularity);
    entry.at("partitions").get_to(limits.partitions);
    entry.at("shared_bytes_per_multiprocessor").get_to(limits.shared_bytes_per_multiprocessor);
    entry.at("shared_bytes_per_block").get_to(limits.shared_bytes_per_block);
    entry.at("shared_bytes_opt_in").get_to(limits.shared_bytes_opt_in);
    entry.at("shared_granularity").get_to(limits.shared_granularity);
    entry.at("shared_bytes_reserved").get_to(limits.shared_bytes_reserved);
    entry.at("shared_banks").get_to(limits.shared_banks);
    return limits;
}

// Lower case, without blanks, without words that vendors put in front and the memory that drivers name behind
// ("H100 80GB HBM3").
std::string plain(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const std::string word : {"nvidia", "geforce", "quadro", "tesla"}) {
        if (const std::size_t at = name.find(word); at != std::string::npos) name.erase(at, word.size());
    }
    if (const std::size_t memory = name.find("gb"); memory != std::string::npos) {
        const std::size_t blank = name.rfind(' ', memory);
        if (blank != std::string::npos && name.find_first_not_of("0123456789", blank + 1) == memory)
            name.resize(blank);
    }
    std::erase_if(name, [](char c) { return c == ' ' || c == '-'; });
    return name;
}

std::string embedded_table() {
    return std::string(embedded_profiles::files().front().text);
}

std::vector<std::shared_ptr<const Calibration>> shared(std::vector<Calibration> calibrations) {
    std::vector<std::shared_ptr<const Calibration>> made;
    made.reserve(calibrations.size());
    for (Calibration& one : calibrations) made.push_back(std::make_shared<const Calibration>(std::move(one)));
    return made;
}

std::shared_ptr<const Calibration> calibration_of(
    const GpuProfile& gpu, const std::vector<std::shared_ptr<const Calibration>>& calibrations) {
    for (const std::shared_ptr<const Calibration>& one : calibrations)
        if (one->capability == gpu.limits.capability && plain(one->gpu) == plain(gpu.name)) return one;
    return nullptr;
}

}  // namespace

GpuTable::GpuTable(std::vector<Calibration> of_user) : GpuTable(embedded_table(), std::move(of_user)) {}

GpuTable::GpuTable(const std::string& json) : GpuTable(json, {}) {}

GpuTable::GpuTable(const std::string& text, std::vector<Calibration> of_user)
    : of_user_(shared(std::move(of_user))), shipped_(shared(shipped_calibrations())) {
    try {
        const json table = json::parse(text);
        for (const json& entry : table.at("capabilities")) capabilities_.push_back(parse_limits(entry));
        for (const json& entry : table.at("gpus")) {
            GpuProfile gpu;
            entry.at("name").get_to(gpu.name);
            entry.at("chip").get_to(gpu.chip);
            gpu.limits = limits_of(parse_capability(entry.at("capability")));
            entry.at("multiprocessors").get_to(gpu.multiprocessors);
            entry.at("clock_mhz").get_to(gpu.clock_mhz);
            entry.at("memory_clock_mhz").get_to(gpu.memory_clock_mhz);
            entry.at("bus_width_bits").get_to(gpu.bus_width_bits);
            entry.at("bandwidth_gb_s").get_to(gpu.bandwidth_gb_s);
            entry.at("l2_kib").get_to(gpu.l2_kib);
            entry.at("memory_gib").get_to(gpu.memory_gib);
            gpu.rates = rates_of(gpu);
            gpus_.push_back(std::move(gpu));
        }
    } catch (const std::exception& error) {
        throw Error("the table of GPUs is broken", error.what());
    }
}

// The entry of the capability, else of the highest one below it.
const GpuLimits& GpuTable::limits_of(ComputeCapability capability) const {
    const GpuLimits* best = &capabilities_.at(0);
    for (const GpuLimits& limits : capabilities_) {
        if (limits.capability <= capability && limits.capability >= best->capability) best = &limits;
    }
    return *best;
}

// What stands in is of the highest capability up to the GPU's, else of the first that there is.
KnownRates GpuTable::rates_of(const GpuProfile& gpu) const {
    constexpr ComputeCapability kFirst{7, 5};  // whose machine code is read
    KnownRates rates;
    if (gpu.limits.capability < kFirst) return rates;
    rates.own = calibration_of(gpu, of_user_);
    rates.by_user = rates.own != nullptr;
    if (!rates.own) rates.own = calibration_of(gpu, shipped_);
    for (const std::shared_ptr<const Calibration>& one : shipped_) {
        const bool fits = one->capability <= gpu.limits.capability;
        if (!rates.other || (fits && one->capability >= rates.other->capability)) rates.other = one;
    }
    return rates;
}

const GpuProfile& GpuTable::named(const std::string& name) const {
    const auto found = std::find_if(gpus_.begin(), gpus_.end(),
                                    [&](const GpuProfile& gpu) { return plain(gpu.name) == plain(name); });
    if (found != gpus_.end()) return *found;
    std::string names;
    for (const GpuProfile& gpu : gpus_) names += (names.empty() ? "" : ", ") + gpu.name;
    throw UsageError("there is no GPU '" + name + "' in the table", "", "choose one of " + names);
}

GpuProfile GpuTable::completed(GpuProfile profile) const {
    GpuLimits& limits = profile.limits;
    const GpuLimits& known = limits_of(limits.capability);
    limits.registers_per_thread = known.registers_per_thread;
    limits.register_granularity = known.register_granularity;
    limits.registers_per_warp = known.registers_per_warp;
    limits.warp_granularity = known.warp_granularity;
    limits.partitions = known.partitions;
    limits.shared_granularity = known.shared_granularity;
    limits.shared_banks = known.shared_banks;
    for (const GpuProfile& gpu : gpus_) {
        if (plain(gpu.name) != plain(profile.name)) continue;
        profile.chip = gpu.chip;
        if (profile.bandwidth_gb_s <= 0) profile.bandwidth_gb_s = gpu.bandwidth_gb_s;
    }
    profile.rates = rates_of(profile);
    return profile;
}

}  // namespace ws
