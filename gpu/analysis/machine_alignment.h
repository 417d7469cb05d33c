#pragma once
// The way of one thread through machine code that explains best which PTX blocks it has executed.
//
// A cheapest path over pairs of a place in the thread's sequence and a machine block. It costs what is
// executed though nothing explains it, and what of an execution nothing in the machine code stands for.
// Machine blocks whose costs differ by the same amounts have the same future, so sets of them are numbered:
// of a loop that comes round again, each step is looked up.

#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "gpu/analysis/machine_flow.h"
#include "gpu/analysis/machine_shares.h"
#include "gpu/analysis/machine_unrolled.h"

namespace ws {

// A machine block on a thread's way. Places are those in the sequence of PTX blocks: it stands for the
// executions from `first` to `last`, none where that is less, and may have the rest of the one `before`.
struct MachineVisit {
    int block = 0;
    int before = 0;
    int first = 0, last = -1;
};

class MachineAlignment {
  public:
    // Both live as long as this.
    MachineAlignment(const MachineCode& code, const KernelTrace& trace);

    // The number of a step: from where the step `after` leads, -1 for the begin, through a PTX block.
    [[nodiscard]] int step(int after, int ptx_block);
    [[nodiscard]] std::vector<MachineVisit> visits(std::span<const int> steps);

    [[nodiscard]] const MachineFlow& flow() const { return flow_; }
    [[nodiscard]] const MachineShares& shares() const { return shares_; }

  private:
    // The last execution that something stands for, and which of a machine block's copies that is.
    struct State {
        const MachineShare* home = nullptr;  // null: at the begin
        int copy = 0;
        int cost = 0;  // more than the cheapest of the set
    };
    struct Origin {
        int state = 0;         // in the set before
        bool skips = false;    // nothing stands for this execution
        bool arrives = false;  // the machine block is entered for it
    };
    // A set, and the steps that lead on from it, by PTX block.
    struct Set {
        std::vector<State> states;
        std::vector<std::pair<int, int>> next;
    };
    struct Step {
        int set = 0;
        std::vector<Origin> origins;  // of each state
    };
    // Machine blocks between two others.
    struct Route {
        int cost = 0;
        std::vector<int> blocks;
    };

    [[nodiscard]] Step make_step(int set, int ptx_block);
    [[nodiscard]] int number_of(std::vector<State>& states);
    [[nodiscard]] int may_still_explain(const State& state, int ptx_block) const;
    [[nodiscard]] bool may_follow(int ptx_block, int later) const {
        return follows_[std::size_t(ptx_block)][std::size_t(later)];
    }
    void find_followers(const KernelTrace& trace);
    [[nodiscard]] bool is_behind(const State& state, const State& other, int ptx_block);
    [[nodiscard]] bool nothing_between(int from, int to, int ptx_block);
    [[nodiscard]] bool stays(const State& state, const MachineShare& home, int& copy) const;
    // From one home (null: the begin) to another (null: the end).
    [[nodiscard]] const Route& route(const MachineShare* from, const MachineShare* to);
    [[nodiscard]] Route find_route(const MachineShare* from, const MachineShare* to);
    [[nodiscard]] int cost_of(int block) const;
    [[nodiscard]] int explained(int block, const MachineShare* home) const;
    void pass(std::vector<MachineVisit>& made, const MachineShare* from, const MachineShare* to, int place);

    const MachineCode& code_;
    MachineFlow flow_;
    MachineShares shares_;
    MachineUnrolled unrolled_;
    std::vector<std::vector<bool>> follows_;  // by PTX block: those that may be executed after it
    std::map<std::tuple<int, int, int>, bool> between_;
    std::vector<Set> sets_;
    std::map<std::vector<std::intptr_t>, int> numbers_;
    std::vector<Step> steps_;
    std::map<std::pair<const MachineShare*, const MachineShare*>, Route> routes_;
};

}  // namespace ws
