#pragma once
// Where a load or store finds its data, as x86-64 code with AVX-512: whether it goes on as it did the time
// before (AccessPattern), and the host's address then.

#include <asmjit/x86.h>

#include <cstddef>
#include <cstdint>

#include "gpu/simt/access_pattern.h"
#include "gpu/simt/details.h"
#include "gpu/simt/translation.h"
#include "gpu/simt/x86_operations.h"
#include "gpu/simt/x86_registers.h"

namespace ws::simt {

class PlaceCode {
  public:
    PlaceCode(asmjit::x86::Assembler& code, ConstantPool& constants, std::size_t memory_instructions)
        : code_(code), constants_(constants), memory_instructions_(memory_instructions) {}

    // For the lanes of kActive.
    void choose_patterns();
    // Leaves the host's address of the first lane in rax, once all lanes' data are known to lie around it;
    // else the code goes to `bail`. `base` is the address register.
    void find(const MemoryAccess& memory, ForLanes lanes, const Held& base, const asmjit::Label& bail);
    void find_row(const MemoryAccess& memory, ForLanes lanes, const Held& base, const asmjit::Label& bail);
    // The two parts of the first.
    void begin(const MemoryAccess& memory, ForLanes lanes, const asmjit::Label& bail);
    void find_place(const MemoryAccess& memory, const Held& base, const asmjit::Label& bail);

    // Of the access that was begun last.
    [[nodiscard]] ForLanes lanes() const { return lanes_; }
    [[nodiscard]] bool for_some() const { return lanes_ == ForLanes::some; }
    [[nodiscard]] asmjit::x86::Mem of_pattern(const MemoryAccess& memory, std::size_t at,
                                              std::uint32_t bytes = 0) const {
        const std::size_t number = for_some() ? 0 : std::size_t(memory.pattern);
        return asmjit::x86::ptr(kPatterns, int(number * sizeof(AccessPattern) + at), bytes);
    }
    void bail_unless_row(const MemoryAccess& memory, const asmjit::Label& bail);
    void mask_part(int part, int parts);
    // In a row, from the first lane's data.
    void go_to_lane_0(int bytes);
    // Code that belongs to an access which was begun earlier, for these lanes.
    void go_on_for(ForLanes lanes) { lanes_ = lanes; }

  private:
    [[nodiscard]] int add_offset(const MemoryAccess& memory, const Held& base, asmjit::x86::Zmm* address);
    void compare_distances_of_some(const MemoryAccess& memory, const Held& base, const asmjit::Label& bail);
    void compare_distances(const MemoryAccess& memory, const Held& base, const asmjit::Label& bail);

    asmjit::x86::Assembler& code_;
    ConstantPool& constants_;
    std::size_t memory_instructions_;
    ForLanes lanes_ = ForLanes::all;
};

}  // namespace ws::simt
