#pragma once
// The picture by its definition, on the CPU: every pixel, or squares whose borders are alike filled (Mariani
// and Silver's rule), as mandelbrot.cuh has it.

#include <cstdint>

#include "gpu/core/image.h"
#include "gpu/core/thread_pool.h"

namespace ws::dynamic_parallelism {

inline constexpr int kLargest = 64;   // side of the first squares
inline constexpr int kSmallest = 16;  // of those that are split no further
inline constexpr int kOpen = -1;      // the mark of a square whose border has points of different rounds

// Where a picture lies in the plane, as the first buffer has it.
struct Plane {
    float left = 0, top = 0;
    float step = 0;   // from pixel to pixel
    float dwell = 0;  // rounds at most
};
[[nodiscard]] Plane plane_of(Extent size, int zoom, int dwell);

void draw_exact(ThreadPool& pool, const Plane& plane, Extent size, std::uint8_t* out);
// The marks of the squares of this side, row by row.
void mark_squares(ThreadPool& pool, const Plane& plane, Extent size, int side, std::int32_t* out);
void draw_filled(ThreadPool& pool, const Plane& plane, Extent size, std::uint8_t* out);

}  // namespace ws::dynamic_parallelism
