#pragma once
// Where warps get their instructions from: an instruction cache of each scheduler (L0), a larger one of the
// multiprocessor behind it (L1.5), then the second level. Code is fetched by lines of 128 bytes; when a line
// is used for the first time, those that follow it are fetched ahead, too.

#include <cstdint>
#include <vector>

#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/memory_path.h"
#include "gpu/core/machine_code.h"

namespace ws {

// Lines that are there, of which the one that was used longest ago makes room for another.
class LineCache {
  public:
    LineCache(int lines, int room) : links_(std::size_t(lines) + 1), at_(std::size_t(lines)), room_(room) {
        links_.back() = {lines, lines};
    }

    // It has come, or is on its way until it is ready.
    [[nodiscard]] bool has(int line) const { return at_[std::size_t(line)].in; }
    [[nodiscard]] double ready(int line) const { return at_[std::size_t(line)].ready; }
    // It was used now; true: for the first time since it came.
    bool use(int line);
    void put(int line, double ready);

  private:
    struct Link {
        int before = 0, after = 0;
    };
    struct Entry {
        double ready = 0;
        bool in = false, used = false;
    };
    void unlink(int line);
    void link_first(int line);

    std::vector<Link> links_;  // the last one is of none: where the order begins and ends
    std::vector<Entry> at_;
    int room_ = 0, held_ = 0;
};

class CodeFetch {
  public:
    // The last one's level 2 is where code comes from; all outlive it. L1.5 has what there is room for when
    // the launch begins, and no L0 anything.
    CodeFetch(const MachineCode& code, const CodeRates& rates, int schedulers, MemoryPath& memory);

    [[nodiscard]] static int line_of(const MachineInstruction& instruction) {
        return instruction.address / kLineBytes;
    }
    // When a warp of the scheduler has the line, asking now.
    double fetch(int scheduler, int line, double now);

  private:
    static constexpr int kLineBytes = 128;
    // To L0, from where it is.
    void bring(int scheduler, int line, double now);

    CodeRates rates_;
    MemoryPath& memory_;
    int lines_;
    std::vector<LineCache> l0_;
    std::vector<double> l0_free_;  // from when on a scheduler's takes another line
    LineCache l15_;
};

}  // namespace ws
