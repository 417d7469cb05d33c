#pragma once
// The image filters: gray, a 7 x 7 Gaussian blur and Sobel edges. To add a version: its .cu file(s) here and
// a row in filters.cpp.

#include "gpu/core/lab.h"
#include "gpu/labs/filters/native.h"

namespace ws::filters {

// Places in the lab's lists.
namespace step {
enum Step : int { gray, blur, edge, fused };
}
namespace buffer {
enum Buffer : int { picture, gray, blurred, edges, edges_of_gray };
}
namespace view {
enum View : int { original, gray, blur, edge, edge_of_gray };
}

[[nodiscard]] const Lab& lab();
// Which filters make what a buffer holds.
[[nodiscard]] native::Filters filters_of(int buffer);

}  // namespace ws::filters
