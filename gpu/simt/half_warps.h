#pragma once
// How GPUs before 2.0 split an access of a warp to global memory into transactions, a half warp at a time.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "gpu/simt/access_rules.h"

namespace ws::simt {

// An aligned piece of global memory that is moved at once.
struct Transaction {
    std::uint64_t address = 0;
    std::uint32_t bytes = 0;
    bool first_of_half = false;
};

// The lanes from `first` to before `end`, as a piece of the compact lists: where it begins, how many they
// are.
inline std::pair<std::size_t, std::size_t> lanes_between(std::span<const std::uint8_t> lane_of, int first,
                                                         int end) {
    const auto low = std::lower_bound(lane_of.begin(), lane_of.end(), first);
    const auto high = std::lower_bound(low, lane_of.end(), end);
    return {std::size_t(low - lane_of.begin()), std::size_t(high - low)};
}

// 1.0, 1.1: the k-th lane must access the k-th word of an aligned segment of 16 words; else each lane is
// served alone.
template <typename Take>
void strict_half_warp(std::span<const std::uint64_t> addresses, std::span<const std::uint8_t> lane_of,
                      int bytes, const Take& take) {
    const auto size = std::uint64_t(bytes);
    bool coalesced = bytes == 4 || bytes == 8 || bytes == 16;
    const std::uint64_t start = addresses[0] - size * (lane_of[0] % 16);
    coalesced = coalesced && start % (16 * std::min<std::uint64_t>(size, 8)) == 0;
    for (std::size_t i = 0; coalesced && i < addresses.size(); ++i)
        coalesced = addresses[i] == start + size * (lane_of[i] % 16);
    if (coalesced) {
        const auto piece = std::uint32_t(16 * std::min(bytes, 8));
        for (std::uint32_t at = 0; at < std::uint32_t(16 * bytes); at += piece)
            take(Transaction{start + at, piece, at == 0});
        return;
    }
    for (std::size_t i = 0; i < addresses.size(); ++i) take(Transaction{addresses[i] / 32 * 32, 32, i == 0});
}

// 1.2, 1.3: take the segment of the lowest unserved lane, shrink it to the half that is used, serve all in
// it.
template <typename Take>
void segments_of_half_warp(std::span<const std::uint64_t> addresses, int bytes, const Take& take) {
    const std::uint64_t largest = bytes == 1 ? 32 : bytes == 2 ? 64 : 128;
    auto open = std::uint32_t((1ull << addresses.size()) - 1);
    bool first = true;
    while (open != 0) {
        std::uint64_t size = largest;
        const std::uint64_t segment = addresses[std::size_t(std::countr_zero(open))] / size;
        std::uint64_t low = ~0ull;
        std::uint64_t high = 0;
        for (std::size_t i = 0; i < addresses.size(); ++i) {
            if (!(open >> i & 1) || addresses[i] / size != segment) continue;
            low = std::min(low, addresses[i]);
            high = std::max(high, addresses[i] + std::uint64_t(bytes) - 1);
            open &= ~(1u << i);
        }
        while (size > 32 && low / (size / 2) == high / (size / 2)) size /= 2;
        take(Transaction{low / size * size, std::uint32_t(size), first});
        first = false;
    }
}

// Hands the transactions of a request to `take`. Addresses and lanes are those of the active lanes, ascending
// by lane; `rule` is one of those by half warps.
template <typename Take>
void for_each_transaction(GlobalRule rule, std::span<const std::uint64_t> addresses,
                          std::span<const std::uint8_t> lane_of, int bytes, const Take& take) {
    for (const int first : {0, 16}) {
        const auto [at, count] = lanes_between(lane_of, first, first + 16);
        if (count == 0) continue;
        if (rule == GlobalRule::segments) {
            segments_of_half_warp(addresses.subspan(at, count), bytes, take);
        } else {
            strict_half_warp(addresses.subspan(at, count), lane_of.subspan(at, count), bytes, take);
        }
    }
}

}  // namespace ws::simt
