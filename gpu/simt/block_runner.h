#pragma once
// Executes one block after the other: its warps, their divergence, their barriers.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/simt/async_copies.h"
#include "gpu/simt/barriers.h"
#include "gpu/simt/block_shadow.h"
#include "gpu/simt/checks.h"
#include "gpu/simt/grid_runner.h"
#include "gpu/simt/warp.h"

namespace ws::simt {

// The counts of a basic block.
struct BlockCounts {
    std::uint64_t executions = 0;
    std::uint64_t lanes = 0;
    std::uint64_t divergent = 0;
};

class BlockRunner {
  public:
    enum class Ending : std::uint8_t { finished, stopped };

    BlockRunner(const LaunchContext& context, LaunchMemory& memory, FindingLog& findings,
                GridOrder* grid_order);
    BlockRunner(const BlockRunner&) = delete;
    BlockRunner& operator=(const BlockRunner&) = delete;

    [[nodiscard]] Ending run(std::uint64_t linear_index);

    [[nodiscard]] Worker& worker() { return worker_; }
    // By function, then by basic block.
    [[nodiscard]] const std::vector<std::vector<BlockCounts>>& block_counts() const { return counts_; }
    [[nodiscard]] const std::vector<SiteCounts>& sites() const { return sites_; }
    [[nodiscard]] const std::vector<AccessExample>& examples() const { return examples_; }

  private:
    // Lanes that execute together, and where they wait for others.
    struct Path {
        int function = 0;
        int block = 0;
        int reconverge = -1;
        std::uint32_t mask = 0;
        int call = -1;                  // index of the call that began this path, -1 if none did
        std::int64_t caller_frame = 0;  // of that call: offset of the caller's frame
    };
    enum class State : std::uint8_t { ready, waiting, done };
    struct WarpState {
        Warp warp;
        std::vector<Path> paths;
        State state = State::ready;
        std::int64_t frame = 0;  // offset of the current frame
        std::vector<std::byte> frames;
        std::vector<std::byte> local;
    };

    void prepare_warps();
    void fill_specials(WarpState& warp, int index) const;
    void fill_constants(const Function& function, std::byte* frame) const;
    void begin_block(std::uint64_t linear_index);
    void run_warp(WarpState& warp);
    void run_instructions(WarpState& warp, const BasicBlock& block, std::uint32_t mask);
    void branch(WarpState& warp, const BasicBlock& block, BlockCounts& counts, std::uint32_t mask);
    void branch_list(WarpState& warp, const BasicBlock& block, BlockCounts& counts, std::uint32_t mask);
    void diverge(WarpState& warp, const BasicBlock& block,
                 const std::vector<std::pair<int, std::uint32_t>>& sides);
    void call(WarpState& warp, const BasicBlock& block, std::uint32_t mask);
    void leave(WarpState& warp, std::uint32_t mask);
    void arrive_at_barrier(WarpState& warp, const BasicBlock& block, std::uint32_t mask);
    [[nodiscard]] Barriers::Arrival arrival(WarpState& warp, const Instruction& control, std::uint32_t lanes);
    void report_divergent_barrier(const WarpState& warp, int line, std::uint32_t arriving) const;
    void pass_barrier(std::uint32_t id);
    [[nodiscard]] int running() const;
    [[nodiscard]] bool release_barriers();
    void settle(WarpState& warp) const;
    void wait_at(WarpState& warp, int function, int block, std::uint32_t lanes) const;
    void stop(const std::string& message, int line);
    void stop_endless(const BasicBlock& block);
    [[nodiscard]] bool out_of_time();
    void set_frame(WarpState& warp, std::int64_t offset) const;
    [[nodiscard]] std::uint32_t guarded(const WarpState& warp, const Instruction& instruction,
                                        std::uint32_t mask) const;
    [[nodiscard]] bool all_done() const;

    const GpuProfile& gpu_;
    const KernelLaunch& launch_;
    const LaunchOptions& options_;
    const Program& program_;
    FindingLog& findings_;
    Worker worker_;
    BlockShadow shadow_;
    AsyncCopies copies_;
    Barriers barriers_;
    std::vector<std::byte> shared_;
    std::vector<WarpState> warps_;
    std::vector<std::vector<BlockCounts>> counts_;
    std::vector<SiteCounts> sites_;
    std::vector<AccessExample> examples_;
    bool stopped_ = false;
    std::uint64_t look_again_at_ = 0;  // the step at which a cancellation is looked for next
    std::optional<std::chrono::steady_clock::time_point> watched_since_;
};

}  // namespace ws::simt
