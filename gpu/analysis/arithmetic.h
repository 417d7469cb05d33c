#pragma once
// What several analyses reckon with.

namespace ws {

inline constexpr int kWarp = 32;  // threads

[[nodiscard]] constexpr int divide_up(int value, int step) {
    return (value + step - 1) / step;
}
// 0 of nothing.
[[nodiscard]] constexpr double share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

}  // namespace ws
