#pragma once
// Matrix multiplication: C = A x B of float32, from the formula as it is written to tiles in registers and
// asynchronous copies. To add a version: its .cu file here and a row in matmul.cpp.

#include "gpu/core/lab.h"

namespace ws::matmul {

// B and C have the work's rows and columns, A as many columns as rows: as many as the work has rows.
namespace buffer {
enum Buffer : int { b, a, c };
}

[[nodiscard]] const Lab& lab();

}  // namespace ws::matmul
