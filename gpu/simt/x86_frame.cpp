#include "gpu/simt/x86_frame.h"

#include <algorithm>

namespace ws::simt {

namespace x86 = asmjit::x86;

void FrameCode::begin_function(const Function& function, ForLanes lanes) {
    function_ = &function;
    lanes_ = lanes;
    registers = {};
    find_uniform_slots();
}

void FrameCode::find_uniform_slots() {
    using enum Special;
    uniform_.clear();
    for (const Special special : {ntid_x, ntid_y, ntid_z, ctaid_x, ctaid_y, ctaid_z, nctaid_x, nctaid_y,
                                  nctaid_z, warpid, nwarpid, smid, nsmid, dynamic_smem, total_smem, zero})
        uniform_.insert(offset_of(special));
    for (const SlotConstant& constant : function_->constants) uniform_.insert(constant.offset);
    for (const SlotParameter& parameter : function_->parameters) uniform_.insert(parameter.offset);
}

// What other lanes have in the frame stays. Whole vectors are written: masked stores are not forwarded to the
// loads that follow.
void FrameCode::store_of_some(const Held& one) {
    if (one.is_predicate()) {
        code_.mov(x86::eax, x86::dword_ptr(kFrame, one.slot));
        code_.kmovd(x86::r8d, one.k());
        code_.xor_(x86::r8d, x86::eax);
        code_.and_(x86::r8d, kActive);
        code_.xor_(x86::eax, x86::r8d);
        return void(code_.mov(x86::dword_ptr(kFrame, one.slot), x86::eax));
    }
    code_.kmovd(x86::k1, kActive);
    for (int part = 0; part < one.parts; ++part) {
        if (part > 0) code_.kshiftrd(x86::k1, x86::k1, kLanes / one.parts);
        code_.vmovdqa64(kTemporary[4], at(one.slot, part));
        if (one.parts == 2)
            code_.k(x86::k1).vmovdqa32(kTemporary[4], one.zmm(part));
        else
            code_.k(x86::k1).vmovdqa64(kTemporary[4], one.zmm(part));
        code_.vmovdqa64(at(one.slot, part), kTemporary[4]);
    }
}

void FrameCode::store(const Held& one) {
    if (lanes_ == ForLanes::some) return store_of_some(one);
    if (one.is_predicate()) return void(code_.kmovd(x86::dword_ptr(kFrame, one.slot), one.k()));
    for (int part = 0; part < one.parts; ++part) code_.vmovdqa64(at(one.slot, part), one.zmm(part));
}

void FrameCode::load(const Held& one) {
    if (one.is_predicate()) return void(code_.kmovd(one.k(), x86::dword_ptr(kFrame, one.slot)));
    const int vectors = one.is_uniform() ? 1 : one.parts;
    for (int part = 0; part < vectors; ++part) code_.vmovdqa64(one.zmm(part), at(one.slot, part));
}

void FrameCode::flush(const Registers& from, int block, int instruction, const Registers& kept) {
    for (const Held& one : from.held()) {
        if (one.dirty && !kept.holds_like(one) && live_at(block, instruction, one)) store(one);
    }
}

void FrameCode::load_all(const Registers& to, int block, int instruction) {
    for (const Held& one : to.held()) {
        if (live_at(block, instruction, one)) load(one);
    }
}

// Gives up what is read last, at best nowhere.
void FrameCode::evict(bool predicate) {
    const Held* chosen = nullptr;
    int furthest = -1;
    for (const Held& one : registers.held()) {
        if (one.is_predicate() != predicate) continue;
        if (std::find(pinned_.begin(), pinned_.end(), one.slot) != pinned_.end()) continue;
        const int next = liveness_.next_read(*function_, block_, instruction_, one.slot);
        if (next <= furthest) continue;
        furthest = next;
        chosen = &one;
    }
    if (chosen->dirty && live_at(block_, instruction_, *chosen)) store(*chosen);
    registers.drop(*chosen);
}

Held& FrameCode::place(std::int32_t slot, int parts) {
    const bool uniform = uniform_.contains(slot);
    while (!registers.has_room(parts, uniform)) evict(parts == 1);
    return registers.add(slot, parts, uniform);
}

Held FrameCode::use(std::int32_t slot, int parts) {
    const Held* found = registers.find(slot, parts);
    if (!found) {
        found = &place(slot, parts);
        load(*found);
    }
    pinned_.push_back(slot);
    return *found;
}

Held FrameCode::make(std::int32_t slot, int parts) {
    Held* found = registers.find(slot, parts);
    if (!found) found = &place(slot, parts);
    found->dirty = true;
    pinned_.push_back(slot);
    return *found;
}

}  // namespace ws::simt
