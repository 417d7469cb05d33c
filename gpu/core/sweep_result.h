#pragma once
// What a sweep over block shapes or sizes has found so far: the times of a version on one GPU.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/core/figures.h"
#include "gpu/core/result_key.h"
#include "gpu/core/work.h"

namespace ws {

enum class SweepOver : std::uint8_t { block, size };

// What is swept: the work but for what changes: the block of the heaviest step that runs (1 x 1 here), or the
// size (0 x 0 here, of no input).
struct SweepSubject {
    Work work;
    InputKey input;
    SweepOver over = SweepOver::block;
    friend bool operator==(const SweepSubject&, const SweepSubject&) = default;
};

struct SweepCell {
    Block block;
    double ms = 0;         // of the step; over sizes, of all that run; 0: it was refused
    double spread_ms = 0;  // of all steps together, where it was measured
    double occupancy = 0;  // theoretical, per cent
    std::string refused;
    Extent size{};    // over sizes
    double gb_s = 0;  // over sizes, of a lab that is about bandwidth
};

struct SweepResult {
    SweepSubject subject;
    int step = 0;
    std::string gpu;
    Kind kind = Kind::estimated;
    std::vector<SweepCell> cells;  // each block, or each size, once
    int done = 0, all = 0;         // places; those that the kernel does not take are none
    bool running = false;
    double seconds_left = 0;  // about; 0 where it is not known
    std::string problem;      // why it ended too soon

    [[nodiscard]] const SweepCell* find(Block block) const {
        const auto found = std::find_if(cells.begin(), cells.end(),
                                        [&](const SweepCell& cell) { return cell.block == block; });
        return found == cells.end() ? nullptr : &*found;
    }
    [[nodiscard]] const SweepCell* find(Extent size) const {
        const auto found = std::find_if(cells.begin(), cells.end(),
                                        [&](const SweepCell& cell) { return cell.size == size; });
        return found == cells.end() ? nullptr : &*found;
    }
    void put(SweepCell cell) {
        std::erase_if(cells, [&](const SweepCell& other) {
            return other.block == cell.block && other.size == cell.size;
        });
        cells.push_back(std::move(cell));
    }
    // Null where nothing has a time yet.
    [[nodiscard]] const SweepCell* fastest() const { return extreme(1); }
    [[nodiscard]] const SweepCell* slowest() const { return extreme(-1); }

  private:
    [[nodiscard]] const SweepCell* extreme(int sign) const {
        const SweepCell* best = nullptr;
        for (const SweepCell& cell : cells) {
            if (cell.ms > 0 && (!best || sign * cell.ms < sign * best->ms)) best = &cell;
        }
        return best;
    }
};

}  // namespace ws
