#pragma once
// A, the picture that the result is compared with: what it is for the work that is shown, and what is known
// of it.

#include <string_view>

#include "app/window/view_state.h"
#include "gpu/core/snapshot.h"

namespace ws {

// The lab's input, a view as it is defined, or what other kernels make of the input.
struct SideA {
    enum class Kind : std::uint8_t { input, defined, result };
    Kind kind = Kind::input;
    int view = 0;   // of the lab: that is defined, or computed
    ResultOf of{};  // whose result
    friend bool operator==(const SideA&, const SideA&) = default;
};
// A choice that this lab or work does not have is as ever.
[[nodiscard]] SideA side_a(const ViewState& view, const Work& work);
// The baseline that a person has pinned; null where it is none of this lab.
[[nodiscard]] const Pin* pin_of(const Preferences& kept, const Lab& lab);
// A alone is shown, and that is the baseline: its figures stand in the headline.
[[nodiscard]] bool shows_baseline(const ViewState& view, const Work& work);
// It is the definition of what is shown: what the check is against.
[[nodiscard]] bool is_definition(const SideA& a, const Work& work);
// The choices that a key goes through: as ever, each view, the baseline.
[[nodiscard]] ChosenA next_a(const ChosenA& now, const Lab& lab);

// How B differs from A.
struct Apart {
    enum class State : std::uint8_t { waiting, equal, different, never };
    State state = State::waiting;
    const Difference* difference = nullptr;  // where they differ
};
// What a frame knows of A.
struct ShownA {
    SideA side;
    bool there = false;        // its picture stands; until then its definition
    double done = 0;           // of a result that is being computed, 0 to 1
    std::string_view problem;  // why there is none
    std::string_view name;     // "blurred by V3"
    Apart apart;               // where a difference is shown
};

}  // namespace ws
