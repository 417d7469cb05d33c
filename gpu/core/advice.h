#pragma once
// What to try next, as a value: what limits the heaviest kernel, the counts that show it, the line that they
// come from, and changes of the work with the gain that the model expects of each.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/result_key.h"
#include "gpu/core/work.h"

namespace ws {

// The original lecture's quick reference, row by row: what is wrong, so that one knows what to change.
enum class Category : std::uint8_t {
    latency_occupancy,
    latency_coalescing,
    bandwidth_coalescing,
    latency_reuse,
    memory_reuse,
    compute_divergence,
    latency_parallelism,
    compute_algorithm
};
inline constexpr std::size_t kCategories = 8;

// What a piece of evidence is of. Its words have the name, the value and the reference.
enum class Indicator : std::uint8_t {
    limiter,          // share of the estimated time that the longest bound takes; 60 % is a limit
    occupancy,        // theoretical; what is low
    load_sectors,     // sectors (transactions) per load request; as many as its bytes need
    store_sectors,    // the same of stores
    wavefronts,       // per request to shared memory; without conflicts
    constant_words,   // per request to constant memory; one word goes to all lanes
    loaded_again,     // bytes that loads request over those that are there to be read
    loads_of_thread,  // requests of a warp; those that may be under way
    registers,        // of a thread; those that it could have at this occupancy
    active_lanes,     // warp execution efficiency; what is low
    divergent,        // share of the branches
    instructions,     // of warps, over 32 elements of the result
    waits,            // share of the warps' clocks in which they wait for one thing; the line with most of it
    floor             // the estimated time over the one that device memory needs for the least bytes
};
inline constexpr std::size_t kIndicators = 14;

struct Evidence {
    Indicator of = Indicator::limiter;
    double value = 0;
    double reference = 0;
    std::string name;                        // of what is counted: "FMA pipe", "sectors"
    std::string value_text, reference_text;  // as they are written
    friend bool operator==(const Evidence&, const Evidence&) = default;
};

// A change that may help.
struct Candidate {
    enum class Kind : std::uint8_t { block, knob, version };
    Kind kind = Kind::block;
    Work work;          // with the change
    int step = 0;       // whose block it is
    std::string knob;   // its name
    int value = 0;      // of the knob
    std::string limit;  // what would limit the step then; empty: not known
    // How many times as fast the work would be. Where it is `estimated`, the counts are of that very work;
    // else it follows from those of now: predicted. None: its counts are being made.
    std::optional<double> gain;
    bool estimated = false;
    friend bool operator==(const Candidate&, const Candidate&) = default;
};

struct Advice {
    Work work;  // that it is for, and its input
    InputKey input;
    int step = 0;      // with the largest share of the estimated time
    double share = 0;  // 0 to 1
    Category category = Category::compute_algorithm;
    std::vector<Evidence> evidence;     // kMostEvidence at most; the limiter comes first
    int line = 0;                       // of the text that was counted; 0: none
    std::string line_text;              // without blanks around it
    double floor = 0;                   // as the indicator; 0: not known
    bool at_floor = false;              // hardly anything is left to gain
    std::vector<Candidate> candidates;  // what gains most comes first; kMostCandidates at most
    friend bool operator==(const Advice&, const Advice&) = default;
};
inline constexpr std::size_t kMostEvidence = 3;
inline constexpr std::size_t kMostCandidates = 3;

}  // namespace ws
