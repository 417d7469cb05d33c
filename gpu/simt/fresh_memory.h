#pragma once
// What memory holds that nobody has written to.

#include <cstddef>

namespace ws::simt {

inline constexpr std::byte kFresh{0xA5};

}  // namespace ws::simt
