#pragma once
// From the books into the snapshot: what is known of the work that is asked for, and of what stands beside
// it.

#include <map>

#include "gpu/engine/asked_work.h"
#include "gpu/engine/count_book.h"
#include "gpu/engine/record_of.h"
#include "gpu/engine/time_book.h"

namespace ws {

// Counts, estimates and the baseline of each step. While they are being made, those of the step's last kernel
// stay, stale.
void publish_steps(const AskedWork& asked, const CountBook& counts, Snapshot& snapshot);
// Where figures come from.
struct FigureSources {
    const CountBook& counts;
    const TimeBook& times;
    const Recordings* recordings = nullptr;  // null: nothing is replayed
};
// The figures of the work, of the baseline, of all versions and GPUs; `open` is the input that can be
// counted.
void publish_figures(const AskedWork& asked, const FigureSources& from, const InputKey& open,
                     Snapshot& snapshot);
// What to try next, from what was published before; `around` is that of the work.
void publish_advice(const AskedWork& asked, const CountBook& counts, const Surroundings& around,
                    Snapshot& snapshot);
// The measured times alone: no memory is taken.
void publish_measured(const TimeBook& times, Snapshot& snapshot);

}  // namespace ws
