#include "gpu/simt/touched_sectors.h"

#include <algorithm>
#include <bit>

#include "gpu/simt/addresses.h"
#include "gpu/simt/launch_memory.h"

namespace ws::simt {
namespace {

constexpr std::uint64_t kSector = 32;

}  // namespace

TouchedSectors::Shared::Shared(const LaunchContext& context, LaunchMemory& memory, FindingLog& /*findings*/) {
    if (!context.options.track_touched) return;
    regions_ = &memory.regions();
    // Variables are no traffic that a kernel's author plans.
    for (const Region& region : *regions_)
        touched_.emplace_back(region.index < 0 ? 0 : region.size / kSector + 1);
    // They lie one after the other.
    if (!context.textures.empty()) {
        const Texture& last = context.textures.back();
        texels_.resize((last.base + bytes_of(last) - kTextureBase) / kSector + 1);
    }
}

void TouchedSectors::Shared::add(const TouchedSectors& worker) {
    for (std::size_t i = 0; i < texels_.size(); ++i) texels_[i] = texels_[i] || worker.texels_[i];
    for (std::size_t i = 0; i < touched_.size(); ++i) {
        for (std::size_t k = 0; k < touched_[i].size(); ++k)
            touched_[i][k] = touched_[i][k] || worker.touched_[i][k];
    }
}

void TouchedSectors::Shared::report(LaunchOutcome& outcome) const {
    auto sectors = std::uint64_t(std::count(texels_.begin(), texels_.end(), true));
    for (const std::vector<bool>& of_region : touched_)
        sectors += std::uint64_t(std::count(of_region.begin(), of_region.end(), true));
    outcome.counters.unique_bytes = sectors * kSector;
}

void TouchedSectors::note(std::uint64_t low, std::uint64_t end) {
    const auto holds = [&](const Region& region) {
        return low >= region.base && end - region.base <= region.size;
    };
    if (last_ >= regions_->size() || !holds((*regions_)[last_])) {
        last_ = std::size_t(std::find_if(regions_->begin(), regions_->end(), holds) - regions_->begin());
        if (last_ == regions_->size()) return;
    }
    std::vector<bool>& touched = touched_[last_];
    if (touched.empty()) return;
    const std::uint64_t base = (*regions_)[last_].base;
    for (std::uint64_t sector = (low - base) / kSector; sector <= (end - 1 - base) / kSector; ++sector)
        touched[sector] = true;
}

void TouchedSectors::note(const TextureRequest& request) {
    for (const std::uint64_t address : request.addresses) texels_[(address - kTextureBase) / kSector] = true;
}

void TouchedSectors::note(const WarpAccess& access) {
    const MemoryAccess& memory = memory_of(access.instruction);
    if (memory.space != Space::global && memory.space != Space::generic) return;
    const auto bytes = std::uint64_t(memory.whole_bytes());
    const AccessPattern* pattern = access.pattern;
    const std::uint64_t first = access.addresses[std::countr_zero(access.mask)];
    if (pattern && (pattern->run == kLanes || pattern->same))
        return note(first + pattern->low, first + pattern->high + bytes);
    for (std::uint32_t mask = access.mask; mask != 0; mask &= mask - 1) {
        const std::uint64_t at = access.addresses[std::countr_zero(mask)];
        note(at, at + bytes);
    }
}

}  // namespace ws::simt
