#pragma once
// Parts that several pages draw: a value beside the baseline's, the pages of a narrow window.

#include <optional>
#include <string_view>

#include "app/views/views.h"
#include "app/views/words.h"
#include "gpu/core/figures.h"

namespace ws {

// Two values of one quantity.
struct Pair {
    std::optional<double> now, base;
};
// A value in the unit of the largest that it stands beside.
using WriteValue = std::string_view (*)(double value, double most);
// A bar for each of them from 0 on, one below the other, with its name and its value as `write` has it; "–"
// where it is not known. The longer one fills the track.
void draw_pair(const Stage& stage, Box rows, const Pair& pair, WriteValue write);
// The work that the figures are of: while others are on their way, the one before.
[[nodiscard]] const Work& now_work(const Stage& stage);
// What now and the baseline are called in front of such bars, in a word that tells them apart: the version,
// or, where that is the same, the block, a knob, the size or the GPU.
[[nodiscard]] std::string_view now_name(const Stage& stage);
// The same of the work that was asked for: of what is calculated and waits for nothing.
[[nodiscard]] std::string_view asked_name(const Stage& stage);
[[nodiscard]] std::string_view base_name(const Stage& stage);
// Their versions, where block or GPU stands beside it.
[[nodiscard]] std::string_view now_version(const Stage& stage);
[[nodiscard]] std::string_view base_version(const Stage& stage);

// As many characters of a person's own name for it are shown.
inline constexpr int kNameCharacters = 14;
// The baseline's name: the one that a person gave it, cut, else what it is. Empty where there is none.
[[nodiscard]] std::string_view baseline_name(const Snapshot& snapshot, const Preferences& kept);

// What `say_name` makes of the baseline's name, with as much of a name of a person's own as fits; where too
// little of it would be left, with what the baseline is.
template <typename SayName>
[[nodiscard]] std::string_view say_baseline(const Stage& stage, float width, Font font,
                                            const SayName& say_name) {
    const std::string_view name = baseline_name(stage.snapshot, stage.view.preferences);
    constexpr int kFewest = 5;
    for (int characters = kNameCharacters; characters >= kFewest; --characters) {
        const std::string_view made = say_name(short_name(name, characters));
        if (stage.canvas.width(made, font) <= width) return made;
    }
    return say_name(base_name(stage));
}

// A narrow window has the panels of a page one after the other: takes a strip with a dot for each off the
// page, and returns the one that is shown. -1 in a window that has room for all of them.
[[nodiscard]] int turn_pages(const Stage& stage, Box& page, int count);

// The text of a key "tip.*" while the pointer rests on a place.
void tip(const Stage& stage, Box place, std::string_view key);

// How far off estimates are, for the badge of one; nothing for another kind, or where nobody knows.
[[nodiscard]] BadgeNote error_note(const Snapshot& snapshot, Kind kind);
// The same where there is only room for the words that appear under the pointer.
[[nodiscard]] BadgeNote error_tip(const Snapshot& snapshot, Kind kind);

// Of how many blocks something was counted, for its badge; nothing where that were all of them.
[[nodiscard]] BadgeNote sample_note(const KernelCounters* counters);

// A round number of which at most so many make `most`, about.
[[nodiscard]] double nice_step(double most, int lines);

// The baseline's result for the step that is looked at; null if there is none.
[[nodiscard]] const StepResult* base_result(const Snapshot& snapshot, const StepSnapshot& step);

}  // namespace ws
