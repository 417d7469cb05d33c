#pragma once
// What is known of a memory instruction's addresses from the executions before. A warp mostly asks for the
// same distances between its lanes again, somewhere else: then only the place is new. Accesses of all lanes
// and of some have patterns of their own.

#include <array>
#include <cstddef>
#include <cstdint>

namespace ws::simt {

// How the lanes' data lie. Row: at a lane's number behind lane 0's, also where only some lanes access. Rows:
// every 8 lanes lie one right behind the other, of all lanes.
enum class AccessShape : std::uint32_t { row, same, rows_of_8, scattered };

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
    std::uint32_t mask = 0xFFFFFFFF;  // the lanes that access
    std::uint32_t changes = 0;        // how often the distances or the lanes have become others
    // For translated code, and by it: how often the first lane asked for each address modulo 256, as far as
    // no observer knows of it yet.
    NearPlace near_place;
    bool unobserved = false;  // whether it did
    std::array<std::uint64_t, 256> hits{};
};

}  // namespace ws::simt
