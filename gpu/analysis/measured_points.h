#pragma once
// Between which of some measured points a value lies, on a logarithmic axis.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>

namespace ws {

// Share of the way from one to the other; beyond the first and the last both are that one.
struct AmongPoints {
    std::size_t before = 0, after = 0;
    double share = 0;
};

// `x_of` a point; they ascend.
template <typename Point, std::size_t kCount>
[[nodiscard]] AmongPoints among_points(const Point (&points)[kCount], double Point::*x_of, double x) {
    const auto next =
        std::find_if(std::begin(points), std::end(points), [&](const Point& one) { return one.*x_of >= x; });
    const auto after = std::size_t(next - std::begin(points));
    if (after == 0) return {};
    if (after == kCount) return {kCount - 1, kCount - 1, 0};
    const double last = points[after - 1].*x_of;
    return {after - 1, after, std::log(x / last) / std::log(points[after].*x_of / last)};
}

}  // namespace ws
