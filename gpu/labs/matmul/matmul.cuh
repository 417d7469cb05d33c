// What the first kernels of this lab share and is not the lesson of any of them. C = A x B: B and C have `height` rows of
// `width` elements, A has `height` rows of `height` elements. Every element of C is a sum of fused multiply-adds, in
// ascending order of k.
#pragma once

// 0 outside of the matrix, which adds nothing.
static __device__ __forceinline__ float element_or_zero(const float* __restrict__ matrix, int row, int column, int rows,
                                                        int columns) {
    return row < rows && column < columns ? matrix[size_t(row) * columns + column] : 0.0f;
}
