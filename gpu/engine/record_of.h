#pragma once
// Records of what the engine has measured or estimated, and what recordings have of what is planned.

#include "gpu/analysis/profiles.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/core/record.h"
#include "gpu/core/snapshot.h"
#include "gpu/engine/planner.h"
#include "gpu/records/recordings.h"

namespace ws {

[[nodiscard]] RecordKey record_key(const PlannedWork& planned, Extent size);
// Where the snapshot's work is done: a time of it would be of this.
[[nodiscard]] RecordPlace record_place(const Snapshot& snapshot, const InputKey& input);
// What the snapshot has of the work that was planned for it: on a GPU what was measured, else the estimate.
// Without a time it says why.
[[nodiscard]] Record record_of(const Snapshot& snapshot, const PlannedWork& planned, const InputKey& input);

// What a person asked to replay, and what of it was left out.
struct Replay {
    Recordings recordings;
    std::vector<std::string> notes;
};
// Makes them fit this program: GPUs by the names of its table, kernels with the texts that `library` has.
// Throws Error where nothing is left.
[[nodiscard]] Replay replay_of(std::vector<Record> records, const GpuTable& gpus,
                               const KernelLibrary& library, const std::string& name);

}  // namespace ws
