#pragma once
// The observer that writes down what warps execute, in their order, and what their accesses ask of the
// memory. Each block is written down by itself; in the end they stand in their order, whoever ran them.

#include <mutex>
#include <vector>

#include "gpu/core/warp_trace.h"
#include "gpu/simt/access_rules.h"
#include "gpu/simt/known_requests.h"
#include "gpu/simt/launch.h"
#include "gpu/simt/observer.h"
#include "gpu/simt/rare_operands.h"
#include "gpu/simt/traffic.h"

namespace ws::simt {

class Trace : public Silent {
  public:
    class Shared {
      public:
        Shared(const LaunchContext& context, LaunchMemory& memory, FindingLog& findings);
        void add(const Trace& worker);
        void report(LaunchOutcome& /*outcome*/);

      private:
        friend class Trace;
        // What a block leaves: its warps, or, of those that only fill the first level, what they ask it for.
        struct Block {
            std::uint64_t turn = 0;
            std::vector<WarpTrace> warps;
            std::vector<LineSectors> before;
            std::vector<std::size_t> ends;  // in these, of each request
        };
        void add_before(const Block& block);
        const Program& program_;
        AccessRules rules_;
        KernelTrace* made_;
        std::vector<int> first_block_;   // of each function, among all basic blocks
        std::vector<RareCheck> checks_;  // by instruction
        std::int64_t most_;              // instructions of a warp; 0: all
        std::uint64_t warm_up_;          // blocks of which only is written down what they ask L1 for
        std::mutex mutex_;               // of the blocks
        std::vector<Block> blocks_;
    };

    explicit Trace(Shared& shared) : shared_(shared), known_(shared.program_.memory_instructions) {}

    [[nodiscard]] bool has_enough(const Warp& warp) const {
        return shared_.most_ > 0 && executed_[std::size_t(warp.index)] >= shared_.most_;
    }
    void end_early(const Warp& warp) {
        if (watching_) of(warp).cut = warp.live;
    }
    void begin_block(const Worker& worker);
    void end_block(const Worker& worker);
    void enter(const Warp& warp, int function, int block, std::uint32_t mask);
    void instruction(const Warp& warp, const Instruction& instruction) {
        const RareCheck check = shared_.checks_[std::size_t(instruction.site)];
        if (check != RareCheck::none) [[unlikely]]
            add_rare(warp, instruction, check);
    }
    void access(const Warp& warp, const WarpAccess& access);
    void fetch_texture(const Warp& warp, const TextureRequest& request);

  private:
    void add_rare(const Warp& warp, const Instruction& instruction, RareCheck check);
    [[nodiscard]] WarpTrace& of(const Warp& warp) { return block_.warps[std::size_t(warp.index)]; }
    void look_at_atomic(const Warp& warp, TracedAccess& made, const WarpAccess& access, Space space);
    void add_atomic(const Warp& warp, const WarpAccess& access, PackedLanes packed);
    void add_request(const Warp& warp, TracedAccess& made, const WarpAccess& access, Space space);
    void look_at(WarpTrace& trace, TracedAccess& made, const WarpAccess& access, Space space);
    static void repeat(WarpTrace& trace, TracedAccess& made, const KnownRequest& known,
                       const WarpAccess& access);
    void ask_for(WarpTrace& trace, TracedAccess& made, const WarpAccess& access, Space space);
    void fill_before(const WarpAccess& access, Space space);
    // Of a store's sectors those that go on: a warp's stores one after the other to the same sectors meet on
    // their way.
    [[nodiscard]] int sectors_that_go_on(WarpTrace& trace, const TracedAccess& made);

    Shared& shared_;
    KnownRequests known_;
    bool watching_ = false;
    Shared::Block block_;               // that runs
    std::vector<AtomicSlice> atomics_;  // of all blocks; where there are some, one worker runs them
    int local_words_ = 0;
    std::vector<RareLanes> rare_;         // of an instruction
    std::vector<TracedAccess> stored_;    // by warp: its last store
    std::vector<std::int64_t> executed_;  // by warp: instructions
};

}  // namespace ws::simt
