#pragma once
// Asynchronous copies of whole warps as x86-64 code with AVX-512: they begin as the interpreter's do
// (AsyncCopies), and arrive with its waits.

#include <asmjit/x86.h>

#include "gpu/simt/details.h"
#include "gpu/simt/x86_accesses.h"
#include "gpu/simt/x86_operations.h"
#include "gpu/simt/x86_places.h"
#include "gpu/simt/x86_registers.h"

namespace ws::simt {

class CopyCode {
  public:
    CopyCode(asmjit::x86::Assembler& code, ConstantPool& constants, LaterCode& later, PlaceCode& places,
             AccessCode& accesses)
        : code_(code), constants_(constants), later_(later), places_(places), accesses_(accesses) {}

    // From `source` to `target`, address registers; of what the lanes read `sizes` has the bytes, if it is
    // held. The code goes to `bail` before it has done anything where it is not made for the copy.
    void begin(const AsyncCopy& copy, const Held& source, const Held& target, const Held& sizes,
               const asmjit::Label& bail);
    // Ends a group.
    void commit(const asmjit::Label& bail);

  private:
    void find_reading_lanes(const AsyncCopy& copy, const Held& sizes, const asmjit::Label& bail);
    void note_targets(const AsyncCopy& copy, const Held& target, const asmjit::Label& bail);
    void take_data(const AsyncCopy& copy, ForLanes lanes, const Held& source, const asmjit::Label& bail);
    void take_rows(const AsyncCopy& copy, ForLanes lanes);
    void take_zeros(const AsyncCopy& copy);
    void add(std::uint64_t lanes_and_arriving, std::uint64_t committing_and_bytes);

    asmjit::x86::Assembler& code_;
    ConstantPool& constants_;
    LaterCode& later_;
    PlaceCode& places_;
    AccessCode& accesses_;
};

}  // namespace ws::simt
