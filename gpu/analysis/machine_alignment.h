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
#include "gpu/analysis/machine_routes.h"
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
    // And that of the end behind a step; of a thread that was not followed to its end, there.
    [[nodiscard]] int end(int after);
    [[nodiscard]] int cut(int after);
    // The way with these steps, and the end behind the last of them. Several threads may ask at once, while
    // none asks for a step.
    [[nodiscard]] std::vector<MachineVisit> visits(std::span<const int> steps, int end) const;

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
        int state = 0;       // in the set before
        bool skips = false;  // nothing stands for this execution
        int route = -1;      // on which the machine block is entered for it; -1: it is not
        int block = 0;       // this
    };
    // A set, the steps that lead on from it, by PTX block, and the ends; -1: nobody has asked for it.
    struct Set {
        std::vector<State> states;
        std::vector<std::pair<int, int>> next;
        int end = -1;
        int cut = -1;
    };
    struct Step {
        int set = 0;
        int first_origin = 0;  // of `origins_`, one of each state
    };
    // From a state to a home of an execution.
    struct Entry {
        int gain = 0;  // what it explains
        int way = -1;  // the route's number; -1: it costs too much
    };

    [[nodiscard]] Step make_step(int set, int ptx_block);
    [[nodiscard]] std::vector<Entry> entries_of(const std::vector<State>& before, int ptx_block);
    [[nodiscard]] int number_of(std::vector<State>& states);
    [[nodiscard]] int may_still_explain(const State& state, int ptx_block) const;
    [[nodiscard]] bool may_follow(int ptx_block, int later) const {
        return (follows_[std::size_t(ptx_block)][std::size_t(later) / 64] >> (later % 64) & 1) != 0;
    }
    void find_followers(const KernelTrace& trace);
    [[nodiscard]] bool is_behind(const State& state, const State& other, int ptx_block);
    [[nodiscard]] bool nothing_between(int from, int to, int ptx_block);
    [[nodiscard]] bool stays(const State& state, const MachineShare& home, int& copy) const;

    MachineFlow flow_;
    MachineShares shares_;
    MachineUnrolled unrolled_;
    MachineRoutes routes_;
    std::vector<std::vector<std::uint64_t>> follows_;  // by PTX block, as bits: those that may come after it
    std::map<std::tuple<int, int, int>, bool> between_;
    std::vector<Set> sets_;
    std::map<std::vector<std::intptr_t>, int> numbers_;
    std::vector<Step> steps_;
    std::vector<Origin> origins_;
    std::vector<Origin> ends_;  // the last state, and the route from there, -1: none
};

}  // namespace ws
