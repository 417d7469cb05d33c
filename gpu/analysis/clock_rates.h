#pragma once
// What one multiprocessor does in how many clocks, as far as its warps wait for it.

#include <algorithm>
#include <array>

#include "gpu/core/gpu_profile.h"
#include "gpu/core/machine_code.h"
#include "gpu/core/message.h"

namespace ws {

// Clocks of a multiprocessor, when all of them ask, for a sector of 32 bytes. L2: at least for a line of 128
// of which only one is wanted, and for sectors that are written in part. Device memory: at least for a line
// that lies anywhere.
struct Level {
    double read_sector = 1, read_line = 0, read_scattered = 1;
    double write_sector = 1, write_part = 1, write_line = 1;
    double atomic_sector = 1, atomic_lane = 1;
    double copy_sector = 0;  // mean of one that is read and one that is written, by turns; 0: not known
    // What a sector written takes more than alone where others are read by turns.
    [[nodiscard]] double turn() const { return std::max(0.0, 2 * copy_sector - read_sector - write_sector); }
};

// Clocks until a result may be read, where a scoreboard says when.
struct ResultLatencies {
    double special = 20;  // XU
    double doubles = 40;  // FP64, where it has a scoreboard
    double shuffle = 23;
    double shared = 29;    // shared memory, without conflicts
    double constant = 30;  // what lies in the constant cache
    double l1 = 43;
    double l2 = 283;
    double memory = 689;
    double texture = 90;   // in L1
    double operands = 12;  // until those of an access have been read
    // Special registers: of lanes and warps, of blocks and what is larger, and any one in a uniform register.
    double lane_register = 21, block_register = 23, uniform_register = 33;
};

// What the load/store unit, the texture units and the constant cache of a multiprocessor take, in clocks.
struct AccessClocks {
    double line = 1;  // of 128 bytes that a store touches; a wavefront of a load
    double sector = 0.25;
    double texture_lane = 0.25;
    double wavefront = 1;      // of shared memory; of an atomic each lane that comes on its own
    double tags = 0.25;        // for a line that is looked up, where they lie in all banks of tags alike
    double lane_register = 2;  // a special register that each lane or warp has for itself
};

// Instructions that may wait before a unit of all schedulers until warps do: of each scheduler those whose
// operands have not been read and those whose have been (of requests to memory none), then of all of them so
// many loads, stores and others.
struct UnitQueue {
    int own = 8, read = 2, loads = 18, stores = 14, others = 18;
    double reads_after = 3;  // clocks from issue, at the earliest
    double into = 1;         // clocks from one that comes into the queues of all to the next
};

// Code, by lines of 128 bytes.
struct CodeRates {
    int l0_lines = 48;           // that a scheduler keeps
    int l1_bytes = 32 * 1024;    // instruction cache of the multiprocessor
    int l15_bytes = 128 * 1024;  // of a GPC...
    int gpc = 16;                // ...which so many multiprocessors share
    int l15_block = 4;           // lines beside each other that have a place there together...
    int l15_together = 2;        // ...and of these so many that come together: a part of them
    int ways = 8;                // of L1 and L1.5: lines, or blocks, of a set
    int ahead = 4;               // lines that come to L1 before anybody asks for them
    int l0_ahead = 2;            // to L0
    double jump = 8;             // clocks until it is known where a jump goes
    double turn = 1.5;           // of a scheduler's fetching, for a warp that goes on to another line
    double l1_port = 1;          // of L1, for a line that comes, or goes to an L0
    double l1_latency = 8;       // until a line from L1 is in L0
    double l15_latency = 55;     // until one from L1.5 is in L1
    double l15_port = 2.2;       // of L1.5, for a line to one multiprocessor
    double l2_latency = 216;     // until one from the second level is in L1.5

    // As if it were always where it is wanted.
    void take_no_time() { jump = turn = l1_port = l1_latency = l15_latency = l15_port = l2_latency = 0; }
};

struct ClockRates {
    // Clocks that a warp instruction occupies a scheduler's pipe: 32 over the lanes of one partition.
    std::array<double, kMachinePipes> pipe_clocks{};
    ResultLatencies latency;
    AccessClocks access;
    UnitQueue lsu_queue;  // the load/store unit's
    double operand = 2;   // a register of a request, from its scheduler to the load/store unit
    // That of constants and of special registers that a warp has not for itself.
    UnitQueue adu_queue{.own = 4, .read = 1, .others = 12, .reads_after = 0, .into = 0};
    int loads_in_l1 = 13;             // that have been looked up and wait for L1's banks
    int sectors_to_l2 = 256;          // of what is stored, and of atomics, that are on their way there
    int sectors_on_their_way = 1792;  // that L1 lacks, until loads that lack more wait
    CodeRates code;
    // Beyond the stall count, until it is known where the warp goes on.
    double taken_branch = 5;      // a call, too
    double function_return = 34;  // RET
    double meeting = 10.6;        // of lanes, BSYNC
    double barrier = 12;          // from the last arrival on...
    double adu = 2;               // a barrier, such a special register, each address of constant memory
    double drain = 35;            // from when a store has left until its warp, which has ended, is gone
    // Of a launch's first blocks, for which there is room: from one to the next, and more for each warp.
    double first_block = 20, first_warp = 1.3;
    double block_launch = 160;  // from one further block to the next, on average of all multiprocessors
    double warp_launch = 3;     // from one warp of a block to the next
    double block_turn = 300;    // from a block's end until another one of one warp begins in its place
    double warp_turn = 4;       // more for each further warp
    Level l2, memory;           // its share of what is behind the first level
    double memory_peak = 0;     // clocks for a sector of device memory, in theory; 0: not known
    double launch_us = 2.2;     // of a launch among others of one stream
    // Clocks of the whole GPU for a lane of an atomic on a word that all want; of a sum of floats.
    double same_word = 1.45, same_word_float = 3.5;
};

// Known from capability 7.5 on, where machine code is read. Of a GPU as the table has it (GpuTable): what was
// measured on it, else what its capability says, and the rest of the GPU that stands in.
[[nodiscard]] ClockRates clock_rates(const GpuProfile& gpu);
// Where they come from: measured on such a GPU, by whom and when, or taken from another one.
[[nodiscard]] Message source_of_rates(const GpuProfile& gpu);

}  // namespace ws
