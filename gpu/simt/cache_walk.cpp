#include "gpu/simt/cache_walk.h"

namespace ws::simt {

CacheTraffic send(CacheHierarchy& caches, const WarpAccess& access) {
    constexpr std::uint64_t kBytesOfSector = 32;
    const Instruction& instruction = access.instruction;
    const MemoryAccess& memory = memory_of(instruction);
    const bool stores = instruction.kind == AccessKind::write;
    const PackedLanes packed = pack(access.addresses, access.mask);
    const auto bytes = std::uint64_t(memory.whole_bytes());
    CacheTraffic made;
    std::uint64_t last = ~0ull;
    for (std::size_t i = 0; i < packed.count; ++i) {
        const std::uint64_t end = (packed.addresses[i] + bytes - 1) / kBytesOfSector;
        for (std::uint64_t sector = packed.addresses[i] / kBytesOfSector; sector <= end; ++sector) {
            if (sector == last) continue;
            last = sector;
            ++made.sectors;
            if (stores)
                caches.store(sector);
            else if (caches.load(sector, memory.past_l1, memory.read_only))
                continue;
            ++made.past_l1;
        }
    }
    return made;
}

CacheTraffic send(CacheHierarchy& caches, const TextureRequest& request) {
    const TextureSectors read = sectors_of(request);
    CacheTraffic made{int(read.count), 0};
    for (std::size_t i = 0; i < read.count; ++i) made.past_l1 += !caches.load_texture(read.sectors[i]);
    return made;
}

}  // namespace ws::simt
