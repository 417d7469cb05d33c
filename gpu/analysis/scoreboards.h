#pragma once
// A warp's scoreboards, which its machine code sets and waits for: nothing else says what depends on what.

#include <array>
#include <bit>
#include <vector>

#include "gpu/core/machine_code.h"

namespace ws {

// Until when an instruction waits, by what it waits for; in clocks.
struct ScoreboardWait {
    double dependency = 0;
    double memory = 0;
};

class Scoreboards {
  public:
    // Whether it waits for any.
    [[nodiscard]] static bool may_hold(const MachineInstruction& instruction) {
        return instruction.control.waits != 0 || instruction.awaited.number >= 0;
    }
    [[nodiscard]] ScoreboardWait wait_of(const MachineInstruction& instruction) const;
    // As of a warp that has issued nothing.
    void clear() {
        for (Board& one : boards_) one.done.clear();
    }
    // An instruction is issued: what it has waited for is there; when its result will be, and when its
    // operands are read.
    void clear_waited(const MachineInstruction& instruction) {
        for (unsigned waits = instruction.control.waits; waits != 0; waits &= waits - 1)
            boards_[std::size_t(std::countr_zero(waits))].done.clear();
    }
    void set(const MachineInstruction& instruction, double now, double done, double read) {
        const MachineControl& control = instruction.control;
        if (control.write_barrier >= 0 || control.read_barrier >= 0) put(instruction, now, done, read);
    }

  private:
    static constexpr int kCount = 6;
    struct Board {
        std::vector<double> done;  // when what it counts is there, in the order of issue
        bool of_memory = false;
    };
    void put(const MachineInstruction& instruction, double now, double done, double read);
    void put(int board, double now, double done, bool memory);

    std::array<Board, kCount> boards_;
};

}  // namespace ws
