#pragma once
// The panels beside the picture. Each reads the snapshot and what is looked at, adds to the edits what it is
// asked for, and does nothing else.
// To add one: a file here and a line in panels.cpp.

#include <span>

#include "app/window/edit.h"
#include "gpu/core/snapshot.h"

namespace ws {

struct Panel {
    const char* title;
    void (*draw)(const Snapshot& snapshot, const ViewState& view, Edits& edits);
    int column;  // 0: what is chosen, 1: what comes of it
    bool open_at_start;
};

[[nodiscard]] std::span<const Panel> panels();

void draw_versions(const Snapshot& snapshot, const ViewState& view, Edits& edits);
void draw_show(const Snapshot& snapshot, const ViewState& view, Edits& edits);
void draw_blocks(const Snapshot& snapshot, const ViewState& view, Edits& edits);
void draw_times(const Snapshot& snapshot, const ViewState& view, Edits& edits);
void draw_occupancy(const Snapshot& snapshot, const ViewState& view, Edits& edits);
void draw_memory(const Snapshot& snapshot, const ViewState& view, Edits& edits);
void draw_compile_report(const Snapshot& snapshot, const ViewState& view, Edits& edits);
void draw_source(const Snapshot& snapshot, const ViewState& view, Edits& edits);
void draw_gpu_facts(const Snapshot& snapshot, const ViewState& view, Edits& edits);

// Buttons that choose the step whose occupancy and report are shown; returns it. Where one kernel does it
// all, there is nothing to choose.
[[nodiscard]] const StepSnapshot& choose_step(const char* id, const Snapshot& snapshot, const ViewState& view,
                                              Edits& edits);

}  // namespace ws
