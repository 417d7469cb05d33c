#pragma once
// What the advice proposes, tried: the edit that makes it, and what came of it.

#include "app/window/edit.h"
#include "gpu/core/snapshot.h"

namespace ws {

[[nodiscard]] WorkEdit edit_of(const Candidate& candidate);
// The try to be kept of a candidate that has an expected gain.
[[nodiscard]] Try try_of(const Advice& advice, const Candidate& candidate);
// Notes what came of the try whose both sides are shown, once both have a time, or a better one.
void note_outcomes(const Snapshot& snapshot, const ViewState& view, Edits& edits);
// The try that led to what is shown; else the latest that began here. Null: none.
[[nodiscard]] const Try* told_try(const Snapshot& snapshot, const ViewState& view);

}  // namespace ws
