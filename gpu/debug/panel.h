#pragma once
// What of a lane is looked at beside its values in all lanes.

#include <cstddef>
#include <cstdint>

namespace ws::debug {

enum class Panel : std::uint8_t { variables, registers, memory, stack };
inline constexpr std::size_t kPanels = 4;

}  // namespace ws::debug
