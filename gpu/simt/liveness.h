#pragma once
// Which registers of a function's frame are still read, and where.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "gpu/simt/program.h"

namespace ws::simt {

// Of an instruction, by offsets into the frame. What is not known to be written whole counts as read.
struct SlotUse {
    std::vector<std::int32_t> read;
    std::vector<std::int32_t> written;
    std::vector<std::int32_t> changed;  // all that may be written, also for some lanes
};

// The slots of a program's instructions, also those that stand in details and not in the instruction.
class SlotUses {
  public:
    explicit SlotUses(const Program& program);
    [[nodiscard]] SlotUse of(const Instruction& instruction, bool writes_whole) const;

  private:
    std::unordered_map<const Detail*, std::vector<std::int32_t>> of_detail_;
};

// The uses of a program's instructions. `writes_whole` says whether an instruction is known to write its
// result for all lanes that execute it, and to write nothing else.
class Liveness {
  public:
    template <typename WritesWhole>
    Liveness(const Program& program, const WritesWhole& writes_whole) : program_(program) {
        const SlotUses uses(program);
        uses_.reserve(program.code.size());
        for (const Instruction& instruction : program.code)
            uses_.push_back(uses.of(instruction, writes_whole(instruction)));
        for (const Function& function : program.functions) solve(function);
    }

    [[nodiscard]] const SlotUse& use(int instruction) const { return uses_[std::size_t(instruction)]; }
    static constexpr int kNever = std::numeric_limits<int>::max();
    // From an instruction of the block on, or its end: the first that reads what the slot holds before
    // another writes it; the end where only what follows the block does.
    [[nodiscard]] int next_read(const Function& function, int block, int instruction,
                                std::int32_t slot) const;
    [[nodiscard]] bool is_live(const Function& function, int block, int instruction,
                               std::int32_t slot) const {
        return next_read(function, block, instruction, slot) != kNever;
    }

  private:
    using Bits = std::vector<std::uint64_t>;
    struct Solved {
        std::unordered_map<std::int32_t, std::size_t> index;  // of a slot
        std::vector<std::vector<int>> reads, writes;          // the instructions, ascending, by index
        std::vector<Bits> live_out;                           // by block
    };
    void solve(const Function& function);

    const Program& program_;
    std::vector<SlotUse> uses_;
    std::vector<Solved> solved_;  // by function
};

// The blocks that may follow one within its function.
[[nodiscard]] std::vector<int> successors_of(const BasicBlock& block);

}  // namespace ws::simt
