#include "gpu/core/content_hash.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace ws {
namespace {

constexpr std::size_t kLanes = 4;  // independent of each other, so that multiplications overlap
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;

// A bijection for every word, so that a change of one word always changes the lane.
std::uint64_t mixed(std::uint64_t state, std::uint64_t word) {
    state = (state ^ word) * kOdd;
    return state ^ state >> 29;
}

}  // namespace

std::uint64_t content_hash(const void* bytes, std::size_t size) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    std::array<std::uint64_t, kLanes> lanes{1, 2, 3, 4};
    std::size_t left = size;
    const auto word_at = [&](std::size_t offset) {
        std::uint64_t word = 0;
        std::memcpy(&word, at + offset, kWord);
        return word;
    };
    for (; left >= kLanes * kWord; left -= kLanes * kWord, at += kLanes * kWord) {
        for (std::size_t i = 0; i < kLanes; ++i) lanes[i] = mixed(lanes[i], word_at(i * kWord));
    }
    for (; left > 0;) {
        std::uint64_t word = 0;
        const std::size_t taken = std::min(left, kWord);
        std::memcpy(&word, at, taken);
        lanes[0] = mixed(lanes[0], word);
        left -= taken;
        at += taken;
    }
    std::uint64_t hash = size;
    for (const std::uint64_t lane : lanes) hash = mixed(hash, lane);
    return mixed(hash, 0);
}

}  // namespace ws
