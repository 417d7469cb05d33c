#pragma once
// The clocks in which every place of a multiprocessor is taken, or all of fewer blocks are at work: what was
// issued and what warps waited for meanwhile stands for what does not run, other blocks or the rest of these.

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "gpu/analysis/warp_clock.h"
#include "gpu/analysis/warp_states.h"

namespace ws {

class FullWindow {
  public:
    double from = std::numeric_limits<double>::max();  // the last place is taken then; it may be known before

    [[nodiscard]] bool begins(double now) const { return !before_ && !ended_ && now >= from; }
    [[nodiscard]] bool is_open() const { return before_ && !ended_; }
    // `since`: what counts begins then; `issued`: instructions until then.
    void begin(double since, std::int64_t issued, const WarpStates& states) {
        from = since;
        before_ = issued;
        states_ = states.states;
        by_instruction_ = states.by_instruction;
    }
    // It would have to end before it has begun: there is none.
    void miss() { ended_ = true; }
    // Puts what happened since then into `run`, once.
    void end(double now, std::int64_t issued, const WarpStates& states, ClockRun& run) {
        ended_ = true;
        run.full_from = std::int64_t(from);
        run.full_clocks = std::int64_t(now - from);
        run.full_issued = issued - *before_;
        run.full_states = less(states.states, states_);
        run.full_by_instruction = states.by_instruction;
        for (std::size_t i = 0; i < by_instruction_.size(); ++i)
            run.full_by_instruction[i] = less(states.by_instruction[i], by_instruction_[i]);
    }

  private:
    [[nodiscard]] static StateClocks less(StateClocks from, const StateClocks& what) {
        for (std::size_t i = 0; i < from.size(); ++i) from[i] -= what[i];
        return from;
    }

    std::optional<std::int64_t> before_;
    bool ended_ = false;
    StateClocks states_{};
    std::vector<StateClocks> by_instruction_;
};

}  // namespace ws
