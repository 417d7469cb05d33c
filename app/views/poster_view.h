#pragma once
// The versions of a lab on a sheet of paper: of each a part of its result, its time and how that came about,
// how many times as fast it is, and why. Nothing on it that the snapshot does not have.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/canvas/sheet.h"
#include "gpu/core/lab.h"
#include "gpu/core/snapshot.h"

namespace ws {

struct PosterRow {
    int version = 0;
    int buffer = 0;  // of the lab, that it computes
    std::optional<TimeFigure> time;
    std::optional<double> gb_s;                   // where bytes over time is what the lab is about
    std::optional<TimePair> to_before, to_first;  // of one kind; none for the first, or where one is missing
    std::optional<Reasons> reasons;               // against the version before
    Message problem;                              // why there is no time
};
struct Poster {
    const Lab* lab = nullptr;
    std::string gpu, input, compiler;
    std::vector<PosterRow> rows;
    // By buffer, as it is defined; of what is no picture the corner, kCorner elements wide and high at most.
    std::map<int, GrayImage> results;
    bool inverted = false;  // thin bright lines: dark on light paper
};

inline constexpr int kCorner = 64;

// What the snapshot has of the versions that it was asked for (Beside::versions).
[[nodiscard]] Poster poster_of(const Snapshot& snapshot);

// The sheet in pixels at which its texts are as large as on A3 paper: 7 points and more.
inline constexpr Extent kPosterSize{2400, 1697};
inline constexpr float kPosterUnit = 0.75f;
// Draws it all; returns the pictures that belong into their places.
[[nodiscard]] std::vector<SheetPicture> draw_poster(Canvas& canvas, const Poster& poster);

}  // namespace ws
