#pragma once
// What a step of a lecture may have the class predict, and where its truth stands.

#include <optional>
#include <span>
#include <string_view>

#include "gpu/core/snapshot.h"

namespace ws {

struct Truth {
    double value = 0;
    Kind kind = Kind::counted;
};

struct Askable {
    std::string_view name;      // in the lecture's file
    std::string_view question;  // the keys of the texts: what is asked,
    std::string_view unit;      // and in what it is answered
    double low = 0, high = 0;   // the ends of the axis
    bool logarithmic = false;   // the axis
    bool compares = false;      // with the baseline
    // Of the heaviest kernel that runs, or of all of them. Nothing while it is not there.
    std::optional<Truth> (*truth)(const Snapshot& snapshot);
};

// Where a value lies on the axis, 0 to 1, and what lies there.
[[nodiscard]] double place_on_axis(const Askable& askable, double value);
[[nodiscard]] double value_on_axis(const Askable& askable, double place);

[[nodiscard]] std::span<const Askable> askables();
// Null if there is none of the name.
[[nodiscard]] const Askable* askable_named(std::string_view name);

}  // namespace ws
