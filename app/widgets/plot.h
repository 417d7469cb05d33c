#pragma once
// Small plots with axes that say what they show.

#include <string_view>
#include <vector>

#include "gpu/core/occupancy.h"

namespace ws {

// Occupancy in percent over one quantity, with the current point marked.
void curve_plot(const char* id, std::string_view label, const OccupancyCurve& curve, float width,
                float height);

// Samples over time, oldest left, between their least and largest value, which are written beside it.
void history_plot(const char* id, const std::vector<float>& values_ms, float width, float height);

// A bar from 0 to 1 with text on it.
void share_bar(double share, std::string_view label, float width);

}  // namespace ws
