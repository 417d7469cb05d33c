#pragma once
// What to try next for the work that is shown: the diagnosis of its heaviest kernel, and changes that the
// model expects to help: another block, another value of a knob, one of the next versions.

#include <functional>
#include <optional>
#include <vector>

#include "gpu/core/advice.h"
#include "gpu/core/figures.h"
#include "gpu/core/snapshot.h"

namespace ws {

// A change that would gain less is not proposed.
inline constexpr double kWorthTrying = 1.03;
// The prediction held if what came of it is within so much of it, and faster where it said so. Predictions of
// blocks are within 10 % for nine of ten (tests/advisor_test.cpp has the distribution).
inline constexpr double kHolds = 0.10;

// The figures of a work if they are known already: its counts are not made for the answer.
using KnownFigures = std::function<std::optional<WorkFigures>(const Work&)>;

// Of the figures in the snapshot that belong together; none while those of the work are not there.
[[nodiscard]] std::optional<Advice> advise(const Snapshot& snapshot, const KnownFigures& known);
// Every block that can be proposed for a step of this lab on a GPU with these limits: the lab's own ones
// first.
[[nodiscard]] std::vector<Block> blocks_to_try(const Lab& lab, const KernelSource& source,
                                               const GpuLimits& limits);
// Whether a gain is what was expected.
[[nodiscard]] bool held(double expected, double got);

// "block 32 x 2 for blur", "knob ROWS = 80", "V5 shared memory".
[[nodiscard]] std::string title_of(const Candidate& candidate);

}  // namespace ws
