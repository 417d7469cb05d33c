#pragma once
// Where a debugger stands, as plain values: what a window draws while the debugger itself goes on elsewhere.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/debug/debugger.h"

namespace ws::debug {

inline constexpr std::size_t kSceneLanes = 32;

struct WarpScene {
    enum class State : std::uint8_t { ready, barrier, ended };
    State state = State::ready;
    bool frozen = false;
    std::uint32_t active = 0;    // lanes that take the next instruction
    std::uint32_t inactive = 0;  // lanes that wait for them at a reconvergence point
    SourceLine at;
    // Of one that waits at a barrier: which, and how many of the warps that it is for are there.
    int barrier = 0, arrived = 0, expected = 0;
};

// A variable of the focus's lane, or a register where the code has no variables.
struct ValueScene {
    std::string name, value;  // without a value here: empty
    bool is_parameter = false;
};

// An expression in all lanes of the focus's warp.
struct LanesScene {
    std::string text;
    std::array<std::string, kSceneLanes> values;  // empty: none, or no such lane
    std::uint32_t lanes = 0;                      // that the warp has
    std::string problem;                          // why no lane has a value
};

struct BreakScene {
    int number = 0;
    SourceLine line;
    bool conditional = false;
};

struct Scene {
    std::uint64_t step = 0, recorded = 0;
    bool ended = false;
    std::uint64_t block_index = 0;
    std::array<int, 3> block{}, thread{};
    Focus focus;
    bool focus_active = true;
    std::string function;
    SourceLine at;  // of the focus's lane; line 0: not known
    std::vector<WarpScene> warps;
    std::vector<ValueScene> values;
    bool knows_variables = true;
    LanesScene lanes;
    std::vector<BreakScene> breakpoints;
    std::vector<std::string> watches;  // what they are of
};

// `level`: of the focus's stack. `lanes`: the expression that is shown in all lanes.
[[nodiscard]] Scene scene_of(Debugger& debugger, const std::string& lanes, int level = 0);

// The source lines of the first file with which code of the kernel begins.
[[nodiscard]] std::vector<int> lines_with_code(const Debugger& debugger);

}  // namespace ws::debug
