#include "gpu/core/first_level.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace ws {
namespace {

constexpr std::uint64_t kSets = 512;
constexpr int kWays = 4;

// Of the lines that there is room for so many are free, or a fourth.
constexpr std::uint64_t kFree = 60;

// Of each bit of a line's number, from the lowest one on; up to 64 GB.
constexpr std::array<std::uint16_t, 29> kSetOfBit{1,   2,   4,   8,   16,  32,  64,  128, 256, 113,
                                                  27,  374, 329, 57,  481, 477, 238, 404, 141, 428,
                                                  244, 303, 130, 240, 277, 508, 351, 317, 489};

// The same of each byte of a number, beginning anew behind what was measured.
constexpr auto kSetOfByte = [] {
    std::array<std::array<std::uint16_t, 256>, 8> made{};
    for (std::size_t byte = 0; byte < made.size(); ++byte)
        for (std::size_t value = 0; value < 256; ++value)
            for (std::size_t bit = 0; bit < 8; ++bit)
                if (value >> bit & 1) made[byte][value] ^= kSetOfBit[(8 * byte + bit) % kSetOfBit.size()];
    return made;
}();

}  // namespace

std::uint64_t first_level_set(std::uint64_t line) {
    // Most numbers have no more bytes than the first four.
    std::uint64_t set = 0;
    for (std::size_t byte = 0; byte < 4; ++byte, line >>= 8) set ^= kSetOfByte[byte][line & 255];
    for (std::size_t byte = 4; line != 0; ++byte, line >>= 8) set ^= kSetOfByte[byte][line & 255];
    return set;
}

CacheShape first_level_shape(std::uint64_t bytes) {
    const std::uint64_t lines = bytes / kLineBytes;
    return {lines > 0 ? kSets : 0, kWays, Replaced::segmented, lines - std::min(lines / 4, kFree),
            first_level_set};
}

}  // namespace ws
