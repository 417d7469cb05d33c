#pragma once
// The architectures that tests compile for.

#include <algorithm>
#include <vector>

#include "gpu/compile/nvrtc.h"

namespace ws::testing {

inline constexpr int kOldestArchitecture = 75;
inline constexpr int kNewestArchitecture = 120;
inline constexpr int kArchitectures[] = {kOldestArchitecture, 80, 86, 89, 90, 100, kNewestArchitecture};

inline bool builds(const Nvrtc& compiler, int architecture) {
    const std::vector<int>& known = compiler.architectures();
    return std::find(known.begin(), known.end(), architecture) != known.end();
}

#define WS_NEED_ARCHITECTURE(compiler, number)    \
    if (!::ws::testing::builds(compiler, number)) \
    GTEST_SKIP() << (compiler).name() << " does not build " << (number)

}  // namespace ws::testing
