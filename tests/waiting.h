#pragma once
// Waiting in tests: what does not come soon fails the test instead of hanging it.

#include <chrono>
#include <thread>

namespace ws::testing {

inline constexpr std::chrono::seconds kForever{60};  // a test that waits so long has failed

template <typename Condition>
[[nodiscard]] bool soon(const Condition& condition) {
    const auto start = std::chrono::steady_clock::now();
    while (!condition()) {
        if (std::chrono::steady_clock::now() - start > kForever) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

}  // namespace ws::testing
