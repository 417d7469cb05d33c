#pragma once
// The parts of the page of the debugger.

#include <string_view>

#include "app/views/debug_scene.h"
#include "app/views/views.h"

namespace ws {

// What all parts of the page read.
struct DebugStage {
    const Stage& stage;
    const DebuggerPage& page;
    const DebugScene& scene;
    [[nodiscard]] const debug::Scene& now() const { return scene.now; }
};

// The kernel's source with breakpoints and the lines where warps stand.
void draw_debugged_code(const DebugStage& debug, Box card);
// What the console has said, and the field for a command.
void draw_debug_console(const DebugStage& debug, Box card);
// Expressions in all lanes of the focus's warp.
void draw_debugged_lanes(const DebugStage& debug, Box card);
void draw_debugged_warps(const DebugStage& debug, Box card);
[[nodiscard]] float debugged_warps_height(const DebugStage& debug);  // of a card with all of them
void draw_debugged_values(const DebugStage& debug, Box card);
// Where the focus's lane writes, and what.
[[nodiscard]] bool has_debugged_place(const DebugStage& debug);
void draw_debugged_place(const DebugStage& debug, Box card);

// The lanes of a warp as cells: those that take the next instruction, those that wait for them.
void draw_lane_mask(Canvas& canvas, Box box, std::uint32_t active_lanes, std::uint32_t inactive_lanes);
[[nodiscard]] std::string_view warp_state_text(const debug::WarpScene& warp);
// In the corner of a cell: it has another value than at the stop before.
void draw_changed(Canvas& canvas, Box cell);

inline constexpr float kDebugCardHead = 46;
inline constexpr float kDebugCardFoot = 8;
// A heading in a card, low; returns the rest of the card.
Box debug_card(Canvas& canvas, Box card, std::string_view title);
// As much of a text as fits, with an ellipsis.
[[nodiscard]] std::string_view shortened(const Canvas& canvas, std::string_view all, Font font, float wide);

}  // namespace ws
