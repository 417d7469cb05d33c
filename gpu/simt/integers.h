#pragma once
// Short names of the integers that registers hold, as PTX calls them.

#include <cstdint>

#include "gpu/simt/types.h"  // before: its enumerators have the same names

namespace ws::simt {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;

}  // namespace ws::simt
