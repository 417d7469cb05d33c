#include "gpu/simt/x86_copies.h"

#include <cstddef>
#include <cstdint>

namespace ws::simt {
namespace {

namespace x86 = asmjit::x86;
using Batch = AsyncCopies::Batch;
using Room = AsyncCopies::Room;

// Predicates of vpcmpud.
constexpr int kAtLeast = 5;
constexpr int kAbove = 6;
const Held kWords{-1, 2, {26, 27, 0, 0}, false};

x86::Mem of_state(std::size_t at, std::uint32_t bytes = 8) {
    return x86::ptr(kState, int(at), bytes);
}
x86::Mem of_room(std::size_t at) {
    return of_state(offsetof(TranslatedState, copies) + at);
}

}  // namespace

// Leaves those that read all bytes in kActive; the others read none.
void CopyCode::find_reading_lanes(const AsyncCopy& copy, const Held& sizes, const asmjit::Label& bail) {
    const auto both = [&](const x86::Gp& to) {
        code_.kunpckwd(x86::k0, x86::k1, x86::k0);
        code_.kmovd(to, x86::k0);
    };
    code_.vpcmpud(x86::k0, sizes.zmm(0), constants_.word(copy.bytes), kAtLeast);
    code_.vpcmpud(x86::k1, sizes.zmm(1), constants_.word(copy.bytes), kAtLeast);
    both(kActive);
    code_.vptestmd(x86::k0, sizes.zmm(0), sizes.zmm(0));
    code_.vptestmd(x86::k1, sizes.zmm(1), sizes.zmm(1));
    both(x86::eax);
    code_.cmp(x86::eax, kActive);
    code_.jne(bail);
}

// Writes the offsets into the next batch, which is not begun yet. They lie in shared memory, aligned.
void CopyCode::note_targets(const AsyncCopy& copy, const Held& target, const asmjit::Label& bail) {
    code_.mov(x86::r8, of_room(offsetof(Room, next)));
    code_.cmp(x86::r8, of_room(offsetof(Room, end)));
    code_.je(bail);
    code_.cmp(of_room(offsetof(Room, bytes_left)), kLanes * copy.bytes);
    code_.jb(bail);
    const x86::Zmm last = kTemporary[2];
    code_.mov(x86::eax, of_state(offsetof(TranslatedState, shared_bytes), 4));
    code_.sub(x86::eax, int(copy.bytes));
    code_.jb(bail);
    code_.vpbroadcastd(last, x86::eax);
    const x86::KReg wrong[] = {x86::k0, x86::k1};
    for (int part = 0; part < 2; ++part) {
        code_.vpaddd(kTemporary[part], target.zmm(part), constants_.word(std::uint32_t(copy.target_offset)));
        code_.vpcmpud(wrong[part], kTemporary[part], last, kAbove);
    }
    code_.kortestw(x86::k0, x86::k1);
    code_.jnz(bail);
    for (int part = 0; part < 2; ++part) {
        code_.vptestmd(wrong[part], kTemporary[part], constants_.word(std::uint32_t(copy.bytes) - 1));
        code_.vmovdqu32(x86::ptr(x86::r8, int(offsetof(Batch, offset)) + 64 * part), kTemporary[part]);
    }
    code_.kortestw(x86::k0, x86::k1);
    code_.jnz(bail);
}

// Lanes of 8 or 16 bytes, a row of them; of those that do not read, 0.
void CopyCode::take_rows(const AsyncCopy& copy, ForLanes lanes) {
    places_.go_to_lane_0(copy.bytes);
    const int lanes_in_a_vector = 64 / copy.bytes;
    if (lanes == ForLanes::some) {
        // A bit for each 8 bytes.
        code_.mov(x86::r9d, kActive);
        if (copy.bytes == 16) {
            code_.mov(x86::r11, 0x5555555555555555);
            code_.pdep(x86::r9, x86::r9, x86::r11);
            code_.lea(x86::r9, x86::ptr(x86::r9, x86::r9, 1));
        }
        code_.kmovq(x86::k1, x86::r9);
    }
    code_.mov(x86::r8, of_room(offsetof(Room, next)));
    for (int i = 0; i < kLanes / lanes_in_a_vector; ++i) {
        if (lanes == ForLanes::some) {
            if (i > 0) code_.kshiftrq(x86::k1, x86::k1, 8);
            code_.k(x86::k1).z();
        }
        code_.vmovdqu64(x86::zmm31, x86::ptr(x86::rax, 64 * i));
        code_.vmovdqu64(x86::ptr(x86::r8, int(offsetof(Batch, data)) + 64 * i), x86::zmm31);
    }
}

void CopyCode::take_data(const AsyncCopy& copy, ForLanes lanes, const Held& source,
                         const asmjit::Label& bail) {
    if (copy.bytes > 4) {
        places_.find_row(copy, lanes, source, bail);
        return take_rows(copy, lanes);
    }
    places_.find(copy, lanes, source, bail);
    accesses_.load_words(copy, kWords);
    code_.mov(x86::r8, of_room(offsetof(Room, next)));
    for (int part = 0; part < 2; ++part)
        code_.vmovdqu32(x86::ptr(x86::r8, int(offsetof(Batch, data)) + 64 * part), kWords.zmm(part));
}

void CopyCode::take_zeros(const AsyncCopy& copy) {
    code_.mov(x86::r8, of_room(offsetof(Room, next)));
    code_.vpxord(x86::zmm31, x86::zmm31, x86::zmm31);
    for (int i = 0; i < kLanes * copy.bytes / 64; ++i)
        code_.vmovdqu64(x86::ptr(x86::r8, int(offsetof(Batch, data)) + 64 * i), x86::zmm31);
}

// The batch that r8 points to.
void CopyCode::add(std::uint64_t lanes_and_arriving, std::uint64_t committing_and_bytes) {
    code_.mov(x86::rax, lanes_and_arriving);
    code_.mov(x86::ptr(x86::r8, int(offsetof(Batch, lanes))), x86::rax);
    code_.mov(x86::rax, committing_and_bytes);
    code_.mov(x86::ptr(x86::r8, int(offsetof(Batch, committing))), x86::rax);
    code_.add(of_room(offsetof(Room, next)), int(sizeof(Batch)));
}

void CopyCode::begin(const AsyncCopy& copy, const Held& source, const Held& target, const Held& sizes,
                     const asmjit::Label& bail) {
    const asmjit::Label taken = code_.newLabel();
    const asmjit::Label of_some = code_.newLabel();
    const bool may_be_some = sizes.slot >= 0;
    if (may_be_some) find_reading_lanes(copy, sizes, bail);
    note_targets(copy, target, bail);
    if (may_be_some) {
        code_.cmp(kActive, -1);
        code_.jne(of_some);
    }
    take_data(copy, ForLanes::all, source, bail);
    code_.bind(taken);
    add(kAllLanes, std::uint64_t(copy.bytes) << 32);
    code_.sub(of_room(offsetof(Room, bytes_left)), kLanes * copy.bytes);
    if (!may_be_some) return;
    later_.add([=, this, &copy] {
        const asmjit::Label none = code_.newLabel();
        code_.bind(of_some);
        code_.test(kActive, kActive);
        code_.jz(none);
        places_.choose_patterns();
        take_data(copy, ForLanes::some, source, bail);
        code_.mov(kPatterns, of_state(offsetof(TranslatedState, patterns)));
        code_.jmp(taken);
        code_.bind(none);
        take_zeros(copy);
        code_.jmp(taken);
    });
}

void CopyCode::commit(const asmjit::Label& bail) {
    const asmjit::Label done = code_.newLabel();
    code_.mov(x86::r8, of_room(offsetof(Room, next)));
    code_.cmp(x86::r8, of_room(offsetof(Room, first)));
    code_.je(done);  // nothing that it could end
    code_.cmp(x86::r8, of_room(offsetof(Room, end)));
    code_.je(bail);
    add(0, kAllLanes);
    code_.bind(done);
}

}  // namespace ws::simt
