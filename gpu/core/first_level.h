#pragma once
// L1 where it shares its memory with shared memory: its sets, and what goes when it is full.

#include <cstdint>

#include "gpu/core/cache_level.h"

namespace ws {

// Of so many bytes. Measured on an H200 (bench/l1_places, 2026-11-28; docs/clock.md), and taken for that of
// all such GPUs: 512 sets of four lines, whatever shared memory leaves, of which no more are kept than there
// is room for but 60, or a fourth of them. A line's set is the exclusive or of nine bits for each bit of its
// number. Of a set the line goes that came first of those that were asked for once; two that were asked for
// again stay.
[[nodiscard]] CacheShape first_level_shape(std::uint64_t bytes);
// Of a line by its number, below 512.
[[nodiscard]] std::uint64_t first_level_set(std::uint64_t line);

}  // namespace ws
