#pragma once
// Loads and stores as x86-64 code with AVX-512: those that go on as they did the time before, see
// AccessPattern.

#include <asmjit/x86.h>

#include <array>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "gpu/simt/details.h"
#include "gpu/simt/translation.h"
#include "gpu/simt/x86_operations.h"
#include "gpu/simt/x86_places.h"
#include "gpu/simt/x86_registers.h"

namespace ws::simt {

// Code that is seldom executed, behind the rest.
class LaterCode {
  public:
    void add(std::function<void()> emit) { waiting_.push_back(std::move(emit)); }
    // What is emitted may add more.
    void emit() {
        for (std::size_t i = 0; i < waiting_.size(); ++i) {
            const std::function<void()> one = std::move(waiting_[i]);
            one();
        }
        waiting_.clear();
    }

  private:
    std::vector<std::function<void()>> waiting_;
};

class AccessCode {
  public:
    AccessCode(asmjit::x86::Assembler& code, ConstantPool& constants, LaterCode& later, PlaceCode& places)
        : code_(code),
          constants_(constants),
          later_(later),
          places_(places),
          small_stores_{code.newLabel(), code.newLabel()} {}

    // To or from `values`, by element; `base` is the address register. The code goes to `bail` before it has
    // done anything where the access is another one than before.
    void load(const MemoryAccess& memory, ForLanes lanes, const Held& base, std::span<const Held> values,
              bool is_signed, const asmjit::Label& bail);
    void store(const MemoryAccess& memory, ForLanes lanes, const Held& base, std::span<const Held> values,
               const asmjit::Label& bail);
    // Where the place is found: a word a lane, of other lanes 0.
    void load_words(const MemoryAccess& memory, const Held& d);
    // What the code of all accesses calls.
    void emit_subroutines();

  private:
    void load_one(const MemoryAccess& memory, const Held& d, int bytes, bool is_signed);
    void load_several(const MemoryAccess& memory, std::span<const Held> values);
    void load_quad_vector(const asmjit::x86::Zmm& to, int lane, bool whole);
    void load_quads(std::span<const Held> values);
    void load_rows(const MemoryAccess& memory, const Held& d, int bytes, bool is_signed,
                   const asmjit::Label& rows, const asmjit::Label& done);
    void load_otherwise(const MemoryAccess& memory, const Held& d, int bytes, bool is_signed);
    void store_one(const MemoryAccess& memory, const Held& s, int bytes);
    void store_rows(const MemoryAccess& memory, const Held& s, int bytes);
    void store_otherwise(const MemoryAccess& memory, const Held& s, int bytes);
    void store_small(const MemoryAccess& memory, const Held& s, int bytes);
    void emit_small_stores(int bytes);
    void gather(const MemoryAccess& memory, const Held& d, int at);
    void scatter(const MemoryAccess& memory, const Held& s, int at);
    void load_row(const asmjit::x86::Vec& d, const asmjit::x86::Mem& from, int bytes, bool is_signed);
    void store_row(const asmjit::x86::Mem& to, const asmjit::x86::Vec& s, int bytes);

    asmjit::x86::Assembler& code_;
    ConstantPool& constants_;
    LaterCode& later_;
    PlaceCode& places_;
    std::array<asmjit::Label, 2> small_stores_;  // of 1 and 2 bytes
};

}  // namespace ws::simt
