#pragma once
// A launch of a kernel on the simulated GPU: what runs, how it is watched, and what came of it.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/core/counters.h"
#include "gpu/core/plan.h"
#include "gpu/core/warp_trace.h"
#include "gpu/simt/program.h"

namespace ws::simt {

using Shape = std::array<int, 3>;

// What a program says between <<< and >>> and behind them.
struct KernelLaunch {
    std::shared_ptr<const Program> program;
    Shape grid{1, 1, 1};   // in blocks
    Shape block{1, 1, 1};  // in threads
    std::uint64_t dynamic_shared_bytes = 0;
    std::vector<std::uint8_t> parameters;  // as the program lays them out; see set_parameter
    CachePreference cache = CachePreference::none;
    BankWidth banks = BankWidth::standard;
    int registers = 0;  // of a thread, in machine code for the GPU; 0: not known, and not looked at
};

// The shared memory of a block: the kernel's own, then what the launch adds.
[[nodiscard]] std::uint64_t shared_bytes_of(const KernelLaunch& launch);
// What one block of it leaves for L1 on a multiprocessor of the GPU.
[[nodiscard]] std::uint64_t l1_bytes_of(const KernelLaunch& launch, const GpuProfile& gpu);
// Stores the bits of parameter `index`. Throws Error if the kernel has none or it has another size.
void set_parameter(KernelLaunch& launch, std::size_t index, std::uint64_t bits, std::uint32_t bytes);

// What warps execute, of each block that runs. Such a launch counts nothing, and has neither checks nor
// caches.
struct TraceWish {
    KernelTrace* trace = nullptr;  // gets it; null: it is not asked for
    std::uint64_t warm_up = 0;     // the first of the blocks, which only fill the first-level cache
    // Instructions of a warp, as a launch counts them, after which it ends, as if its kernel did; 0: never.
    std::int64_t most_instructions = 0;
};

// How a launch is watched, and how far it may go.

struct LaunchOptions {
    bool count = true;
    bool check = false;         // races, uninitialised and unwritten memory; bounds are always checked
    bool model_caches = false;  // one worker then, so that the result is always the same
    // The first of the blocks, which fill the caches without being counted there.
    std::uint64_t cache_warm_up = 0;
    // Blocks that the GPU holds at a time: memory partitions are counted for so many of those that run after
    // each other. 0: for the launch alone.
    std::uint64_t window_blocks = 0;
    bool track_touched = false;  // which sectors of memory are touched at all
    // Those to run, by linear index; empty: all. A launch of some leaves the module's variables as they were,
    // and counts as unwritten what was so before.
    std::vector<std::uint64_t> blocks;
    std::uint64_t example_block = ~0ull;  // whose addresses are kept as examples
    bool example_warps = false;           // those of every warp; else of whichever comes first
    TraceWish trace;
    // Of a block. A warp instruction is a step; an access that is looked at lane by lane takes more of them.
    std::uint64_t step_limit = 60'000'000;
    double block_seconds = 8;  // of a block, in processor time; a grid may take as long as it likes
    int threads = 0;           // workers; 0: one for each core
    const std::atomic<bool>* cancel = nullptr;
    std::atomic<std::uint64_t>* blocks_done = nullptr;
};

struct LaunchOutcome {
    KernelCounters counters;  // findings are in it
    bool stopped = false;     // by a limit, a deadlock or a trap: what was computed is incomplete
    bool cancelled = false;
    std::string printed;       // by printf and assert, in the order of blocks, warps and lanes
    bool printed_cut = false;  // more was printed than a GPU's buffer takes
};

}  // namespace ws::simt
