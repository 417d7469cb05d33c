#pragma once
// How the command line, lectures and saved settings name what the window can show, in the order of its
// enumerators.

#include <array>

namespace ws {

inline constexpr std::array kThemeNames{"light", "dark"};
inline constexpr std::array kTabNames{"story", "source", "warp", "occupancy", "memory", "gpu", "debugger"};
inline constexpr std::array kCompareNames{"single", "wipe", "beside", "difference"};
inline constexpr std::array kSidePanelNames{"counts", "ptx", "machine"};
inline constexpr std::array kLineShareNames{"instructions", "time"};

}  // namespace ws
