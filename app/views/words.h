#pragma once
// Figures and names as the views write them, of this frame.

#include <string_view>

#include "gpu/core/figures.h"
#include "gpu/core/snapshot.h"

namespace ws {

// "857 µs", "12.3 ms": three digits, and the unit.
[[nodiscard]] std::string_view short_time(double ms);
// The same in the unit of the longest of the times that it stands beside: "0.857 ms" beside "12.3 ms", unless
// that has nothing but zeros in front: "2.52 µs".
[[nodiscard]] std::string_view short_time(double ms, double most_ms);
// "0.84 million", "6.9 million", "12 400".
[[nodiscard]] std::string_view big_number(double value);
// Every digit, thousands apart by thin gaps: "36 864".
[[nodiscard]] std::string_view grouped_number(std::uint64_t value);
[[nodiscard]] std::string_view value_text(Form form, double value);
// Both values of a change at one scale: "18" and "4.7 million".
struct ValuePair {
    std::string_view before, now;
};
[[nodiscard]] ValuePair values_of(const Shift& shift);
// "18 → 4.7 million".
[[nodiscard]] std::string_view change_text(const Shift& shift);
// "1 block", "3 blocks".
[[nodiscard]] std::string_view blocks_text(int blocks);
[[nodiscard]] std::string_view warps_text(int warps);
// The quantity that explains most, in the sentence of a key "*.because", and where the limit went, unless
// there is no room for that.
[[nodiscard]] std::string_view why_text(const Reasons& reasons, std::string_view key,
                                        bool with_limits = true);
// "V5".
[[nodiscard]] std::string_view version_name(int number);
// What a work is called beside other work: its version, and what else of it differs from the version's own
// and from `now`: "V0 8 x 8", "V5 GTX 280".
[[nodiscard]] std::string_view work_name(const Work& work, const Work& now);
// What tells it from the other one, in a word: its version, else its block, a knob,
// its size or its GPU.
[[nodiscard]] std::string_view distinct_name(const Work& work, const Work& other);
// The first characters of a name, with an ellipsis where it has more.
[[nodiscard]] std::string_view short_name(std::string_view name, int characters);
// The GPU's name without its maker, and how figures of this kind came about, if not by that GPU here: "H200,
// recorded".
[[nodiscard]] std::string_view gpu_name(const Snapshot& snapshot, Kind kind);
// For the figures of now.
[[nodiscard]] std::string_view gpu_name(const Snapshot& snapshot);
// "32 × 4".
[[nodiscard]] std::string_view block_text(Block block);
[[nodiscard]] std::string_view size_text(Extent size);
// What is computed on: the picture's name, or the size of what the lab makes itself.
[[nodiscard]] std::string_view input_text(const Snapshot& snapshot);
// "64 KiB", "1 GiB", "10007 bytes".
[[nodiscard]] std::string_view byte_text(std::int64_t bytes);
// "0.0123", "4.56", "78.9", "12345": three digits at least that matter.
[[nodiscard]] std::string_view figure_text(double value);
// Of what is neither nothing nor all, in per cent: "< 0.1", "12.3", "> 99.9".
[[nodiscard]] std::string_view part_text(double share);
// How many times as fast: "76", "1.26", "0.017": two digits at least that matter.
[[nodiscard]] std::string_view speedup_text(double ratio);

// The result of a step among the figures; null if it is not there.
[[nodiscard]] const StepResult* step_of(const WorkFigures& figures, int step);
// The step whose kernel is looked at: the one that was chosen if it is worth a place, else the heaviest.
[[nodiscard]] const StepSnapshot& chosen_step(const Snapshot& snapshot, std::string_view preferred);
// What the GPU's traffic is counted in: "sectors", before 3.0 "transactions".
[[nodiscard]] std::string_view traffic_word(ComputeCapability capability);
// Of the bars: of what runs, the kernel or the pipeline of several.
[[nodiscard]] std::string_view time_title(const Lab& lab, bool micro);
// "4 sectors", "1 transaction": what a request takes.
[[nodiscard]] std::string_view moved_words(int pieces, ComputeCapability capability);
// Bytes that the running steps must move at least, over a time: GB/s.
[[nodiscard]] double bandwidth(const WorkFigures& figures, double ms);

}  // namespace ws
