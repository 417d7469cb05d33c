#pragma once
// Where a lecture is, as a value: its step, and what the class has guessed. Knows nothing of windows.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/lecture/lecture.h"

namespace ws {

struct Playing {
    // Of a step that asks.
    struct Answer {
        bool told = false;            // the truth may be shown
        std::optional<double> guess;  // none: skipped, or not told yet
    };
    std::shared_ptr<const Lecture> lecture;
    int at = 0;                   // of the steps
    std::string typed;            // of a guess that is not fixed yet
    std::vector<Answer> answers;  // one a step

    [[nodiscard]] const LectureStep& step() const { return lecture->steps[std::size_t(at)]; }
    [[nodiscard]] int count() const { return int(lecture->steps.size()); }
    [[nodiscard]] const Answer& answer() const { return answers[std::size_t(at)]; }
    // The class is to guess: nothing of the truth is shown.
    [[nodiscard]] bool asking() const { return step().asks && !answer().told; }
};

// At its first step. `lecture` has steps.
[[nodiscard]] Playing first_step(std::shared_ptr<const Lecture> lecture);
// Some steps forwards or backwards, within the lecture. One step forwards from a step that asks tells it:
// what was typed is its guess, else it is skipped.
[[nodiscard]] Playing turned(Playing playing, int by);
[[nodiscard]] Playing at_step(Playing playing, int step);

// What is typed of a number: digits, one point or comma; anything else changes nothing. Only while asking.
[[nodiscard]] Playing typed(Playing playing, char letter);
[[nodiscard]] Playing erased(Playing playing);  // the last letter of it
// A value of the axis, as if it was typed.
[[nodiscard]] Playing pointed(Playing playing, double value);
// Along the axis by a share of it; from its middle where nothing is typed.
[[nodiscard]] Playing nudged(Playing playing, double by);
// The number that is typed; nothing where it is none.
[[nodiscard]] std::optional<double> typed_value(const Playing& playing);
// What is typed becomes the guess; where it is no number nothing changes.
[[nodiscard]] Playing fixed(Playing playing);

}  // namespace ws
