#pragma once
// The panels beside the picture. Each reads the snapshot, edits the settings, and does nothing else.
// To add one: a file here and a line in panels.cpp.

#include <span>

#include "gpu/core/settings.h"
#include "gpu/core/snapshot.h"

namespace ws {

struct Panel {
    const char* title;
    void (*draw)(const Snapshot& snapshot, Settings& settings);
    int column;  // 0: what is chosen, 1: what comes of it
    bool open_at_start;
};

[[nodiscard]] std::span<const Panel> panels();

void draw_versions(const Snapshot& snapshot, Settings& settings);
void draw_show(const Snapshot& snapshot, Settings& settings);
void draw_blocks(const Snapshot& snapshot, Settings& settings);
void draw_times(const Snapshot& snapshot, Settings& settings);
void draw_occupancy(const Snapshot& snapshot, Settings& settings);
void draw_memory(const Snapshot& snapshot, Settings& settings);
void draw_compile_report(const Snapshot& snapshot, Settings& settings);
void draw_source(const Snapshot& snapshot, Settings& settings);
void draw_gpu_facts(const Snapshot& snapshot, Settings& settings);

// Buttons that choose the stage whose occupancy and report are shown; returns it. Where one kernel does it
// all, there is nothing to choose.
[[nodiscard]] const StageSnapshot& choose_stage(const char* id, const Snapshot& snapshot, Settings& settings);

}  // namespace ws
