#pragma once
// A Mandelbrot picture by every pixel, and by squares whose borders say what lies in them: launched level by
// level from the host, or by kernels. To add a version: its .cu file here and a row in
// dynamic_parallelism.cpp.

#include "gpu/core/lab.h"

namespace ws::dynamic_parallelism {

// Places in the lab's lists. A version has the first step, the following four, or the last one.
namespace step {
enum Step : int { pixels, outline_64, outline_32, outline_16, fill, regions };
}
// `exact`: every pixel computed; `filled`: by squares, which may miss what no border meets.
namespace buffer {
enum Buffer : int { plane, exact, marks_64, marks_32, marks_16, filled };
}

[[nodiscard]] const Lab& lab();

}  // namespace ws::dynamic_parallelism
