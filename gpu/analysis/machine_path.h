#pragma once
// What a warp executes of a kernel's machine code, from what it executed of the PTX.
//
// Each thread's sequence of PTX blocks is known, and the way through the machine code that explains it best
// is found (machine_alignment.h). The warp then goes these ways as the hardware does: threads that part meet
// again where the machine code says so.

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "gpu/analysis/machine_alignment.h"
#include "gpu/analysis/machine_rare_calls.h"
#include "gpu/core/machine_code.h"
#include "gpu/core/warp_trace.h"

namespace ws {

struct MachineStep {
    int instruction = 0;     // index into the machine code
    int access = -1;         // index among the warp's accesses; -1: none, or no lane made one
    std::uint8_t lanes = 0;  // active
};

struct MachinePath {
    std::vector<MachineStep> steps;
};

// What an instruction does where threads that part meet again.
enum class MeetingPart : std::uint8_t { none, begins, waits };

class PathFinder {
  public:
    // Both live as long as this. The lines of the trace are those that the code was assembled from.
    PathFinder(const MachineCode& code, const KernelTrace& trace);
    // Warps that did the same have the same one. The warps live as long as this. What threads share is found
    // warp by warp, so that the paths are the same on any number of threads. Empty where `cancel` was set
    // meanwhile; nothing more may be asked for then.
    using Paths = std::vector<std::shared_ptr<const MachinePath>>;
    [[nodiscard]] Paths find(std::span<const WarpTrace> warps, int threads,
                             const std::atomic<bool>* cancel = nullptr);
    [[nodiscard]] std::shared_ptr<const MachinePath> find(const WarpTrace& warp) {
        return find({&warp, 1}, 1).front();
    }

  private:
    struct Known {
        const WarpTrace* warp = nullptr;
        std::shared_ptr<const MachinePath> path;
    };
    [[nodiscard]] std::shared_ptr<const MachinePath> known(const WarpTrace& warp, std::uint64_t key) const;

    const MachineCode& code_;
    MachineAlignment alignment_;
    MachineRareCalls calls_;
    std::vector<MeetingPart> meetings_;                    // by instruction
    std::unordered_multimap<std::uint64_t, Known> known_;  // by alike_key
};

}  // namespace ws
