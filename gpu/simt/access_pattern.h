#pragma once
// What is known of a memory instruction's addresses from the executions before. A warp mostly asks for the
// same distances between its lanes again, somewhere else: then only the place is new, and what the access
// counts follows from where it begins within 256 bytes, the longest stretch that any rule of any capability
// looks at.

#include <array>
#include <bitset>
#include <cstdint>

namespace ws::simt {

inline constexpr std::uint64_t kAlignments = 256;

// What one request adds to the counts of its instruction.
struct RequestCounts {
    std::uint16_t sectors = 0;
    std::uint16_t bytes_requested = 0;
    std::uint16_t bytes_transferred = 0;
    std::uint8_t replays = 0;
    std::uint8_t ways = 0;
};

// Of an access with all lanes active. Addresses are relative to that of lane 0.
struct AccessPattern {
    alignas(64) std::array<std::uint64_t, 32> relative{};
    std::uint64_t low = 0;   // the lowest
    std::uint64_t high = 0;  // the highest
    std::uint64_t bits = 0;  // all bits that any of them has set
    int run = 0;        // so many lanes lie one right behind the other, in groups; 0: nothing is known yet
    bool same = false;  // all lanes ask for one address
    std::bitset<kAlignments> counted;  // for which alignments the counts are known
    std::array<RequestCounts, kAlignments> counts;
};

}  // namespace ws::simt
