#include "gpu/simt/partition_probe.h"

#include "gpu/simt/traffic.h"

namespace ws::simt {

// A repeated pattern of distances does not show which partitions it goes to: each access is looked at.
void PartitionProbe::probe(const WarpAccess& access) {
    const Instruction& instruction = access.instruction;
    if (instruction.kind == AccessKind::atomic || counted_space(access) != Space::global) return;
    const PackedLanes packed = pack(access.addresses, access.mask);
    add_request(window_, rule_, {packed.addresses.data(), packed.count}, {packed.lanes.data(), packed.count},
                memory_of(instruction).whole_bytes());
}

}  // namespace ws::simt
