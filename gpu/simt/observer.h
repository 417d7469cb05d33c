#pragma once
// Who watches the executor. It calls an observer at each event below and knows nothing else of it; which one
// is chosen at compile time. An observer is a class derived from Silent that hides the events it wants, with
// a class `Shared` for what all workers of a launch have together; Observers joins several into one.
//
// To add one: its file, and a line in observer_sets.h.

#include <cstdint>
#include <span>

#include "gpu/simt/access_pattern.h"
#include "gpu/simt/barriers.h"
#include "gpu/simt/details.h"
#include "gpu/simt/grid_runner.h"
#include "gpu/simt/translation.h"
#include "gpu/simt/warp.h"

namespace ws::simt {

// One request of a warp that has been executed.
struct WarpAccess {
    const Instruction& instruction;
    const std::uint64_t* addresses = nullptr;  // of 32 lanes, as the instruction has them
    std::uint32_t mask = 0;                    // the lanes that accessed, at least one
    const AccessPattern* pattern = nullptr;    // of these lanes; null: distances are not known
};

// One lane's access, in bounds and aligned, before it is executed.
struct LaneTouch {
    const Instruction& instruction;
    int lane = 0;
    Space space = Space::global;     // where it goes: never generic
    std::uint64_t address = 0;       // of shared and local memory: the offset
    const Region* region = nullptr;  // of global memory
    std::byte* place = nullptr;
    int bytes = 0;
    bool reads = false, writes = false;
    const std::byte* value = nullptr;  // what a plain write brings
};

// One request of a warp to textures.
struct TextureRequest {
    const Instruction& instruction;
    std::span<const std::uint64_t> addresses;  // of the texels that the lanes read; one may be there twice
    int texel_bytes = 4;
};

struct Silent {
    // Wants `touch` of every access to shared memory and to buffers that kernels write, and the events of
    // asynchronous copies.
    static constexpr bool kFollowsLanes = false;
    // Wants `enter`, `instruction` and `access` each time, as only the interpreter tells them. An observer
    // that does not is told by `entered` and `repeated` what translated code did, in one for many times.
    [[nodiscard]] bool wants_each() const { return true; }

    class Shared {
      public:
        Shared(const LaunchContext& /*context*/, LaunchMemory& /*memory*/, FindingLog& /*findings*/) {}
    };

    // Whether a warp need not run to its end, before each of its basic blocks; it ends there.
    [[nodiscard]] bool has_enough(const Warp& /*warp*/) const { return false; }
    void end_early(const Warp& /*warp*/) {}

    void begin_block(const Worker& /*worker*/) {}
    void end_block(const Worker& /*worker*/) {}
    // A basic block begins with these lanes; it ends in a divergent branch.
    void enter(const Warp& /*warp*/, int /*function*/, int /*block*/, std::uint32_t /*mask*/) {}
    void diverge(int /*function*/, int /*block*/) {}
    // The block was executed so often, by so many lanes in sum, and its branch led them apart.
    void entered(int /*function*/, int /*block*/, const BlockPasses& /*passes*/) {}
    // The pattern's lanes accessed as it says, as often as its hits say.
    void repeated(const Instruction& /*instruction*/, const AccessPattern& /*pattern*/) {}
    // An instruction is executed by the lanes of warp.mask; under a guard, whether it lets any through or
    // none.
    void instruction(const Warp& /*warp*/, const Instruction& /*instruction*/) {}
    void guarded(const Instruction& /*instruction*/, std::uint32_t /*mask*/) {}
    void access(const Warp& /*warp*/, const WarpAccess& /*access*/) {}
    void touch(Warp& /*warp*/, const LaneTouch& /*touch*/) {}
    void fetch_texture(const Warp& /*warp*/, const TextureRequest& /*request*/) {}
    // malloc gave memory of the heap's region, which other threads may have had before.
    void allocate(const Region& /*heap*/, std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
    // Asynchronous copies to shared memory.
    void begin_copy(Warp& /*warp*/, const LaneTouch& /*touch*/) {}
    void end_copy(std::uint64_t /*offset*/, int /*bytes*/, int /*thread*/) {}
    // What orders threads: lanes of a warp that wait for each other, fences, barriers. Those who pass a
    // barrier are all warps of the block that run, or some.
    void meet(const Warp& /*warp*/, std::uint32_t /*lanes*/, std::uint32_t /*live*/) {}
    void fence(const Warp& /*warp*/, const Instruction& /*instruction*/) {}
    void arrive(const Barriers::Arrival& /*arrival*/) {}
    void pass(std::uint32_t /*barrier*/, std::span<const Barriers::Arrival> /*waiting*/, bool /*all*/) {}
};

template <class... Parts>
class Observers : private Parts... {
  public:
    static constexpr bool kFollowsLanes = (Parts::kFollowsLanes || ...);

