#pragma once
// The clock of one multiprocessor: its resident warps run through their machine code, a scheduler issues the
// next instruction of one of its warps each clock, and a warp waits for stall counts and scoreboards as the
// assembler wrote them, for pipes, for the load/store unit, for memory and for the other warps of its block.
//
// Which warp a scheduler takes: ready_warps.h. Memory is a queue for the load/store unit, one for this
// multiprocessor's share of the second level, one for its share of device memory, each with a latency behind
// it.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/clock_units.h"
#include "gpu/analysis/l2_share.h"
#include "gpu/analysis/line_parts.h"
#include "gpu/analysis/machine_path.h"
#include "gpu/analysis/shared_loads.h"
#include "gpu/analysis/span_log.h"
#include "gpu/analysis/stored_places.h"
#include "gpu/analysis/written_sectors.h"
#include "gpu/core/estimate.h"
#include "gpu/core/warp_timeline.h"

namespace ws {

struct ClockWarp {
    const MachinePath* path = nullptr;
    const WarpTrace* trace = nullptr;
    std::size_t first = 0;     // of the path's steps that is run
    std::size_t left_out = 0;  // of them, the last ones, which are not run
    [[nodiscard]] std::size_t end() const { return path->steps.size() - left_out; }
    [[nodiscard]] std::size_t steps() const { return end() - first; }
};

using ClockBlocks = std::vector<std::vector<ClockWarp>>;

struct ClockLoad {
    const MachineCode* code = nullptr;
    ClockBlocks blocks;  // in the order in which they come
    int resident_blocks = 1;
    // Instructions of all warps until those that began together no longer go in step: what they wait for then
    // stands for what does not run.
    std::int64_t in_step = 0;
    int schedulers = 4;
    double busy_share = 1;                // of all multiprocessors: those that run blocks of the launch
    std::uint64_t l1_bytes = 0;           // that the resident blocks' shared memory leaves
    std::span<const LineSectors> before;  // what L1 was asked for until now
    // What of the second level one multiprocessor uses, what part of the sectors that this has not had lately
    // comes from device memory, and what of the loaded ones others have asked for not long before.
    std::uint64_t l2_share_bytes = 0;
    PastL2 past_l2;
    std::vector<SharedLoads> shared_loads;
    double l2_bytes = 0;   // that the whole of it keeps
    LineParts line_parts;  // of the launch
    StoredPlaces stored;   // of the launch, with as many blocks resident as fit
    // Sectors that the stores of one multiprocessor leave in part; null: none.
    const NeverWhole* never_whole = nullptr;
    // The same for local memory, of which the words that the compiler spilled are not in the PTX: when they
    // are loaded, and when they are stored.
    double spills_past_l2 = 0, spill_stores_past_l2 = 0;
    int local_words = 0;  // of a thread, that the PTX has
    // Of the busiest slice of the second level: for each atomic request of a warp, with those of all other
    // multiprocessors meanwhile.
    double slice_clocks = 0;
    double slice_round = 0;            // for all that the blocks that may be resident ask of it
    int hot_slices = 0;                // with at least half as many atomics as the busiest; 0: there are none
    std::int64_t timeline_clocks = 0;  // that are written down, from the first one on; 0: none
    SpanLog* log = nullptr;            // where all that warps do is written down; null: nowhere
    // Every unit takes any number of things at once, and each warp has a scheduler of its own: what is left
    // are latencies, and that no more blocks are resident. What warps wait for is not counted then.
    bool only_latencies = false;
};

struct ClockRun {
    std::int64_t clocks = 0;               // until the last warp has ended
    std::int64_t issued = 0;               // warp instructions
    std::array<double, kParts> busy{};     // clocks that each part of the GPU worked; latency: none
    MovedSectors moved;                    // between the second level and device memory
    std::vector<std::int64_t> block_ends;  // in the order in which they ended
    std::int64_t begin_clocks = 0, begin_issued = 0;  // until as many blocks are resident as may be, or all
    // From then, or from when they are no longer in step, until the first place stays empty, or the first
    // warp ends where there are no more: how long a block takes among many others.
    std::int64_t full_from = 0, full_clocks = 0, full_issued = 0;
    StateClocks states{}, full_states{};                           // of all warps
    std::vector<StateClocks> by_instruction, full_by_instruction;  // of the machine code
    WarpTimeline timeline;
};

[[nodiscard]] ClockRun run_clock(const ClockLoad& load, const ClockRates& rates);

}  // namespace ws
