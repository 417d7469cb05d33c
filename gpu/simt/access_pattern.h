#pragma once
// What is known of a memory instruction's addresses from the executions before. A warp mostly asks for the
// same distances between its lanes again, somewhere else: then only the place is new. Accesses of all lanes
// and of some have patterns of their own.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace ws::simt {

// How the lanes' data lie. Row: at a lane's number behind lane 0's, also where only some lanes access. Rows:
// every 8 lanes lie one right behind the other, of all lanes. Quads: words, of all lanes, one in 16 bytes.
enum class AccessShape : std::uint32_t { row, same, rows_of_8, quads, scattered };

// The addresses of the first lane for which all lanes' data lie in the memory that the access before went to,
// and where in the host's.
struct NearPlace {
    std::uint64_t first = 0;
    std::uint64_t count = 0;   // from the first on; 0: the access was no plain one
    std::uint64_t offset = 0;  // from the simulated address to the host's
    AccessShape shape = AccessShape::scattered;
};

// Addresses are relative to that of the first lane that accesses. Of other lanes nothing is known.
struct AccessPattern {
    alignas(64) std::array<std::uint64_t, 32> relative{};
    alignas(64) std::array<std::uint32_t, 32> narrow{};  // the lower halves
    std::uint64_t low = 0;                               // the lowest
    std::uint64_t high = 0;                              // the highest
    std::uint64_t bits = 0;                              // all bits that any of them has set
    int run = 0;        // so many lanes lie one right behind the other, in groups, all of them in a row; of
                        // some lanes 1 if they are no row; 0: nothing is known yet
    bool same = false;  // all lanes ask for one address
    bool quads = false;
    std::uint32_t mask = 0xFFFFFFFF;  // the lanes that access
    std::uint32_t changes = 0;        // how often the distances or the lanes have become others
    // For translated code, and by it: how often the first lane asked for each address modulo 256, as far as
    // no observer knows of it yet.
    NearPlace near_place;
    bool unobserved = false;  // whether it did
    std::array<std::uint64_t, 256> hits{};
};

// Those of accesses of some lanes, made where they are first needed. Accesses of an instruction whose numbers
// of lanes differ do not share one: loops along a border have a few that take turns.
class PartialPatterns {
  public:
    static constexpr std::size_t kWays = 4;
    [[nodiscard]] static std::size_t way_of(std::uint32_t mask) {
        return std::size_t(std::popcount(mask)) % kWays;
    }

    void resize(std::size_t instructions) {
        instructions_ = instructions;
        table_.assign(kWays * instructions, nullptr);
    }
    // By memory instruction; those of a way follow those of the one before.
    [[nodiscard]] AccessPattern** table() { return table_.data(); }
    [[nodiscard]] std::size_t index_of(std::size_t instruction, std::uint32_t mask) const {
        return way_of(mask) * instructions_ + instruction;
    }
    [[nodiscard]] AccessPattern& of(std::size_t instruction, std::uint32_t mask) {
        AccessPattern*& at = table_[index_of(instruction, mask)];
        if (!at) at = &made_.emplace_back();
        return *at;
    }
    template <typename Work>
    void each_of(std::size_t instruction, const Work& work) {
        for (std::size_t way = 0; way < kWays; ++way) {
            if (AccessPattern* one = table_[way * instructions_ + instruction]) work(*one);
        }
    }

  private:
    std::size_t instructions_ = 0;
    std::vector<AccessPattern*> table_;
    std::deque<AccessPattern> made_;
};

}  // namespace ws::simt
