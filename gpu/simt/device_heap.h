#pragma once
// The memory that kernels get by malloc and new, and give back: bounded, and lasting from launch to launch.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gpu/core/counters.h"

namespace ws::simt {

// Freed memory is given again as late as it may, so that whoever still uses it is found.
class DeviceHeap {
  public:
    static constexpr std::uint64_t kBytes = 8 << 20;  // as cudaLimitMallocHeapSize has it by default

    // An address that is a multiple of 16; 0 where there is no room, as on a GPU. `line`: of the call.
    [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes, int line);
    // Why that is wrong, or nothing.
    [[nodiscard]] std::string release(std::uint64_t address, int line);

    // Null where the bytes are not within what was given and not freed.
    [[nodiscard]] std::byte* at(std::uint64_t address, std::uint64_t bytes);
    // What lies at an address of the heap that no access may go to: "offset 20 of the 16 bytes ...".
    [[nodiscard]] std::string text_of(std::uint64_t address) const;

    [[nodiscard]] bool is_used() const { return !room_.empty(); }
    [[nodiscard]] std::byte* data() { return room_.data(); }
    // Behind all that was ever given, as an offset.
    [[nodiscard]] std::uint64_t end() const { return end_; }
    // What was never freed, by the line of its malloc.
    [[nodiscard]] std::vector<Finding> leaks() const;

  private:
    struct Allocation {
        std::uint64_t bytes = 0;  // as asked for
        int line = 0;
        int freed_at = 0;  // line
    };
    using Allocations = std::map<std::uint64_t, Allocation>;  // by offset
    [[nodiscard]] std::uint64_t find_room(std::uint64_t from, std::uint64_t bytes) const;

    std::vector<std::byte> room_;  // empty until something is allocated
    Allocations live_;
    Allocations freed_;
    std::uint64_t taken_ = 0;  // by those that live, headers included
    std::uint64_t next_ = 0;   // where the search begins
    std::uint64_t end_ = 0;
};

}  // namespace ws::simt
