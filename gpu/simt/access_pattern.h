#pragma once
// What is known of a memory instruction's addresses from the executions before. A warp mostly asks for the
// same distances between its lanes again, somewhere else: then only the place is new.

#include <array>
#include <cstdint>

namespace ws::simt {

// Of an access with all lanes active. Addresses are relative to that of lane 0.
struct AccessPattern {
    alignas(64) std::array<std::uint64_t, 32> relative{};
    std::uint64_t low = 0;   // the lowest
    std::uint64_t high = 0;  // the highest
    std::uint64_t bits = 0;  // all bits that any of them has set
    int run = 0;        // so many lanes lie one right behind the other, in groups; 0: nothing is known yet
    bool same = false;  // all lanes ask for one address
    std::uint32_t changes = 0;  // how often the distances have become others
};

}  // namespace ws::simt
