#pragma once
// The observer that looks for races, for reads of what nothing wrote, and for missing waits. Within a block
// it asks the block's shadow, between blocks their marks.

#include <array>
#include <cstdint>

#include "gpu/simt/block_marks.h"
#include "gpu/simt/block_shadow.h"
#include "gpu/simt/observer.h"

namespace ws::simt {

class Checker : public Silent {
  public:
    static constexpr bool kFollowsLanes = true;

    class Shared {
      public:
        Shared(const LaunchContext& context, LaunchMemory& memory, FindingLog& findings)
            : whole_(context.options.blocks.empty()),
              findings_(findings),
              marks_(memory, context.launch.program->has_fences) {}
        void add(const Checker& /*worker*/) {}
        void report(const LaunchOutcome& outcome) const;

      private:
        friend class Checker;
        bool whole_;  // all blocks are run
        FindingLog& findings_;
        BlockMarks marks_;
    };

    explicit Checker(Shared& shared) : marks_(shared.marks_) {}

    void begin_block(const Worker& worker);
    void end_block(const Worker& worker);
    void touch(Warp& warp, const LaneTouch& touch);
    void allocate(const Region& heap, std::uint64_t address, std::uint64_t bytes) {
        marks_.forget(heap, address, bytes);
        shadow_.forget(address, bytes);
    }
    void begin_copy(Warp& warp, const LaneTouch& touch);
    void end_copy(std::uint64_t offset, int bytes, int thread) { shadow_.end_copy(offset, bytes, thread); }
    void meet(const Warp& warp, std::uint32_t lanes, std::uint32_t live) {
        shadow_.order().meet(warp.index, lanes, live);
    }
    void fence(const Warp& warp, const Instruction& instruction) {
        shadow_.order().fence(warp.index, warp.mask, detail_of<FenceScope>(instruction).beyond_block);
    }
    void arrive(const Barriers::Arrival& arrival) {
        shadow_.order().arrive(arrival.warp, arrived_[arrival.id]);
    }
    void pass(std::uint32_t barrier, std::span<const Barriers::Arrival> waiting, bool all);

  private:
    void check_shared(Warp& warp, const LaneTouch& at, const Touch& access);
    void check_global(Warp& warp, const LaneTouch& at, const Touch& access);
    void check_between_blocks(Warp& warp, const LaneTouch& at, const Touch& access);
    [[nodiscard]] bool begin_grid_ordering(const Worker& worker, const LaneTouch& at, const Touch& access);
    template <typename What>
    void report_answer(Warp& warp, const LaneTouch& at, const Touch& access,
                       const BlockShadow::Answer& answer, const What& what);

    BlockMarks& marks_;
    BlockShadow shadow_;
    GridOrder::Flags read_flags_;  // of other blocks, by this one
    std::array<ThreadOrder::Arrivals, Barriers::kCount> arrived_;
};

}  // namespace ws::simt
