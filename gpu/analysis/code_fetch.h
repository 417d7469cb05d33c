#pragma once
// Where warps get their instructions from: an instruction cache of each scheduler (L0), a larger one of the
// multiprocessor behind it (L1.5), then the second level. Code is fetched by lines of 128 bytes; when a line
// is used for the first time, those that follow it are fetched ahead, too. L1.5 has blocks of four lines,
// which come by two. Measured on an H200 by bench/code_fetch (docs/clock.md).

#include <algorithm>
#include <vector>

#include "gpu/analysis/calendar.h"
#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/memory_path.h"
#include "gpu/core/machine_code.h"

namespace ws {

// Lines that are there, by blocks of so many beside each other that have their place together, but come one
// by one. The block of a set that was used longest ago makes room for another.
class LineCache {
  public:
    // Of the room, which is in lines, each set has so many blocks.
    LineCache(int lines, int room, int block, int ways)
        : at_(std::size_t(lines)),
          block_(block),
          ways_(std::size_t(ways)),
          sets_(std::size_t(std::max(1, room / block / ways))) {}

    // It has come, or is on its way until it is ready.
    [[nodiscard]] bool has(int line) const { return at_[std::size_t(line)].in; }
    [[nodiscard]] double ready(int line) const { return at_[std::size_t(line)].ready; }
    // It was used now; true: for the first time since it came.
    bool use(int line);
    void put(int line, double ready);

  private:
    struct Entry {
        double ready = 0;
        bool in = false, used = false;
    };
    using Set = std::vector<int>;  // blocks, the last used one first
    // Of its set the block is now the last used one, unless it is not there.
    bool use_block(Set& set, int block);
    [[nodiscard]] Set& set_of(int block) { return sets_[std::size_t(block) % sets_.size()]; }
    void remove(int block);

    std::vector<Entry> at_;
    int block_;
    std::size_t ways_;
    std::vector<Set> sets_;
};

class CodeFetch {
  public:
    // The last one's level 2 is where code comes from; all outlive it. L1.5 has what there is room for when
    // the launch begins, and no L0 anything.
    CodeFetch(const MachineCode& code, const CodeRates& rates, int schedulers, MemoryPath& memory);

    [[nodiscard]] static int line_of(const MachineInstruction& instruction) {
        return instruction.address / kLineBytes;
    }
    // When a line is asked for, now, and from when on it is wanted.
    struct Asked {
        double now = 0, from = 0;
    };
    // When a warp of the scheduler has the line.
    double fetch(int scheduler, int line, Asked when);

  private:
    static constexpr int kLineBytes = 128;
    // To L0, from where it is.
    void bring(int scheduler, int line, Asked when);
    // To L1.5; returns when it has it.
    double bring_to_l15(int line, Asked when);

    CodeRates rates_;
    MemoryPath& memory_;
    int lines_;
    std::vector<LineCache> l0_;
    std::vector<Calendar> l0_fills_;  // when a scheduler's takes lines
    LineCache l15_;
};

}  // namespace ws
