#include "gpu/analysis/alike_warps.h"

#include <algorithm>

namespace ws {

std::uint64_t alike_key(const WarpTrace& warp) {
    std::uint64_t key = warp.accesses.size();
    for (const TracedBlock& block : warp.path) {
        key ^= std::uint64_t(block.block) << 32 | block.mask;
        key *= 0x9e3779b97f4a7c15U;
        key ^= key >> 29;
    }
    return key;
}

bool are_alike(const WarpTrace& a, const WarpTrace& b) {
    const auto same_block = [](const TracedBlock& one, const TracedBlock& other) {
        return one.block == other.block && one.mask == other.mask && one.first_access == other.first_access &&
               one.first_rare == other.first_rare;
    };
    const auto same_access = [](const TracedAccess& one, const TracedAccess& other) {
        return one.ptx_line == other.ptx_line && one.kind == other.kind && one.space == other.space &&
               counts(one) == counts(other);
    };
    const auto same_rare = [](const TracedRare& one, const TracedRare& other) {
        return one.ptx_line == other.ptx_line && one.mask == other.mask && one.way == other.way;
    };
    return a.cut == b.cut && std::ranges::equal(a.path, b.path, same_block) &&
           std::ranges::equal(a.accesses, b.accesses, same_access) &&
           std::ranges::equal(a.rare, b.rare, same_rare);
}

}  // namespace ws
