#pragma once
// Expressions that are shown again after each stop, in the focus's lane or in all lanes of its warp, and
// which lanes have another value than at the stop before.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/debug/debugger.h"

namespace ws::debug {

// An expression in all lanes of a warp.
struct LaneValues {
    std::array<std::string, simt::kLanes> values;  // empty: none, or no such lane
    std::uint32_t lanes = 0;                       // that the warp has
    std::uint32_t changed = 0;                     // have another value than at the stop before
    std::string problem;                           // why no lane has a value
};
// `level`: of the focus's stack; each lane has the value that it has in that function.
[[nodiscard]] LaneValues lane_values(Debugger& debugger, const Expression& expression, int warp, int level,
                                     char letter);

struct Display {
    int number = 0;  // 0: of one that was asked for, but is not to stay
    std::string text;
    Expression expression;
    bool whole_warp = false;
    char letter = 0;  // of the format
    friend bool is_same(const Display& a, const Display& b) {
        return a.text == b.text && a.whole_warp == b.whole_warp && a.letter == b.letter;
    }
};
// "/wx t": as it is asked for.
[[nodiscard]] std::string words_of(const Display& display);

class Displays {
  public:
    // Is shown from now on; what there is already keeps its number. Returns it, until others come or go.
    const Display& add(Debugger& debugger, Display display);
    // False if there is none of that number.
    bool remove(int number);
    void clear() { all_.clear(); }
    // Of print/w: shown in windows until another one is asked for.
    void ask(Debugger& debugger, Display display);

    [[nodiscard]] std::vector<const Display*> all() const;
    // In all lanes: those that stay, and the one that was asked for, unless it is among them.
    [[nodiscard]] std::vector<const Display*> in_lanes() const;
    [[nodiscard]] int latest() const { return latest_; }  // the number of the last that was asked for
    [[nodiscard]] int asks() const { return asks_; }      // how often one was

    // It stops here: from now on values are compared with those of the stop before.
    void stopped(Debugger& debugger);
    // In the focus's warp.
    [[nodiscard]] LaneValues values(Debugger& debugger, const Display& display, int level) const;

  private:
    // The values of all warps of a block at a stop.
    struct Kept {
        std::uint64_t block = 0;
        std::vector<std::array<std::string, simt::kLanes>> warps;
    };
    struct One {
        Display display;
        std::optional<Kept> before, now;
    };
    [[nodiscard]] static std::optional<Kept> kept(Debugger& debugger, const Display& display);
    [[nodiscard]] const One* one_of(const Display& display) const;

    std::vector<One> all_;
    std::optional<One> asked_;
    int last_ = 0, latest_ = 0, asks_ = 0;
};

}  // namespace ws::debug
