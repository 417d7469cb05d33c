#pragma once
// Constant memory: what a table of 32 words costs in code, in constant, global and shared memory, by how many
// different words the lanes of a warp want at once. To add a version: its .cu file here and a row in
// constant.cpp.

#include <array>
#include <cstdint>

#include "gpu/core/lab.h"

namespace ws::constant {

namespace buffer {
enum Buffer : int { numbers, sums };
}

// As the kernels have it.
inline constexpr std::array<std::uint32_t, 32> kTable{
    0x9E3779B9, 0x3C6EF372, 0xDAA66D2B, 0x78DDE6E4, 0x1715609D, 0xB54CDA56, 0x5384540F, 0xF1BBCDC8,
    0x8FF34781, 0x2E2AC13A, 0xCC623AF3, 0x6A99B4AC, 0x08D12E65, 0xA708A81E, 0x454021D7, 0xE3779B90,
    0x81AF1549, 0x1FE68F02, 0xBE1E08BB, 0x5C558274, 0xFA8CFC2D, 0x98C475E6, 0x36FBEF9F, 0xD5336958,
    0x736AE311, 0x11A25CCA, 0xAFD9D683, 0x4E11503C, 0xEC48C9F5, 0x8A8043AE, 0x28B7BD67, 0xC6EF3720};

[[nodiscard]] const Lab& lab();

}  // namespace ws::constant
