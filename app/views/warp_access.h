#pragma once
// Which access of a kernel is drawn, and what its 32 addresses mean: lines and sectors, banks, elements.
// Nothing here allocates.

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "gpu/core/chosen_warp.h"
#include "gpu/core/counters.h"
#include "gpu/core/figures.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/core/image.h"
#include "gpu/core/line_sectors.h"
#include "gpu/core/warp_place.h"

namespace ws {

inline constexpr int kLanes = 32;

// ---- which one

enum class Memory : std::uint8_t { global, shared };

// The accesses of a kernel: those that counting has kept of one block, and, where a person looks at another
// warp, that warp's and those of its block.
struct Requests {
    const KernelCounters* counters = nullptr;
    const BlockExamples* block = nullptr;  // null: no other warp is looked at
    int warp = 0;                          // of it

    Requests(const KernelCounters& kept) : counters(&kept) {}
    // `on`: a person looks at the chosen warp.
    Requests(const StepResult& result, const ChosenWarp& chosen, bool on);
    // Of each instruction one, by which it is chosen: those kept, then others of the warp's block.
    template <typename Function>
    void for_instructions(const Function& function) const {
        for (const AccessExample& access : counters->accesses) function(access);
        if (!block) return;
        for (const AccessExample& access : block->instructions) {
            if (!is_kept(access)) function(access);
        }
    }
    // The accesses of the warp that is looked at; without another one, those that were kept.
    [[nodiscard]] std::span<const AccessExample> of_warp() const;
    // What this warp does there, of an instruction's access; null if it does not execute it.
    [[nodiscard]] const AccessExample* own(const AccessExample* one) const;

  private:
    [[nodiscard]] bool is_kept(const AccessExample& access) const;
};

// What could be spared: sectors of which nothing was asked for, wavefronts of conflicts.
[[nodiscard]] double excess(const KernelCounters& counters, Memory memory);
// The line that is wanted if it has accesses of the kind, else the one whose accesses take the most sectors
// or wavefronts; 0 if there is none.
[[nodiscard]] int access_line(const Requests& requests, Memory memory, int wanted);
// The line after (1) or before (-1) this one among those with accesses of any kind; `line` if there is none.
[[nodiscard]] int next_line(const Requests& requests, int line, int by);
// How many of the line's accesses are of the kind: one for each instruction that the compiler made of it.
[[nodiscard]] int access_count(const Requests& requests, Memory memory, int line);
// The i-th of them, round and round, from the one with the most sectors or wavefronts on; null if there is
// none.
[[nodiscard]] const AccessExample* access_of(const Requests& requests, Memory memory, int line, int i);
// The i of an access among those of its line and kind.
[[nodiscard]] int index_on_line(const Requests& requests, const AccessExample& access);
// What another kernel does in the place of an access: the same line's if both come from one file, else what
// is of its kind (load or store, buffer) on the line that takes most. Null if there is none.
[[nodiscard]] const AccessExample* counterpart(const AccessExample& access, const Requests& own,
                                               const Requests& other, bool same_file, int i);
// Sectors (transactions) or wavefronts per request, over all executions of the line.
[[nodiscard]] std::optional<double> per_request(const KernelCounters& counters, Memory memory, int line,
                                                bool store);

// ---- global memory

struct TouchedLine {
    std::uint64_t number = 0;  // address / 128
    std::bitset<kLineBytes> used;
    std::uint8_t moved = 0;  // a bit for each of the four sectors
};
// The different lines of 128 bytes that lanes ask for, in ascending order, and what of them is moved: sectors
// from 3.0 on and for stores of 2.x, lines for loads of 2.x, before that segments of a half warp (from 1.2 on
// no larger than they need to be).
class TouchedLines {
  public:
    TouchedLines(const AccessExample& access, ComputeCapability capability);
    [[nodiscard]] int count() const { return count_; }
    [[nodiscard]] const TouchedLine& operator[](int i) const { return lines_[std::size_t(i)]; }
    // Of the line that holds this address, which must be touched.
    [[nodiscard]] int index_of(std::uint64_t address) const;
    [[nodiscard]] int moved_sectors() const;

  private:
    TouchedLine& with_number(std::uint64_t number);
    void move_segments(const AccessExample& access, bool reduces);

    std::array<TouchedLine, 2 * kLanes> lines_;  // an access of 16 bytes lies in two at most
    int count_ = 0;
};

// ---- shared memory

// Which lanes a bank serves in which wavefront: lanes that want the same word share it.
struct BankRows {
    static constexpr int kMost = 32;
    int banks = 32;
    int rows = 0;                                           // wavefronts, at most kMost are kept
    std::array<std::array<std::int8_t, 32>, kMost> lane{};  // by row and bank: the first lane, or -1
    // Lanes of wide words are served in groups, one after the other anyway: the first row of each row's
    // group.
    std::array<std::int8_t, kMost> first_row{};
    // A lane of this row waits because the bank serves another one of its group before.
    [[nodiscard]] bool waits(int row, int bank) const;
    [[nodiscard]] bool conflicts(int bank) const;  // any lane waits for it
};
[[nodiscard]] BankRows bank_rows(const AccessExample& access, int banks);

// ---- elements

// The first element that a lane asks for, of a buffer whose rows have `width` elements of so many bytes; none
// for a lane that takes no part.
[[nodiscard]] std::optional<Element2d> element_of(const AccessExample& access, int lane, int width,
                                                  int element_bytes);
// Elements that a lane's access spans, at least 1.
[[nodiscard]] int elements_across(const AccessExample& access, int element_bytes);
// Rows of the buffer that the lanes touch.
[[nodiscard]] int rows_touched(const AccessExample& access, int width, int element_bytes);

}  // namespace ws
