#pragma once
// Where wrong elements lie: counted in squares, gathered to clusters, walked one square after the other.

#include <optional>

#include "gpu/core/difference.h"

namespace ws {

// Squares along the longer side: a square of a large photograph then fills a screen at which its pixels can
// be read.
inline constexpr int kMostCells = 128;

class WrongPlaceCounter {
  public:
    explicit WrongPlaceCounter(Extent extent);
    // Row by row, from left to right.
    void add(int column, int row);
    // With its clusters.
    [[nodiscard]] WrongPlaces take();

  private:
    WrongPlaces places_;
};

// An element of the result.
struct Place {
    int column = 0, row = 0;
    friend bool operator==(const Place&, const Place&) = default;
};
// The first wrong element of the next square (by 1) or the one before (-1) that has any, seen from an
// element; after the last comes the first. From nowhere: the first. None where nothing is wrong.
[[nodiscard]] std::optional<Place> next_wrong(const WrongPlaces& places, std::optional<Place> from, int by);

}  // namespace ws
