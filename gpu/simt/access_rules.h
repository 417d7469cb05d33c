#pragma once
// How a GPU turns the addresses of a warp into sectors (before 3.0 transactions) of global memory and
// wavefronts of shared memory. Sources: the CUDA C Programming Guides' appendices by compute capability (1.x:
// half warps; 2.x: lines; 3.x on: sectors); for wide accesses to shared memory an H200's counters of 3519
// access patterns (tests/counters/h200_shared.txt), which NVIDIA's forum confirms for 7.0 and 7.5.

#include <cstdint>
#include <span>

#include "gpu/core/gpu_profile.h"
#include "gpu/core/line_sectors.h"
#include "gpu/core/plan.h"

namespace ws::simt {

enum class GlobalRule : std::uint8_t {
    strict_half_warps,  // 1.0, 1.1: in order and aligned, or one transaction a thread
    segments,           // 1.2, 1.3: the fewest segments of 32, 64 or 128 bytes for each half warp
    lines,              // 2.x through L1: lines of 128 bytes
    sectors,            // 32-byte sectors
};
enum class BankRule : std::uint8_t {
    sixteen,       // 1.x: 16 banks of 4 bytes, half warps, one word broadcast in each wavefront
    thirty_two,    // 32 banks of 4 bytes, multicast
    lane_pairs,    // the same; wide accesses need half the wavefronts where neighbouring lanes share words
    kepler_four,   // 3.x, 4-byte mode: two words 32 apart in an aligned run of 64 share a wavefront
    kepler_eight,  // 3.x, 8-byte mode
};

struct AccessRules {
    GlobalRule loads = GlobalRule::sectors;
    GlobalRule stores = GlobalRule::sectors;
    BankRule shared_loads = BankRule::lane_pairs;
    BankRule shared_stores = BankRule::thirty_two;
};
[[nodiscard]] AccessRules access_rules(ComputeCapability capability, BankWidth width);

struct Traffic {
    std::uint32_t sectors = 0;
    std::uint32_t bytes_requested = 0;  // different ones
    std::uint32_t bytes_transferred = 0;
    std::uint32_t replays = 0;
};
// One request: the addresses of the active lanes in the order of lanes, `lane_of` beside each its lane, each
// access `bytes` wide (1 to 16) and aligned to its size.
[[nodiscard]] Traffic global_traffic(GlobalRule rule, std::span<const std::uint64_t> addresses,
                                     std::span<const std::uint8_t> lane_of, int bytes);

// The same from 2.0 on where ascending addresses lie so close that the lanes touch each sector from the first
// byte to the last: then these say it all.
[[nodiscard]] bool touches_each_sector(std::span<const std::uint64_t> ascending);
[[nodiscard]] Traffic traffic_of_each_sector(GlobalRule rule, std::uint64_t first, std::uint64_t end,
                                             std::uint32_t bytes_requested);
[[nodiscard]] std::uint32_t different_bytes(std::span<const std::uint64_t> ascending, int bytes);

// The lanes of a request are served in parts: all 32 at 4 bytes each, half warps at 8, quarters at 16; twice
// as many for a load by lane_pairs if lanes n and n^1, or lanes n and n^2, have the same offset all over the
// warp (a lane that is not active has any).
struct BankWavefronts {
    std::uint32_t wavefronts = 0;  // the sum over the parts: as many as different words of its worst bank
    std::uint32_t ideal = 0;       // parts that have an active lane: one wavefront each
    std::uint32_t ways = 0;        // wavefronts of the worst part
    bool broadcast = false;        // lanes share a word
};
[[nodiscard]] BankWavefronts bank_wavefronts(BankRule rule, std::span<const std::uint64_t> offsets,
                                             std::span<const std::uint8_t> lane_of, int bytes);

// The clocks in which L1 finds the lines of a load (from 7.5 on): their tags lie in four banks, each of which
// looks up one in a clock. Which of them follows from the line's set (gpu/core/first_level), measured on an
// H200 up to 8 GB: bench/l1_tags. Data lie in the same 32 banks as shared memory's.
[[nodiscard]] std::uint32_t tag_lookups(std::span<const LineSectors> lines);

}  // namespace ws::simt
