#pragma once
// Where one lane's access goes: bounds and alignment are always looked at.

#include <cstdint>

#include "gpu/simt/observer.h"

namespace ws::simt {

// Which space an access to a generic address goes to.
[[nodiscard]] Space space_of(std::uint64_t address);

// The place of one lane's access; without data if it is not allowed, which is a finding.
[[nodiscard]] LaneTouch find_place(Warp& warp, const Instruction& instruction, int lane,
                                   std::uint64_t address, int bytes, bool reads, bool writes);
// At an offset in shared memory, to write.
[[nodiscard]] LaneTouch find_shared_place(Warp& warp, const Instruction& instruction, int lane,
                                          std::uint64_t offset, int bytes);

// The same, told to the observer; null if it is not allowed. An update reads and writes as one step. `value`:
// what a plain write brings.
enum class Access : std::uint8_t { read, write, update };
template <class Observer>
[[nodiscard]] std::byte* place_of(Warp& warp, const Instruction& instruction, int lane, std::uint64_t address,
                                  int bytes, Access access, const std::byte* value = nullptr) {
    LaneTouch touch =
        find_place(warp, instruction, lane, address, bytes, access != Access::write, access != Access::read);
    if constexpr (Observer::kFollowsLanes) {
        touch.value = value;
        if (touch.place) observer_of<Observer>(warp).touch(warp, touch);
    }
    return touch.place;
}

}  // namespace ws::simt
