#pragma once
// Everything that a key, a panel, a dialog or a dropped file can ask for, as values. App applies them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "app/state/work_edit.h"
#include "app/views/source_rows.h"
#include "app/window/view_state.h"

namespace ws {

struct Quit {};
// Asks whether to.
struct AskToQuit {};
// Closes what was opened last, or leaves full screen; never quits.
struct StepBack {};
struct ToggleFullScreen {};
// The original, A and the result, once they are those of the work; or the part of the pictures that is shown,
// as it is shown.
struct SavePictures {
    bool detail = false;
};
// What is shown now becomes the baseline.
struct PinNow {};
// The next (1) or previous (-1) line with memory accesses, or access of the line.
struct StepAccess {
    int by = 1;
    bool within_line = false;
};
// From the warp whose addresses are drawn to one so many blocks away, or so many warps: after the last of a
// block comes the first of the next.
struct StepWarp {
    int across = 0, down = 0;  // blocks
    int warps = 0;
};
// To the next (1) or previous (-1) wrong place of the result.
struct JumpToWrong {
    int by = 1;
};
// Times of every block shape of what is shown, or of all versions along the axis that is looked at; stops
// where it runs.
struct RunSweep {};
// To the next axis of the curves, or the one before (-1).
struct StepAxis {
    int by = 1;
};
// Of the warps of one scheduler: a block more or less of the few, or of the many; the clocks closer or
// further away, and moved by a share of what is seen; the line a clock on or back.
struct StepResident {
    bool few = false;
    int by = 1;
};
struct MoveClocks {
    double zoom = 1, pan = 0;
};
struct StepClock {
    int by = 1;
};
struct ShowOpenDialog {};
struct OpenPicture {
    std::string path;
};
// Another side of the block that is looked at: the slider's next step, or the one before (-1).
struct StepBlock {
    bool along_x = true;
    int by = 1;
};
// Another GPU of the list, or another kernel of the version.
struct StepGpu {
    int by = 1;
};
struct StepFocus {
    int by = 1;
};
// The picture larger or smaller around its middle, or moved by a share of its place.
struct ZoomPicture {
    float factor = 1;
};
struct PanPicture {
    float x = 0, y = 0;
};
struct CloseNotice {
    std::size_t index = 0;
};

// To another line of the source.
struct JumpInSource {
    SourceJump jump = SourceJump::line;
    int by = 1;  // lines or changes, backwards below 0
};
// A change that the advice proposes, by its place; what is shown now becomes the baseline.
struct TryAdvice {
    std::size_t place = 0;
};
// In a lecture: steps forwards or backwards; what is asked is told first.
struct TurnStep {
    int by = 1;
};
// What the lecture's step shows, after somebody has looked at something else.
struct ReturnToStep {};
// The kernel's file in the person's own editor.
struct OpenEditor {};

// Of the debugger: a command as its terminal takes it.
struct DebugCommand {
    std::string command;
};
struct PauseDebugger {};
// A breakpoint more, or less; line 0: where the focus is.
struct ToggleBreakpoint {
    int line = 0;
};
// All warps but the focus's stand still, or none.
struct ToggleFreeze {};
struct StepDebugged {
    int warps = 0, lanes = 0;  // of the focus, on or back
};
// The next expression in all lanes, or the one before (-1).
struct StepWatched {
    int by = 1;
};
// What the card beside the warps shows next, or showed before (-1).
struct StepDebugPanel {
    int by = 1;
};
// The expression that is shown stays from stop to stop, or no longer.
struct KeepWatched {};
// The element whose lane is to be the focus.
struct ChooseDebugged {
    Element2d element;
};

// Of the experiment that is shown.
struct SetControl {
    int control = 0;
    std::int64_t value = 0;
};
// Its next value, or the one before (-1).
struct StepControl {
    int control = 0;
    int by = 1;
};
struct RunExperiment {};
struct StopExperiment {};

using Action =
    std::variant<DebugCommand, PauseDebugger, ToggleBreakpoint, ToggleFreeze, StepDebugged, StepWatched,
                 KeepWatched, StepDebugPanel, ChooseDebugged, TurnStep, ReturnToStep, SetControl, StepControl,
                 RunExperiment, StopExperiment, TryAdvice, JumpInSource, OpenEditor, Quit, AskToQuit,
                 StepBack, PinNow, ToggleFullScreen, SavePictures, JumpToWrong, RunSweep, StepAxis,
                 StepResident, MoveClocks, StepClock, ShowOpenDialog, StepAccess, StepWarp, StepBlock,
                 StepGpu, StepFocus, ZoomPicture, PanPicture, OpenPicture, CloseNotice>;
using Edit = std::variant<WorkEdit, ViewEdit, Action>;

// In the order in which they are applied. Their memory is used again: a frame without edits allocates
// nothing.
class Edits {
  public:
    void add(Edit edit);
    void clear() { all_.clear(); }
    [[nodiscard]] bool empty() const { return all_.empty(); }
    [[nodiscard]] const std::vector<Edit>& all() const { return all_; }

  private:
    std::vector<Edit> all_;
};

}  // namespace ws
