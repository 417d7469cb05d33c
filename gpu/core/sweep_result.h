#pragma once
// What a sweep over block shapes, sizes or the values of a knob has found so far: the times of a version on
// one GPU.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/figures.h"
#include "gpu/core/result_key.h"
#include "gpu/core/work.h"

namespace ws {

// What a sweep changes while all else stays.
struct SweepOver {
    enum class Kind : std::uint8_t { block, size, knob };
    Kind kind = Kind::block;
    std::string knob{};  // the name of one
    friend bool operator==(const SweepOver&, const SweepOver&) = default;
};
// By its name on the command line: "block", "size", or a knob's.
[[nodiscard]] inline SweepOver sweep_over(std::string name) {
    if (name == "block") return {};
    if (name == "size") return {SweepOver::Kind::size};
    return {SweepOver::Kind::knob, std::move(name)};
}

// What is swept: the work but for what changes: the block of the heaviest step that runs (1 x 1 here), the
// size (0 x 0 here, of no input), or a knob (without a value here; of the picture, where the lab takes one).
struct SweepSubject {
    Work work;
    InputKey input;
    SweepOver over;
    friend bool operator==(const SweepSubject&, const SweepSubject&) = default;
};

struct SweepCell {
    Block block;
    double ms = 0;         // of the step; over sizes and knobs, of all that run; 0: it was refused
    double spread_ms = 0;  // of all steps together, where it was measured
    double occupancy = 0;  // theoretical, per cent
    std::string refused;
    Extent size{};    // over sizes and knobs
    double gb_s = 0;  // the same, of a lab that is about bandwidth
    int value = 0;    // of the knob
};

struct SweepResult {
    SweepSubject subject;
    int step = 0;
    std::string gpu;
    Kind kind = Kind::estimated;
    std::vector<SweepCell> cells;  // each block, size or value once
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
    [[nodiscard]] const SweepCell* find(int value) const {
        const auto found = std::find_if(cells.begin(), cells.end(),
                                        [&](const SweepCell& cell) { return cell.value == value; });
        return found == cells.end() ? nullptr : &*found;
    }
    void put(SweepCell cell) {
        std::erase_if(cells, [&](const SweepCell& other) {
            return other.block == cell.block && other.size == cell.size && other.value == cell.value;
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
