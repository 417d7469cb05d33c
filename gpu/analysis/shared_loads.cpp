#include "gpu/analysis/shared_loads.h"

#include <algorithm>

#include "gpu/analysis/number_table.h"

namespace ws {
namespace {

using WantedSectors = NumberTable<std::uint32_t>;  // by line

// With the other half of each 64 bytes.
WantedSectors wanted_by(std::uint64_t block, const KernelTrace& trace) {
    WantedSectors wanted;
    for (const WarpTrace& warp : trace.warps) {
        if (warp.thread_block != block) continue;
        for (const TracedAccess& access : warp.accesses) {
            if (access.space == MemorySpace::local || access.kind == MachineKind::store) continue;
            for (const LineSectors line : warp.asked_by(access))
                wanted[line.line()] |= line.in_pairs().sectors();
        }
    }
    return wanted;
}

}  // namespace

std::vector<NearBlock> near_blocks(std::uint64_t block, std::uint64_t row, std::uint64_t blocks,
                                   int multiprocessors) {
    std::vector<NearBlock> made{{block + 1 < blocks ? block + 1 : block - 1, 0}};
    const double apart = double(row) / std::max(1, multiprocessors);
    for (std::uint64_t rows = 1; row > 1; rows *= 2) {
        const std::uint64_t further = rows * row;
        if (block + further >= blocks && block < further) break;
        made.push_back({block + further < blocks ? block + further : block - further, double(rows) * apart});
        if (made.back().is_long_after()) break;
    }
    return made;
}

std::vector<SharedLoads> shared_loads(std::span<const LineSectors> lines, const std::vector<NearBlock>& near,
                                      const KernelTrace& trace) {
    std::vector<LineSectors> rest(lines.begin(), lines.end());
    double all = 0;
    for (const LineSectors line : lines) all += line.count();
    // Takes out what that block wants; returns how many sectors.
    const auto take = [&](const NearBlock& one) {
        const WantedSectors wanted = wanted_by(one.block, trace);
        int taken = 0;
        for (LineSectors& line : rest) {
            const std::uint32_t* sectors = wanted.find(line.line());
            if (!sectors) continue;
            taken += sectors_in(line.sectors() & *sectors);
            line = {line.line(), line.sectors() & ~*sectors};
        }
        return taken;
    };
    std::vector<SharedLoads> made;
    const auto add = [&](const NearBlock& one) {
        if (const int taken = take(one); taken > 0) made.push_back({taken / all, one.blocks_apart});
    };
    add(near.front());
    if (near.back().is_long_after()) (void)take(near.back());
    for (std::size_t i = 1; i < near.size(); ++i) add(near[i]);
    return made;
}

}  // namespace ws
