#pragma once
// What the chains of this lab give by definition.

#include <cstdint>

#include "gpu/core/image.h"

namespace ws {
class ThreadPool;
}

namespace ws::throughput {

// Of each element, as throughput.cuh has it.
inline constexpr int kOperations = 256;

// The step's results for words from 0 on.
void through_chains(ThreadPool& pool, int step, Extent size, const std::uint8_t* in, std::uint8_t* out);

}  // namespace ws::throughput