    class Shared : private Parts::Shared... {
      public:
        Shared([[maybe_unused]] const LaunchContext& context, [[maybe_unused]] LaunchMemory& memory,
               [[maybe_unused]] FindingLog& findings)
            : Parts::Shared(context, memory, findings)... {}
        // Once all workers have ended: takes what each has seen, then reports.
        void add([[maybe_unused]] const Observers& worker) {
            (Parts::Shared::add(static_cast<const Parts&>(worker)), ...);
        }
        void report([[maybe_unused]] LaunchOutcome& outcome) { (Parts::Shared::report(outcome), ...); }

      private:
        friend class Observers;
    };

    template <class Part>
    [[nodiscard]] Part& part() {
        return *this;
    }
    template <class Part>
    [[nodiscard]] const Part& part() const {
        return *this;
    }

    explicit Observers([[maybe_unused]] Shared& shared)
        : Parts(static_cast<typename Parts::Shared&>(shared))... {}

    [[nodiscard]] bool wants_each() const { return (Parts::wants_each() || ...); }

    [[nodiscard]] bool has_enough([[maybe_unused]] const Warp& warp) const {
        return (Parts::has_enough(warp) || ...);
    }
    void end_early([[maybe_unused]] const Warp& warp) { (Parts::end_early(warp), ...); }

    void begin_block([[maybe_unused]] const Worker& worker) { (Parts::begin_block(worker), ...); }
    void end_block([[maybe_unused]] const Worker& worker) { (Parts::end_block(worker), ...); }
    void enter([[maybe_unused]] const Warp& warp, [[maybe_unused]] int function, [[maybe_unused]] int block,
               [[maybe_unused]] std::uint32_t mask) {
        (Parts::enter(warp, function, block, mask), ...);
    }
    void diverge([[maybe_unused]] int function, [[maybe_unused]] int block) {
        (Parts::diverge(function, block), ...);
    }
    void entered([[maybe_unused]] int function, [[maybe_unused]] int block,
                 [[maybe_unused]] const BlockPasses& passes) {
        (Parts::entered(function, block, passes), ...);
    }
    void repeated([[maybe_unused]] const Instruction& instruction,
                  [[maybe_unused]] const AccessPattern& pattern) {
        (Parts::repeated(instruction, pattern), ...);
    }
    void instruction([[maybe_unused]] const Warp& warp, [[maybe_unused]] const Instruction& instruction) {
        (Parts::instruction(warp, instruction), ...);
    }
    void guarded([[maybe_unused]] const Instruction& instruction, [[maybe_unused]] std::uint32_t mask) {
        (Parts::guarded(instruction, mask), ...);
    }
    void access([[maybe_unused]] const Warp& warp, [[maybe_unused]] const WarpAccess& access) {
        (Parts::access(warp, access), ...);
    }
    void touch([[maybe_unused]] Warp& warp, [[maybe_unused]] const LaneTouch& touch) {
        (Parts::touch(warp, touch), ...);
    }
    void fetch_texture([[maybe_unused]] const Warp& warp, [[maybe_unused]] const TextureRequest& request) {
        (Parts::fetch_texture(warp, request), ...);
    }
    void allocate([[maybe_unused]] const Region& heap, [[maybe_unused]] std::uint64_t address,
                  [[maybe_unused]] std::uint64_t bytes) {
        (Parts::allocate(heap, address, bytes), ...);
    }
    void begin_copy([[maybe_unused]] Warp& warp, [[maybe_unused]] const LaneTouch& touch) {
        (Parts::begin_copy(warp, touch), ...);
    }
    void end_copy([[maybe_unused]] std::uint64_t offset, [[maybe_unused]] int bytes,
                  [[maybe_unused]] int thread) {
        (Parts::end_copy(offset, bytes, thread), ...);
    }
    void meet([[maybe_unused]] const Warp& warp, [[maybe_unused]] std::uint32_t lanes,
              [[maybe_unused]] std::uint32_t live) {
        (Parts::meet(warp, lanes, live), ...);
    }
    void fence([[maybe_unused]] const Warp& warp, [[maybe_unused]] const Instruction& instruction) {
        (Parts::fence(warp, instruction), ...);
    }
    void arrive([[maybe_unused]] const Barriers::Arrival& arrival) { (Parts::arrive(arrival), ...); }
    void pass([[maybe_unused]] std::uint32_t barrier,
              [[maybe_unused]] std::span<const Barriers::Arrival> waiting, [[maybe_unused]] bool all) {
        (Parts::pass(barrier, waiting, all), ...);
    }
};

// Hands on what translated code counted.
template <class Observer>
void tell_hits(Observer& observer, const Instruction& instruction, AccessPattern& pattern) {
    if (!pattern.unobserved) return;
    observer.repeated(instruction, pattern);
    pattern.hits.fill(0);
    pattern.unobserved = false;
}

// The observer of the block that the warp belongs to.
template <class Observer>
[[nodiscard]] inline Observer& observer_of(Warp& warp) {
    return *static_cast<Observer*>(warp.worker->observer);
}

}  // namespace ws::simt
