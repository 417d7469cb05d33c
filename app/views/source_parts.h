#pragma once
// The parts of the page of the source.

#include <string_view>

#include "app/views/source_rows.h"
#include "app/views/views.h"

namespace ws {

// What all parts of the page read.
struct SourceStage {
    const Stage& stage;
    const StepSnapshot& step;
    const KernelCounters* counters;  // of this file; null: none
    const StepResult* before;        // the baseline's, null: none
    const ClockedLaunch* clocked;    // what the clock says of this file; null: none
    bool stale;                      // the counters are of an earlier choice
    int chosen;                      // line, 0: none
    // The column of shares is of time.
    [[nodiscard]] bool by_time() const {
        return clocked && stage.view.preferences.line_share == LineShare::time;
    }
};

// The code with its counts; returns the line under the pointer, 0 without one.
[[nodiscard]] int draw_code(const SourceStage& source, Box card);
// One warp of a line, and the counts of its kind of traffic.
void draw_line_warp(const SourceStage& source, Box room, int line);
void draw_line_evidence(const SourceStage& source, Box room, int line);
void draw_line_ptx(const SourceStage& source, Box card, int line);
// The kernel's machine code, where that of the line begins.
void draw_line_machine(const SourceStage& source, Box card, int line);

// A line of code in a row of `columns`, as far as it is in `piece`.
struct CodeInk {
    Ink code = Ink::text;
    Ink comment = Ink::dim;
};
void draw_piece(Canvas& canvas, float x, Box row, std::string_view line, bool in_comment, std::size_t begin,
                std::size_t size, const CodeInk& ink);

}  // namespace ws
