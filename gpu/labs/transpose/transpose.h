#pragma once
// The matrix transpose: the same bytes as a copy, in another order; and a fill, which is half of them. To add
// a version: its .cu file here and a row in transpose.cpp.

#include "gpu/core/lab.h"

namespace ws::transpose {

// Places in the lab's lists. A version has a kernel for one of the steps: the copies and the fill show what
// is possible.
namespace step {
enum Step : int { copy, transpose, fill };
}
namespace buffer {
enum Buffer : int { source, copied, transposed, filled };
}

[[nodiscard]] const Lab& lab();

}  // namespace ws::transpose
