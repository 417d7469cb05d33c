#pragma once
// The member masks of shuffles, votes, matches, reductions and __syncwarp.

#include <bit>

#include "gpu/simt/lane_access.h"
#include "gpu/simt/observer.h"

namespace ws::simt {

// A lane that its own mask leaves out.
void report_stranger(Warp& warp, const Instruction& instruction, int lane, u32 mask);
// Members that are not there.
void report_missing(Warp& warp, const Instruction& instruction, int lane, u32 mask, u32 missing);
// A lane that reads from one that does not take part.
void report_absent_source(Warp& warp, const Instruction& instruction, int lane, int source);

// The active lanes meet at an instruction; `masks` is the slot of their member masks, -1 where the
// instruction has none.
template <class Observer>
void meet(Warp& warp, const Instruction& instruction, s32 masks) {
    Observer& observer = observer_of<Observer>(warp);
    const u32 live = warp.live & ~warp.ending;
    if (masks < 0) return observer.meet(warp, warp.mask, live);
    const u32* named = slot<u32>(warp, masks);
    // Mostly all lanes pass one mask, and it names just them.
    const u32 first = named[std::countr_zero(warp.mask)];
    u32 other = 0;
    for (int lane = 0; lane < kLanes; ++lane) other |= u32(named[lane] != first) << lane;
    other &= warp.mask;
    if (other == 0 && (first & live) == warp.mask) return observer.meet(warp, warp.mask, live);
    for (u32 rest = warp.mask; rest != 0;) {
        const int lane = std::countr_zero(rest);
        const u32 mask = named[lane];
        u32 same = 0;  // the lanes that pass this mask
        for_lanes(rest, [&](int k) { same |= u32(named[k] == mask) << k; });
        rest &= ~same;
        for_lanes(same & ~mask, [&](int k) { report_stranger(warp, instruction, k, mask); });
        // Members that have ended count as arrived; the others must be here and pass the same mask.
        const u32 missing = mask & live & ~same;
        if (missing != 0) report_missing(warp, instruction, lane, mask, missing);
        observer.meet(warp, same & mask, live);
    }
}

}  // namespace ws::simt
