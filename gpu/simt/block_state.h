#pragma once
// The block that a worker executes: its warps, shared memory and barriers, and how long it may go on.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/simt/async_copies.h"
#include "gpu/simt/barriers.h"
#include "gpu/simt/launch_logs.h"
#include "gpu/simt/warp_state.h"

namespace ws::simt {

// All that executing changes of a block; memory outside of it is not in it.
struct BlockSnapshot {
    struct OfWarp {
        std::vector<std::byte> frames, local;
        std::vector<Path> paths;
        WarpState::State state = WarpState::State::ready;
        int at = 0;
        std::int64_t frame = 0;
        std::uint32_t live = 0, ending = 0;
    };
    std::vector<OfWarp> warps;
    std::vector<std::byte> shared;
    Barriers barriers;
    AsyncCopies copies;
    Fault fault;
    std::uint64_t steps = 0;
    bool stopped = false;

    [[nodiscard]] std::size_t size_bytes() const;
};

class BlockState {
  public:
    BlockState(const LaunchContext& context, const BoundProgram& bound, LaunchMemory& memory,
               LaunchLogs& logs);
    BlockState(const BlockState&) = delete;
    BlockState& operator=(const BlockState&) = delete;

    void begin_block(std::uint64_t linear_index, std::uint64_t turn);

    [[nodiscard]] bool all_done() const { return running() == 0; }
    [[nodiscard]] bool any_ready() const;
    [[nodiscard]] int running() const;

    // Notes that a warp comes to a barrier.
    [[nodiscard]] Barriers::Arrival arrival(const WarpState& warp, const Instruction& control,
                                            std::uint32_t lanes) const;
    void report_divergent_barrier(const WarpState& warp, int line, std::uint32_t arriving) const;
    // Lets those go on that waited for a barrier, with its result where it has one.
    void release(const Barriers::Passage& passage);

    // After so many more steps: false if the block ends here, which `stop` has told unless it is cancelled.
    [[nodiscard]] bool goes_on(const BasicBlock& block, std::uint64_t steps) {
        worker.steps += steps;
        if (worker.steps < look_again_at_ && worker.steps <= context.options.step_limit) return true;
        return look_again(block);
    }
    // How many of them may be taken without asking.
    [[nodiscard]] std::int64_t steps_to_look() const {
        return std::int64_t(std::min(look_again_at_, context.options.step_limit)) -
               std::int64_t(worker.steps);
    }
    void stop(const std::string& message, int line);

    // Of the block that is executed; what is restored was saved of the same one.
    [[nodiscard]] BlockSnapshot save() const;
    void restore(const BlockSnapshot& saved);

    const LaunchContext& context;
    const BoundProgram& bound;
    FindingLog& findings;
    Worker worker;
    Barriers barriers;
    std::vector<WarpState> warps;
    bool stopped = false;

  private:
    void forget_what_blocks_left();
    [[nodiscard]] bool look_again(const BasicBlock& block);
    [[nodiscard]] bool out_of_time();
    void stop_endless(const BasicBlock& block);

    AsyncCopies copies_;
    std::vector<std::byte> shared_;
    std::uint64_t look_again_at_ = 0;  // the step at which a cancellation is looked for next
    // Processor time of its thread, so that a block which others keep from running is not stopped.
    std::optional<double> watched_since_;
};

}  // namespace ws::simt
