#pragma once
// The slots of the frame in the processor's registers: which of them, and the code that brings them there and
// back.

#include <asmjit/x86.h>

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "gpu/simt/liveness.h"
#include "gpu/simt/program.h"
#include "gpu/simt/translation.h"
#include "gpu/simt/x86_registers.h"

namespace ws::simt {

class FrameCode {
  public:
    FrameCode(asmjit::x86::Assembler& code, const Liveness& liveness) : code_(code), liveness_(liveness) {}

    void begin_function(const Function& function, ForLanes lanes);
    // Before each instruction. What it uses and makes stays where it is until the next one.
    void begin_instruction(int block, int instruction) {
        block_ = block;
        instruction_ = instruction;
        pinned_.clear();
    }

    Held use(std::int32_t slot, int parts);
    Held make(std::int32_t slot, int parts);
    // Stores what is not in the frame yet, as far as it is read from that instruction on and `kept` has it
    // not where it is.
    void flush(const Registers& from, int block, int instruction, const Registers& kept = {});
    void load_all(const Registers& to, int block, int instruction);
    [[nodiscard]] bool live_at(int block, int instruction, const Held& one) const {
        return liveness_.is_live(*function_, block, instruction, one.slot);
    }

    Registers registers;  // at the place of the code that is being made

  private:
    void find_uniform_slots();
    Held& place(std::int32_t slot, int parts);
    void evict(bool predicate);
    void store(const Held& one);
    void store_of_some(const Held& one);
    void load(const Held& one);
    [[nodiscard]] asmjit::x86::Mem at(std::int32_t slot, int part) const {
        return asmjit::x86::ptr(kFrame, slot + 64 * part);
    }

    asmjit::x86::Assembler& code_;
    const Liveness& liveness_;
    const Function* function_ = nullptr;
    ForLanes lanes_ = ForLanes::all;
    std::unordered_set<std::int32_t> uniform_;  // slots that nothing writes to
    int block_ = 0;
    int instruction_ = 0;
    std::vector<std::int32_t> pinned_;
};

}  // namespace ws::simt
