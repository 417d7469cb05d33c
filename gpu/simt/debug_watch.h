#pragma once
// The observer of a block that is stepped through: notes what is written, so that it can be undone, and looks
// for faults as the Checker does.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "gpu/simt/checker.h"
#include "gpu/simt/observer.h"

namespace ws::simt {

// A lane's write.
struct LaneWrite {
    static constexpr std::size_t kMostBytes = 32;
    int lane = 0;
    Space space = Space::global;
    std::uint64_t address = 0;  // of shared and local memory: the offset
    std::uint32_t bytes = 0;
    std::byte* place = nullptr;                  // of global memory that is not the heap's
    std::array<std::byte, kMostBytes> before{};  // what lay there
};

class DebugWatch : public Silent {
  public:
    static constexpr bool kFollowsLanes = true;

    class Shared : public Checker::Shared {
      public:
        using Checker::Shared::Shared;
        void add(const DebugWatch& /*worker*/) {}
    };

    explicit DebugWatch(Shared& shared) : checker_(shared) {}

    // Whether what happens is new to the checks: what is executed once more is not.
    void set_checks(bool on) { checks_ = on; }
    [[nodiscard]] const std::vector<LaneWrite>& writes() const { return writes_; }
    void forget_writes() { writes_.clear(); }

    void begin_block(const Worker& worker) { checker_.begin_block(worker); }
    void end_block(const Worker& worker) {
        if (checks_) checker_.end_block(worker);
    }
    void touch(Warp& warp, const LaneTouch& at) {
        if (checks_) checker_.touch(warp, at);
        if (at.writes) note(at);
    }
    void allocate(const Region& heap, std::uint64_t address, std::uint64_t bytes) {
        if (checks_) checker_.allocate(heap, address, bytes);
    }
    void begin_copy(Warp& warp, const LaneTouch& touch) {
        if (checks_) checker_.begin_copy(warp, touch);
    }
    void end_copy(std::uint64_t offset, int bytes, int thread) {
        if (checks_) checker_.end_copy(offset, bytes, thread);
        writes_.push_back({thread % kLanes, Space::shared, offset, std::uint32_t(bytes), nullptr, {}});
    }
    void meet(const Warp& warp, std::uint32_t lanes, std::uint32_t live) {
        if (checks_) checker_.meet(warp, lanes, live);
    }
    void fence(const Warp& warp, const Instruction& instruction) {
        if (checks_) checker_.fence(warp, instruction);
    }
    void arrive(const Barriers::Arrival& arrival) {
        if (checks_) checker_.arrive(arrival);
    }
    void pass(std::uint32_t barrier, std::span<const Barriers::Arrival> waiting, bool all) {
        if (checks_) checker_.pass(barrier, waiting, all);
    }

  private:
    void note(const LaneTouch& at) {
        LaneWrite made{at.lane, at.space, at.address, std::uint32_t(at.bytes), nullptr, {}};
        if (at.space == Space::global && at.region && at.region->index != Region::kHeap) {
            made.place = at.place;
            std::memcpy(made.before.data(), at.place, made.bytes);
        }
        writes_.push_back(made);
    }

    Checker checker_;
    bool checks_ = true;
    std::vector<LaneWrite> writes_;
};

}  // namespace ws::simt
