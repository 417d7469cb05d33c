#pragma once
// Where each kind of memory lies among the simulated addresses.

#include <cstdint>

namespace ws::simt {

inline constexpr std::uint64_t kModuleBase = 0x0000'6000'0000'0000;    // __device__ variables
inline constexpr std::uint64_t kGlobalBase = 0x0000'7000'0000'0000;    // buffers
inline constexpr std::uint64_t kHeapBase = 0x0000'7F00'0000'0000;      // what malloc gives
inline constexpr std::uint64_t kConstantBase = 0x0300'0000'0000'0000;  // __constant__ variables
inline constexpr std::uint64_t kTextureBase = 0x0000'5000'0000'0000;   // texels: no kernel has their address
inline constexpr std::uint64_t kCodeBase = 0x0400'0000'0000'0000;      // functions, for pointers to them
// Generic addresses of the other spaces.
inline constexpr std::uint64_t kSharedWindow = 0x0100'0000'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x0200'0000'0000'0000;
inline constexpr std::uint64_t kWindowSize = 0x0000'0000'4000'0000;

}  // namespace ws::simt
