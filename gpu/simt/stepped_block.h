#pragma once
// One block of a launch, executed instruction by instruction: what a debugger needs of the simulated GPU.
// What is executed is a function of the warps that are chosen, so that a state can be come to again.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/simt/block_state.h"
#include "gpu/simt/debug_watch.h"
#include "gpu/simt/gpu.h"

namespace ws::simt {

struct SteppedOptions {
    std::uint64_t block = 0;                    // its linear index
    bool runs_before = true;                    // the blocks of lower indices run before, as a launch does
    std::uint64_t step_limit = 60'000'000;      // of each of those
    const std::atomic<bool>* cancel = nullptr;  // of those
};

// Where lanes of a warp stand.
struct LanePlace {
    int function = 0;
    int instruction = 0;      // the next one, in the program's code; of a warp that waits its barrier
    std::int64_t frame = 0;   // of the function's registers, in the warp's frames
    std::uint32_t lanes = 0;  // who stands there
    std::size_t path = 0;     // of the warp's paths
    bool is_call = false;     // the function's lanes were called from the path before
};

class SteppedBlock {
  public:
    // Throws RefusedLaunch where the GPU would not take the launch, Error where a block before ends the
    // launch. The GPU, its memory with it, must outlive this.
    SteppedBlock(Gpu& gpu, const KernelLaunch& launch, const SteppedOptions& options);
    ~SteppedBlock();
    SteppedBlock(const SteppedBlock&) = delete;
    SteppedBlock& operator=(const SteppedBlock&) = delete;

    [[nodiscard]] const KernelLaunch& launch() const;
    [[nodiscard]] const Program& program() const { return *launch().program; }
    [[nodiscard]] const BlockState& state() const;
    [[nodiscard]] bool ended() const { return state().stopped || state().all_done(); }

    // Executes the next instruction of a warp that is ready, of a block that has not ended. `again`: it was
    // executed before, and nothing of it is reported or printed.
    void step(int warp, bool again);
    // What the lanes wrote in that step.
    [[nodiscard]] std::span<const LaneWrite> writes() const;

    // The paths of a warp, the innermost first; those who wait for others at a reconvergence point, and
    // callers, after them. Of a warp that has ended one place, its last instruction's.
    [[nodiscard]] std::vector<LanePlace> places(int warp) const;
    [[nodiscard]] int next_instruction(int warp) const;

    // Memory by a generic address, as a lane sees it; empty where no memory holds it all.
    [[nodiscard]] std::span<const std::byte> bytes_at(int warp, int lane, std::uint64_t address,
                                                      std::uint64_t bytes) const;

    [[nodiscard]] std::size_t finding_count() const;
    [[nodiscard]] std::vector<Finding> findings() const;
    [[nodiscard]] std::string printed() const;

    // All that changes, but for buffers and variables: their bytes before a write are in writes().
    struct Snapshot {
        BlockSnapshot block;
        DeviceHeap heap;
        [[nodiscard]] std::size_t size_bytes() const;
    };
    [[nodiscard]] Snapshot save() const;
    void restore(const Snapshot& saved);

  private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace ws::simt
