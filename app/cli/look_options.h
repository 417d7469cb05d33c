#pragma once
// How the window looks, as the command line and the steps of lectures say it.

#include <optional>
#include <string>

#include "gpu/core/warp_place.h"

namespace ws {

// What is seen of a picture, in its pixels; without columns: all of it.
struct Detail {
    int columns = 0, rows = 0;
    int x = 0, y = 0;  // of its first pixel
    friend bool operator==(const Detail&, const Detail&) = default;
};

// How the page of the source looks; empty: as it was.
struct SourceLook {
    std::string beside;  // at its right: counts, ptx or machine
    std::string share;   // that lines have: of instructions or of time
};

// How the window looks when it opens, or from a step of a lecture on; empty: as it was.
struct LookOptions {
    std::string theme;           // light or dark
    std::string tab;             // story, source, ...
    std::string compare;         // single, wipe, beside or difference
    std::optional<int> against;  // the version that is the baseline
    std::optional<bool> slide;
    std::optional<bool> advice;
    std::optional<bool> sweep;    // the page of occupancy shows every block shape...
    std::optional<bool> latency;  // ...or the warps of one scheduler, clock by clock
    std::optional<Detail> zoom;
    SourceLook source;
    std::optional<int> line;        // of the heaviest kernel's source, that is chosen
    std::optional<int> access;      // of the line's, from 1 on
    std::optional<WarpPlace> warp;  // whose addresses are drawn
    // Over what all versions are curves: size, or a knob; off: they are not shown.
    std::string over;
    std::optional<int> page;  // of those that a narrow window makes of what is shown, from 1 on
};
// All versions are curves.
[[nodiscard]] inline bool shows_curves(const LookOptions& look) {
    return !look.over.empty() && look.over != "off";
}

}  // namespace ws
