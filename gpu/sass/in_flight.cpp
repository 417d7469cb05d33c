#include "gpu/sass/in_flight.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace ws {
namespace {

// What may have happened before a place: loads under way, by their number among all, and scoreboards that
// were set. Waiting a second time is common, so scoreboards stay set.
struct State {
    std::vector<bool> loads;
    std::uint8_t set = 0;

    // True if that added something.
    bool join(const State& other) {
        bool added = (other.set & ~set) != 0;
        set |= other.set;
        for (std::size_t i = 0; i < loads.size(); ++i) {
            if (!other.loads[i] || loads[i]) continue;
            loads[i] = true;
            added = true;
        }
        return added;
    }
};

class Walk {
  public:
    explicit Walk(const MachineCode& code) : code_(code) {
        for (const MachineInstruction& instruction : code.instructions) {
            number_.push_back(is_load(instruction) ? int(loads_.size()) : -1);
            if (is_load(instruction)) loads_.push_back(int(number_.size()) - 1);
        }
        entry_.assign(code.blocks.size(), State{std::vector<bool>(loads_.size()), 0});
        made_.outstanding.assign(code.instructions.size(), 0);
        made_.unset.assign(code.instructions.size(), 0);
        for (const int load : loads_) made_.waits.push_back({load, -1});
    }

    InFlight run() {
        std::deque<int> open;
        for (std::size_t b = 0; b < code_.blocks.size(); ++b) open.push_back(int(b));
        while (!open.empty()) {
            const int at = open.front();
            open.pop_front();
            const State left = pass(at, false);
            for (const int next : code_.blocks[std::size_t(at)].next) {
                if (entry_[std::size_t(next)].join(left)) open.push_back(next);
            }
        }
        for (std::size_t b = 0; b < code_.blocks.size(); ++b) pass(int(b), true);
        return std::move(made_);
    }

  private:
    State pass(int block, bool records) {
        State state = entry_[std::size_t(block)];
        const MachineBlock& range = code_.blocks[std::size_t(block)];
        for (int i = range.first; i < range.end; ++i) {
            const MachineControl& control = code_.instructions[std::size_t(i)].control;
            if (records) made_.unset[std::size_t(i)] = std::uint8_t(control.waits & ~state.set);
            for (std::size_t load = 0; control.waits != 0 && load < loads_.size(); ++load) {
                const int board = code_.instructions[std::size_t(loads_[load])].control.write_barrier;
                if (!state.loads[load] || !(control.waits >> board & 1)) continue;
                state.loads[load] = false;
                if (records) waited(made_.waits[load], i);
            }
            if (control.write_barrier >= 0) state.set = std::uint8_t(state.set | 1 << control.write_barrier);
            if (control.read_barrier >= 0) state.set = std::uint8_t(state.set | 1 << control.read_barrier);
            if (number_[std::size_t(i)] >= 0) state.loads[std::size_t(number_[std::size_t(i)])] = true;
            if (records) record(i, int(std::count(state.loads.begin(), state.loads.end(), true)));
        }
        return state;
    }

    // The nearest behind the load; what stands before it is reached through a loop.
    static void waited(LoadWait& pair, int wait) {
        const auto order = [&](int index) { return std::pair(index <= pair.load, index); };
        if (pair.wait < 0 || order(wait) < order(pair.wait)) pair.wait = wait;
    }

    void record(int index, int count) {
        made_.outstanding[std::size_t(index)] = count;
        if (count <= made_.most) return;
        made_.most = count;
        made_.at = index;
    }

    const MachineCode& code_;
    std::vector<int> loads_;   // indices
    std::vector<int> number_;  // of each instruction among the loads; -1: none
    std::vector<State> entry_;
    InFlight made_;
};

}  // namespace

bool is_load(const MachineInstruction& instruction) {
    const bool brings = instruction.kind == MachineKind::load || instruction.kind == MachineKind::texture ||
                        instruction.kind == MachineKind::atomic;
    return brings && instruction.control.write_barrier >= 0;
}

InFlight loads_in_flight(const MachineCode& code) {
    return Walk(code).run();
}

}  // namespace ws
