#include "gpu/simt/examples.h"

namespace ws::simt {

void Examples::keep(const Warp& warp, const WarpAccess& access) {
    const Instruction& instruction = access.instruction;
    const Space space = counted_space(access);
    const bool shared = space == Space::shared;
    const MemoryAccess& memory = memory_of(instruction);
    if (memory.counts_elsewhere()) return;
    if (instruction.kind == AccessKind::atomic || space == Space::local || space == Space::constant) return;
    seen_[place_of(warp, access)] = true;
    const RequestCounts counts = request_counts(shared_.rules_, access, space);
    AccessExample example;
    example.line = instruction.line;
    example.site = instruction.site;
    example.shared = shared;
    example.store = instruction.kind == AccessKind::write;
    example.bytes = memory.counted_bytes();
    example.mask = access.mask;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        example.addresses[lane] = shared ? access.addresses[lane] - (memory.joined ? memory.joined->shift : 0)
                                         : access.addresses[lane] - kGlobalBase;
    example.block_x = warp.worker->place.block[0];
    example.block_y = warp.worker->place.block[1];
    example.warp = warp.index;
    example.sectors = counts.sectors;
    example.bytes_requested = shared ? 0 : counts.bytes_requested;
    example.bytes_transferred = shared ? 0 : counts.bytes_transferred;
    kept_.push_back(example);
}

}  // namespace ws::simt
