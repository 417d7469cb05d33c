#pragma once
// Where one lane's access goes, and every check of it: bounds, alignment, what was written, races, copies
// that are still on their way.

#include <cstdint>

#include "gpu/simt/warp.h"

namespace ws::simt {

// Which space an access to a generic address goes to.
[[nodiscard]] Space space_of(std::uint64_t address);

// The place of one lane's access of `bytes` bytes, checked and recorded; null if it is not allowed. An update
// reads and writes as one step. `value`: what a plain write brings.
enum class Access : std::uint8_t { read, write, update };
[[nodiscard]] std::byte* place_of(Warp& warp, const Instruction& instruction, int lane, std::uint64_t address,
                                  int bytes, Access access, const std::byte* value = nullptr);
// The place at a shared address that a lane's cp.async fills; nobody may touch it until the copy ends.
[[nodiscard]] std::byte* place_of_copy(Warp& warp, const Instruction& instruction, int lane,
                                       std::uint64_t offset, int bytes);
// Reports plain reads that raced with atomics, once no compare-and-swap can follow.
void report_doubts(Worker& worker);

}  // namespace ws::simt
