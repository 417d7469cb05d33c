#pragma once
// The last of several times, without a branch: which of them that is, is as if thrown where the clock asks.
// std::max of more than two has a branch for each.

namespace ws {

[[nodiscard]] inline double latest(double one, double other) {
    return one < other ? other : one;
}
template <typename... Times>
[[nodiscard]] double latest(double one, double other, Times... more) {
    return latest(latest(one, other), more...);
}

}  // namespace ws
