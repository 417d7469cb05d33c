#pragma once
// Two results beside each other: which quantities there are, which way each is better, and why one is slower.

#include <span>
#include <string>
#include <vector>

#include "gpu/core/snapshot.h"

namespace ws {

// Only work and traffic are worse in themselves where there is more of them. A ratio changes with either of
// its sides: more sectors per request, for example, is what a wider load is for.
enum class Better { less, more, neither };

struct Quantity {
    const char* label;  // {} or {0} stands for the unit of the GPU's traffic, {1} for one of it
    Form form;
    Better better;
    double (*of)(const StepResult&);
    bool (*present)(const StepResult&);  // whether a kernel has anything of the kind
};
[[nodiscard]] std::span<const Quantity> quantities();
// With the unit that this GPU's traffic has: "load sectors", before 3.0 "load transactions".
[[nodiscard]] std::string label_of(const Quantity& quantity, ComputeCapability capability);
[[nodiscard]] Message label_message(const Quantity& quantity, ComputeCapability capability);

enum class Change { same, better, worse, other };
// Below half a per cent nothing is said to have changed.
[[nodiscard]] Change change_of(const Quantity& quantity, double now, double before);

// Several kernels that run one after the other as one; at least one. The key, the occupancy and the spills
// are those of the heaviest: of the step that comes first in `by_weight`.
[[nodiscard]] StepResult together(std::vector<StepResult> parts, const std::vector<int>& by_weight);

// What is worse than in the baseline, as part of a sentence: "warp instructions rose 1.20-fold, theoretical
// occupancy fell from 100 % to 50 %". Empty where nothing is.
[[nodiscard]] std::string causes(const StepResult& now, const StepResult& before);

// Why the time of one work differs from that of the other; both must be counted.
[[nodiscard]] Reasons reasons(const WorkFigures& now, const WorkFigures& before);

// A sentence where the estimated time is no shorter than that of `name`: that nothing is gained, or how much
// is lost, and why. Empty where it is shorter, or not known. Estimates within 2 % count as equal: a sample of
// blocks is not better.
[[nodiscard]] std::string verdict(const StepResult& now, const StepResult& before, const std::string& name);

}  // namespace ws
