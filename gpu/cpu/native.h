#pragma once
// The native pipeline: the same pictures as the kernels, to the bit, with SIMD and threads.

#include "gpu/core/image.h"
#include "gpu/core/stage.h"
#include "gpu/cpu/thread_pool.h"

namespace ws::native {

// The stages one by one; `out` has room for one byte a pixel.
void gray(ThreadPool& pool, const RgbaImage& source, std::uint8_t* out);
void blur(ThreadPool& pool, Extent size, const std::uint8_t* source, std::uint8_t* out);
void edge(ThreadPool& pool, Extent size, const std::uint8_t* source, std::uint8_t* out);

// The picture of `view` (not the original) in one pass, with no picture between the stages.
void fused(ThreadPool& pool, const RgbaImage& source, View view, bool blur_first, std::uint8_t* out);

}  // namespace ws::native
