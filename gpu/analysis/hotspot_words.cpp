// The words of a diagnosis, in English.

#include <fmt/format.h>

#include <array>

#include "gpu/analysis/hotspot.h"

namespace ws {
namespace {

struct CategoryRow {
    std::string_view name;
    CategoryWords words;
};
constexpr std::array<CategoryRow, kCategories> kCategoryRows{
    CategoryRow{"latency_occupancy",
                {"latency bound: occupancy", "too few warps hide the latency",
                 "another block size, fewer registers or less shared memory"}},
    CategoryRow{"latency_coalescing",
                {"latency bound: coalescing", "requests take more pieces of memory than they need",
                 "another block, loads that a block shares, aligned data"}},
    CategoryRow{"bandwidth_coalescing",
                {"bandwidth bound: coalescing", "what nobody asked for clogs the memory system",
                 "another block, loads that a block shares, aligned data"}},
    CategoryRow{"latency_reuse",
                {"latency bound: shared memory", "the same data come from far away again and again",
                 "keep them in shared memory or registers"}},
    CategoryRow{"memory_reuse",
                {"memory bound: shared memory", "too much data is moved",
                 "keep it in shared memory or registers; wider loads; fewer passes"}},
    CategoryRow{"compute_divergence",
                {"compute bound: divergence", "lanes of a warp go different ways",
                 "restructure code or data so that a warp stays together"}},
    CategoryRow{"latency_parallelism",
                {"latency bound: instruction-level parallelism", "a thread has too little independent work",
                 "several outputs per thread, unrolled loops"}},
    CategoryRow{"compute_algorithm",
                {"compute bound: algorithm", "the GPU computes as fast as it can",
                 "compute less: precompute, a cheaper algorithm, cheaper instructions"}}};

struct IndicatorRow {
    std::string_view name, words;
};
constexpr std::array<IndicatorRow, kIndicators> kIndicatorRows{
    IndicatorRow{"limiter", "{0}: {1} of the time (a limit from {2} on)"},
    IndicatorRow{"occupancy", "theoretical occupancy {1} (low below {2})"},
    IndicatorRow{"load_sectors", "{1} {0} per load; {2} would do"},
    IndicatorRow{"store_sectors", "{1} {0} per store; {2} would do"},
    IndicatorRow{"wavefronts", "{1} wavefronts per shared request; {2} would do"},
    IndicatorRow{"constant_words", "{1} words per constant load; {2} would do"},
    IndicatorRow{"loaded_again", "each byte of the input is loaded {1} times"},
    IndicatorRow{"loads_of_thread", "loads per thread: {1}; {2} may be under way"},
    IndicatorRow{"registers", "{1} registers per thread; {2} cost no occupancy"},
    IndicatorRow{"active_lanes", "{1} of the lanes are active (low below {2})"},
    IndicatorRow{"divergent", "{1} of the branches diverge"},
    IndicatorRow{"instructions", "{1} warp instructions for 32 results"},
    IndicatorRow{"waits", "waits {0}: {1} of the time, most at line {2}"},
    IndicatorRow{"floor", "{1} times the least time of device memory"}};

// By WarpState.
constexpr std::array<std::string_view, kWarpStates> kWaitedFor{
    "", "", "for memory", "at a barrier", "for results", "for a pipe", "for instructions", "for its stores"};

}  // namespace

std::string_view name_of(Category category) {
    return kCategoryRows[std::size_t(category)].name;
}
std::string_view name_of(Indicator indicator) {
    return kIndicatorRows[std::size_t(indicator)].name;
}
const CategoryWords& words_of(Category category) {
    return kCategoryRows[std::size_t(category)].words;
}
std::string_view words_of(Indicator indicator) {
    return kIndicatorRows[std::size_t(indicator)].words;
}
std::string_view waited_for(WarpState state) {
    return kWaitedFor[std::size_t(state)];
}
std::string sentence_of(const Evidence& evidence) {
    return fmt::format(fmt::runtime(words_of(evidence.of)), evidence.name, evidence.value_text,
                       evidence.reference_text);
}

}  // namespace ws
