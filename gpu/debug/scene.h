#pragma once
// Where a debugger stands, as plain values: what a window draws while the debugger itself goes on elsewhere.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/debug/debugger.h"
#include "gpu/debug/displays.h"
#include "gpu/debug/memory_cells.h"

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

// Lanes of a warp that stand at one place, or a function that they were called from.
struct PathScene {
    enum class Waits : std::uint8_t {
        no,          // they take the next instruction
        for_lanes,   // at a reconvergence point, for those further in
        for_return,  // of the function that the path before is in
    };
    Waits waits = Waits::no;
    std::uint32_t lanes = 0;
    SourceLine at;
    std::string function;
};

// A variable or a register of the focus's lane.
struct ValueScene {
    std::string name, value;  // without a value here: empty
    bool is_parameter = false;
};

// An expression in all lanes of the focus's warp.
struct LanesScene {
    int number = 0;     // of the display; 0: it is not to stay
    std::string text;   // of the expression
    std::string words;  // as it is asked for, with its format
    LaneValues values;
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
    std::vector<PathScene> paths;  // of the focus's warp, the innermost first
    bool knows_variables = true;
    std::vector<ValueScene> variables, registers;
    std::string instruction;                 // the next one, as the PTX has it
    std::vector<std::string> its_registers;  // that it names
    MemoryCells memory;
    std::uint32_t lanes = 0;          // that the focus's warp has
    std::vector<LanesScene> watched;  // one at least
    int latest = 0, asks = 0;         // the number of that which was asked for last, and how often one was
    std::vector<BreakScene> breakpoints;
    std::vector<std::string> watches;  // what they are of
};

// The paths of a warp that has not ended, the innermost first.
[[nodiscard]] std::vector<PathScene> paths_of(const Debugger& debugger, int warp);

// `level`: of the focus's stack. Where nothing is displayed in all lanes, they show threadIdx.x.
[[nodiscard]] Scene scene_of(Debugger& debugger, const Displays& displays, const MemoryWatch& memory,
                             int level = 0);

// The source lines of the first file with which code of the kernel begins.
[[nodiscard]] std::vector<int> lines_with_code(const Debugger& debugger);

}  // namespace ws::debug
