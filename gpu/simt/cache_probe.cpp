#include "gpu/simt/cache_probe.h"

#include "gpu/simt/traffic.h"

namespace ws::simt {

void CacheProbe::probe(const WarpAccess& access) {
    constexpr std::uint64_t kSector = 32;
    const Instruction& instruction = access.instruction;
    if (instruction.kind == AccessKind::atomic || counted_space(access) != Space::global) return;
    const PackedLanes packed = pack(access.addresses, access.mask);
    const auto bytes = std::uint64_t(memory_of(instruction).whole_bytes());
    std::uint64_t last = ~0ull;
    for (std::size_t i = 0; i < packed.count; ++i) {
        const std::uint64_t end = (packed.addresses[i] + bytes - 1) / kSector;
        for (std::uint64_t sector = packed.addresses[i] / kSector; sector <= end; ++sector) {
            if (sector == last) continue;
            last = sector;
            if (instruction.kind == AccessKind::write)
                caches_->store(sector);
            else
                caches_->load(sector, memory_of(instruction).past_l1, memory_of(instruction).read_only);
        }
    }
}

void CacheProbe::probe(const TextureRequest& request) {
    const TextureSectors read = sectors_of(request);
    for (std::size_t i = 0; i < read.count; ++i) caches_->load_texture(read.sectors[i]);
}

}  // namespace ws::simt
