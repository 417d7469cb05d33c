#pragma once
// The simulated GPU: runs a decoded kernel over a grid of blocks on all cores, counts, and checks.

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/core/counters.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/core/plan.h"
#include "gpu/simt/program.h"
#include "gpu/simt/texture.h"

namespace ws::simt {

using Shape = std::array<int, 3>;

struct Buffer {
    std::byte* data = nullptr;
    std::uint64_t bytes = 0;
    bool initialised = true;  // false: reading before writing is a finding, and so is never writing
    bool writable = true;
};

struct LaunchSetup {
    std::shared_ptr<const Program> program;
    Shape grid{1, 1, 1};
    Shape block{1, 1, 1};
    std::uint64_t dynamic_shared_bytes = 0;
    std::vector<std::uint8_t> parameters;  // as the program lays them out; see set_parameter
    std::vector<Buffer> buffers;
    std::vector<Texture> textures;
    GpuProfile gpu;
    BankWidth banks = BankWidth::standard;
    int registers = 0;  // of a thread, in machine code for the GPU; 0: not known, and not looked at
    bool count = true;
    bool check = false;         // races, uninitialised and unwritten memory; bounds are always checked
    bool model_caches = false;  // one worker then, so that the result is always the same
    std::uint64_t cache_warm_up =
        0;                       // the first of the blocks, which fill the caches without being counted there
    bool track_touched = false;  // which sectors of memory are touched at all
    std::vector<std::uint64_t> blocks;    // those to run, by linear index; empty: all
    std::uint64_t example_block = ~0ull;  // whose addresses are kept as examples
    // Of a block. A warp instruction is a step; an access that is looked at lane by lane takes more of them.
    std::uint64_t step_limit = 60'000'000;
    double block_seconds = 8;  // of a block, by the clock; a grid may take as long as it likes
    int threads = 0;           // workers; 0: one for each core
    const std::atomic<bool>* cancel = nullptr;
    std::atomic<std::uint64_t>* blocks_done = nullptr;
};

// The simulated address of a buffer, to pass to the kernel.
[[nodiscard]] std::uint64_t buffer_address(const LaunchSetup& setup, std::size_t index);
// Stores the bits of parameter `index`. Throws Error if the kernel has none or it has another size.
void set_parameter(LaunchSetup& setup, std::size_t index, std::uint64_t bits, std::uint32_t bytes);

struct LaunchOutcome {
    KernelCounters counters;  // findings are in it
    bool stopped = false;     // by a limit, a deadlock or a trap: what was computed is incomplete
    bool cancelled = false;
};

// Throws RefusedLaunch for a launch that the GPU would not take, Error for a kernel that would not compile
// for it.
[[nodiscard]] LaunchOutcome launch(const LaunchSetup& setup);

}  // namespace ws::simt
