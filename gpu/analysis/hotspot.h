#pragma once
// What is wrong with a kernel, by the quick reference of the original lecture (2016): its limit, and which
// rows of the table its counts show. Where several do, it is the row whose problem costs most time: the model
// says what would be left without it.

#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/advice.h"
#include "gpu/core/figures.h"
#include "gpu/core/warp_timeline.h"

namespace ws {

// ---- thresholds of the table

// Compute units or memory limit a kernel from this share of their peak on; occupancy is low below it. Source:
// the lecture ("about 60 %" and "< 60 %").
inline constexpr double kLimitPercent = 60;
inline constexpr double kLowOccupancyPercent = 60;
// The table says "low" of these and gives no number. A warp whose lanes read neighbouring bytes that do not
// begin with a sector uses 53 % of two; whole warps that leave at a picture's edge, more than 95 %.
inline constexpr double kLowEfficiency = 0.7;   // bytes requested over transferred; ideal wavefronts
inline constexpr double kLowActiveLanes = 0.8;  // warp execution efficiency
inline constexpr double kReads = 2;             // loaded so often, data are used again
inline constexpr double kWorthNaming = 1.05;    // a problem whose end would gain less is none
inline constexpr double kAtFloor = 1.55;        // of the least time: the rest cannot be tuned away

// What belongs to a category.
struct Diagnosis {
    Category category = Category::compute_algorithm;
    std::vector<Evidence> evidence;
    int line = 0;
    double floor = 0;  // the estimated time over the least; 0: not known
};
// Of a result with an estimate and occupancy. `least_bytes` are those that the step must read and write.
[[nodiscard]] Diagnosis diagnose(const StepResult& result, double least_bytes);

// "latency_occupancy": in JSON, and the end of the key of its words.
[[nodiscard]] std::string_view name_of(Category category);
[[nodiscard]] std::string_view name_of(Indicator indicator);
// In English: the table's row; the problem, the strategy; evidence with {0} its name, {1} the value and {2}
// the reference. The window's file of texts has the same, in each language.
struct CategoryWords {
    std::string_view title, problem, strategy;
};
[[nodiscard]] const CategoryWords& words_of(Category category);
[[nodiscard]] std::string_view words_of(Indicator indicator);
// "for memory"; empty for a warp that does not wait.
[[nodiscard]] std::string_view waited_for(WarpState state);
[[nodiscard]] std::string sentence_of(const Evidence& evidence);

}  // namespace ws
