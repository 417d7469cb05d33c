#pragma once
// The filters on the CPU: the same pictures as the kernels, to the bit, with SIMD and threads.

#include "gpu/core/image.h"
#include "gpu/core/thread_pool.h"

namespace ws::filters::native {

// The filters one by one; `source` of gray has 4 bytes a pixel, all else one.
void gray(ThreadPool& pool, Extent size, const std::uint8_t* source, std::uint8_t* out);
void blur(ThreadPool& pool, Extent size, const std::uint8_t* source, std::uint8_t* out);
void edge(ThreadPool& pool, Extent size, const std::uint8_t* source, std::uint8_t* out);

// What follows gray.
struct Filters {
    bool blur = false;
    bool edge = false;
};
// Gray and what follows it in one pass over the RGBA picture, with no picture between.
void one_pass(ThreadPool& pool, Extent size, const std::uint8_t* source, Filters filters, std::uint8_t* out);

}  // namespace ws::filters::native
