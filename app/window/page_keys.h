#pragma once
// Keys that mean something on one page alone.
// Each adds what the key asks for if it is its own, and returns whether it was.

#include "app/window/edit.h"
#include "render/window.h"

namespace ws {

bool in_experiment(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool move_in_source(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool in_debugger(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool move_to_warp(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool step_access(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool advise(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool over_axis(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool next_axis(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool hide_latency(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool over_clocks(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool sweep(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool more_or_less(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool over_places(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);
bool next_wrong_place(const KeyPress& key, const Work& work, const ViewState& view, Edits& edits);

}  // namespace ws
