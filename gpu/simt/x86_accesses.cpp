#include "gpu/simt/x86_accesses.h"

#include <cstdint>

namespace ws::simt {
namespace {

namespace x86 = asmjit::x86;

// Small elements of one word: it is loaded, then taken apart.
bool is_word_of_several(const MemoryAccess& m) {
    return m.count > 1 && m.whole_bytes() == 4;
}
const Held kWord{-1, 2, {26, 27, 0, 0}, false};

}  // namespace

// Of some lanes, those of k1: the others' memory is not touched.
void AccessCode::load_row(const x86::Vec& d, const x86::Mem& from, int bytes, bool is_signed) {
    if (places_.for_some()) code_.k(x86::k1).z();
    if (bytes == 8) return void(code_.vmovdqu64(d, from));
    if (bytes == 4) return void(code_.vmovdqu32(d, from));
    if (bytes == 2) return void(is_signed ? code_.vpmovsxwd(d, from) : code_.vpmovzxwd(d, from));
    if (is_signed)
        code_.vpmovsxbd(d, from);
    else
        code_.vpmovzxbd(d, from);
}

void AccessCode::store_row(const x86::Mem& to, const x86::Vec& s, int bytes) {
    if (places_.for_some()) code_.k(x86::k1);
    if (bytes == 8) return void(code_.vmovdqu64(to, s));
    if (bytes == 4) return void(code_.vmovdqu32(to, s));
    if (bytes == 2) return void(code_.vpmovdw(to, s));
    code_.vpmovdb(to, s);
}

// The words of all lanes, `at` bytes behind each one's address.
void AccessCode::gather(const MemoryAccess& m, const Held& d, int at) {
    for (int part = 0; part < d.parts; ++part) {
        const x86::Mem distances =
            places_.of_pattern(m, offsetof(AccessPattern, narrow) + std::size_t(128 / d.parts * part));
        if (places_.for_some())
            places_.mask_part(part, d.parts);
        else
            code_.kxnorw(x86::k1, x86::k1, x86::k1);
        if (d.parts == 2) {
            code_.vmovdqu32(kTemporary[4], distances);
            code_.k(x86::k1).vpgatherdd(d.zmm(part), x86::ptr(x86::rax, kTemporary[4], 0, at));
        } else {
            code_.vmovdqu32(kTemporary[4].ymm(), distances);
            code_.k(x86::k1).vpgatherdq(d.zmm(part), x86::ptr(x86::rax, kTemporary[4].ymm(), 0, at));
        }
    }
}

void AccessCode::scatter(const MemoryAccess& m, const Held& s, int at) {
    for (int part = 0; part < s.parts; ++part) {
        const x86::Mem distances =
            places_.of_pattern(m, offsetof(AccessPattern, narrow) + std::size_t(128 / s.parts * part));
        if (places_.for_some())
            places_.mask_part(part, s.parts);
        else
            code_.kxnorw(x86::k1, x86::k1, x86::k1);
        if (s.parts == 2) {
            code_.vmovdqu32(kTemporary[4], distances);
            code_.k(x86::k1).vpscatterdd(x86::ptr(x86::rax, kTemporary[4], 0, at), s.zmm(part));
        } else {
            code_.vmovdqu32(kTemporary[4].ymm(), distances);
            code_.k(x86::k1).vpscatterdq(x86::ptr(x86::rax, kTemporary[4].ymm(), 0, at), s.zmm(part));
        }
    }
}

// One element of so many bytes a lane. Rows are the usual case.
void AccessCode::load_one(const MemoryAccess& m, const Held& d, int bytes, bool is_signed) {
    const asmjit::Label otherwise = code_.newLabel();
    const asmjit::Label done = code_.newLabel();
    code_.mov(x86::r9d,
              places_.of_pattern(m, offsetof(AccessPattern, near_place) + offsetof(NearPlace, shape)));
    code_.test(x86::r9d, x86::r9d);
    code_.jnz(otherwise);
    places_.go_to_lane_0(bytes);
    for (int part = 0; part < d.parts; ++part) {
        if (places_.for_some()) places_.mask_part(part, d.parts);
        load_row(d.zmm(part), x86::ptr(x86::rax, part * kLanes / d.parts * bytes), bytes, is_signed);
    }
    code_.bind(done);
    later_.add([=, this, &m, lanes = places_.lanes()] {
        places_.go_on_for(lanes);
        code_.bind(otherwise);
        load_otherwise(m, d, bytes, is_signed);
        code_.jmp(done);
    });
}

// 64 bytes of quads, the 4 lanes from that one on. Behind the last lane's word nothing is read, unless a lane
// has all four.
void AccessCode::load_quad_vector(const x86::Zmm& to, int lane, bool whole) {
    if (lane == kLanes - 4 && !whole) {
        code_.mov(x86::r8d, 0x1FFF);
        code_.kmovw(x86::k1, x86::r8d);
        code_.k(x86::k1).z();
    }
    code_.vmovdqu32(to, x86::ptr(x86::rax, 16 * lane));
}

// Words of quads: the first of each, or, a value each, all four.
void AccessCode::load_quads(std::span<const Held> values) {
    const bool whole = values.size() > 1;
    const x86::Zmm made[] = {kTemporary[4], x86::zmm31};
    for (int part = 0; part < 2; ++part) {
        for (int i = 0; i < 4 && whole; ++i) load_quad_vector(kTemporary[i], 16 * part + 4 * i, whole);
        for (std::size_t e = 0; e < values.size(); ++e) {
            std::array<std::uint32_t, kLanes> chosen{};
            for (std::size_t i = 0; i < 8; ++i) chosen[i] = std::uint32_t(4 * i + e);
            for (int half = 0; half < 2; ++half) {
                // A single value may be the first two temporaries.
                const x86::Zmm* from = whole ? &kTemporary[2 * half] : &kTemporary[2];
                for (int i = 0; i < 2 && !whole; ++i)
                    load_quad_vector(from[i], 16 * part + 8 * half + 4 * i, whole);
                code_.vmovdqa64(made[half], constants_.lanes(chosen, 0));
                code_.vpermi2d(made[half], from[0], from[1]);
            }
            code_.vinserti64x4(values[e].zmm(part), made[0], made[1].ymm(), 1);
        }
    }
}

// Every 8 lanes for themselves.
void AccessCode::load_rows(const MemoryAccess& m, const Held& d, int bytes, bool is_signed,
                           const asmjit::Label& rows, const asmjit::Label& done) {
    code_.bind(rows);
    const auto row = [&](int lane) {
        code_.mov(x86::r8, places_.of_pattern(m, offsetof(AccessPattern, relative) + std::size_t(8 * lane)));
        return x86::ptr(x86::rax, x86::r8);
    };
    for (int part = 0; part < d.parts; ++part) {
        if (d.parts == 4) {
            load_row(d.zmm(part), row(8 * part), bytes, is_signed);
            continue;
        }
        load_row(d.ymm(part), row(16 * part), bytes, is_signed);
        load_row(kTemporary[4].ymm(), row(16 * part + 8), bytes, is_signed);
        code_.vinserti64x4(d.zmm(part), d.zmm(part), kTemporary[4].ymm(), 1);
    }
    code_.jmp(done);
}

void AccessCode::load_otherwise(const MemoryAccess& m, const Held& d, int bytes, bool is_signed) {
    const asmjit::Label done = code_.newLabel();
    const asmjit::Label rows = code_.newLabel();
    const asmjit::Label quads = code_.newLabel();
    const asmjit::Label scattered = code_.newLabel();
    code_.cmp(x86::r9d, int(AccessShape::rows_of_8));
    if (!places_.for_some()) code_.je(rows);
    code_.ja(places_.for_some() || bytes != 4 ? scattered : quads);
    // One address for all lanes.
    if (bytes == 8) {
        code_.vpbroadcastq(d.zmm(0), x86::qword_ptr(x86::rax));
    } else if (bytes == 4) {
        code_.vpbroadcastd(d.zmm(0), x86::dword_ptr(x86::rax));
    } else {
        const x86::Mem from = x86::ptr(x86::rax, 0, std::uint32_t(bytes));
        if (is_signed)
            code_.movsx(x86::r8d, from);
        else
            code_.movzx(x86::r8d, from);
        code_.vpbroadcastd(d.zmm(0), x86::r8d);
    }
    for (int part = 1; part < d.parts; ++part) code_.vmovdqa64(d.zmm(part), d.zmm(0));
    code_.jmp(done);
    if (!places_.for_some()) load_rows(m, d, bytes, is_signed, rows, done);
    if (!places_.for_some() && bytes == 4) {
        code_.bind(quads);
        code_.cmp(x86::r9d, int(AccessShape::quads));
        code_.jne(scattered);
        load_quads({&d, 1});
        code_.jmp(done);
    }
    code_.bind(scattered);
    gather(m, d, 0);
    for (int part = 0; part < d.parts && bytes < 4; ++part) {
        code_.vpslld(d.zmm(part), d.zmm(part), 32 - 8 * bytes);
        if (is_signed)
            code_.vpsrad(d.zmm(part), d.zmm(part), 32 - 8 * bytes);
        else
            code_.vpsrld(d.zmm(part), d.zmm(part), 32 - 8 * bytes);
    }
    code_.bind(done);
}

void AccessCode::store_rows(const MemoryAccess& m, const Held& s, int bytes) {
    for (int part = 0; part < 2; ++part) {
        for (int half = 0; half < 2; ++half) {
            x86::Ymm lanes = s.ymm(part);
            if (half != 0) {
                lanes = kTemporary[4].ymm();
                code_.vextracti64x4(lanes, s.zmm(part), 1);
            }
            const int first = 16 * part + 8 * half;
            code_.mov(x86::r8,
                      places_.of_pattern(m, offsetof(AccessPattern, relative) + std::size_t(8 * first)));
            store_row(x86::ptr(x86::rax, x86::r8), lanes, bytes);
        }
    }
}

// Values of less than a word go lane by lane.
void AccessCode::store_small(const MemoryAccess& m, const Held& s, int bytes) {
    for (int part = 0; part < 2; ++part)
        code_.vmovdqa64(x86::ptr(kState, int(offsetof(TranslatedState, room)) + 64 * part), s.zmm(part));
    code_.lea(x86::r8, places_.of_pattern(m, offsetof(AccessPattern, relative)));
    if (places_.for_some())
        code_.mov(x86::r9d, kActive);
    else
        code_.mov(x86::r9d, kAllLanes);
    code_.call(small_stores_[std::size_t(bytes / 2)]);
    code_.mov(kPatterns, x86::ptr(kState, offsetof(TranslatedState, patterns)));
    code_.mov(kPasses, x86::ptr(kState, offsetof(TranslatedState, passes)));
}

void AccessCode::store_otherwise(const MemoryAccess& m, const Held& s, int bytes) {
    if (places_.for_some()) return store_small(m, s, bytes);
    const asmjit::Label scattered = code_.newLabel();
    const asmjit::Label done = code_.newLabel();
    code_.cmp(x86::r9d, int(AccessShape::rows_of_8));
    code_.jne(scattered);
    store_rows(m, s, bytes);
    code_.jmp(done);
    code_.bind(scattered);
    store_small(m, s, bytes);
    code_.bind(done);
}

// The values in the state's room go to rax and the distances that r8 points to, for the lanes of r9.
void AccessCode::emit_small_stores(int bytes) {
    constexpr int kRoom = int(offsetof(TranslatedState, room));
    const asmjit::Label next = code_.newLabel();
    code_.bind(small_stores_[std::size_t(bytes / 2)]);
    code_.bind(next);
    code_.tzcnt(x86::ecx, x86::r9d);
    code_.mov(x86::rsi, x86::ptr(x86::r8, x86::rcx, 3));
    code_.mov(x86::ecx, x86::ptr(kState, x86::rcx, 2, kRoom));
    if (bytes == 1)
        code_.mov(x86::ptr(x86::rax, x86::rsi), x86::cl);
    else
        code_.mov(x86::ptr(x86::rax, x86::rsi), x86::cx);
    code_.blsr(x86::r9d, x86::r9d);
    code_.jnz(next);
    code_.ret();
}

void AccessCode::emit_subroutines() {
    emit_small_stores(1);
    emit_small_stores(2);
}

// The shape is in r9.
void AccessCode::store_one(const MemoryAccess& m, const Held& s, int bytes) {
    const asmjit::Label otherwise = code_.newLabel();
    const asmjit::Label done = code_.newLabel();
    code_.test(x86::r9d, x86::r9d);
    code_.jnz(otherwise);
    places_.go_to_lane_0(bytes);
    for (int part = 0; part < s.parts; ++part) {
        if (places_.for_some()) places_.mask_part(part, s.parts);
        store_row(x86::ptr(x86::rax, part * kLanes / s.parts * bytes), s.zmm(part), bytes);
    }
    code_.bind(done);
    later_.add([=, this, &m, lanes = places_.lanes()] {
        places_.go_on_for(lanes);
        code_.bind(otherwise);
        if (bytes >= 4)
            scatter(m, s, 0);
        else
            store_otherwise(m, s, bytes);
        code_.jmp(done);
    });
}

// Four words a lane, all in a row, are usual.
void AccessCode::load_several(const MemoryAccess& m, std::span<const Held> values) {
    const auto gather_all = [=, this, &m](std::span<const Held> of) {
        for (std::size_t e = 0; e < of.size(); ++e) gather(m, of[e], int(e) * m.bytes);
    };
    if (places_.for_some() || m.count != 4 || m.bytes != 4) return gather_all(values);
    const asmjit::Label otherwise = code_.newLabel();
    const asmjit::Label done = code_.newLabel();
    places_.bail_unless_row(m, otherwise);
    load_quads(values);
    code_.bind(done);
    later_.add([=, this, of = std::vector<Held>(values.begin(), values.end())] {
        places_.go_on_for(ForLanes::all);
        code_.bind(otherwise);
        gather_all(of);
        code_.jmp(done);
    });
}

void AccessCode::load_words(const MemoryAccess& m, const Held& d) {
    load_one(m, d, 4, false);
    for (int part = 0; part < 2 && places_.for_some(); ++part) {
        places_.mask_part(part, 2);
        code_.k(x86::k1).z().vmovdqa32(d.zmm(part), d.zmm(part));
    }
}

void AccessCode::load(const MemoryAccess& m, ForLanes lanes, const Held& base, std::span<const Held> values,
                      bool is_signed, const asmjit::Label& bail) {
    places_.find(m, lanes, base, bail);
    if (m.count == 1) return load_one(m, values[0], m.bytes, is_signed);
    if (!is_word_of_several(m)) return load_several(m, values);
    load_one(m, kWord, 4, false);
    for (std::size_t e = 0; e < m.count; ++e) {
        const int above = 32 - 8 * m.bytes * int(e + 1);
        for (int part = 0; part < 2; ++part) {
            const x86::Zmm d = values[e].zmm(part);
            code_.vpslld(d, kWord.zmm(part), above);
            if (is_signed)
                code_.vpsrad(d, d, 32 - 8 * m.bytes);
            else
                code_.vpsrld(d, d, 32 - 8 * m.bytes);
        }
    }
}

void AccessCode::store(const MemoryAccess& m, ForLanes lanes, const Held& base, std::span<const Held> values,
                       const asmjit::Label& bail) {
    places_.begin(m, lanes, bail);
    // One address for several lanes is written by the last one.
    code_.mov(x86::r9d,
              places_.of_pattern(m, offsetof(AccessPattern, near_place) + offsetof(NearPlace, shape)));
    code_.cmp(x86::r9d, int(AccessShape::same));
    code_.je(bail);
    places_.find_place(m, base, bail);
    if (m.count == 1) return store_one(m, values[0], m.bytes);
    if (!is_word_of_several(m)) {
        for (std::size_t e = 0; e < m.count; ++e) scatter(m, values[e], int(e) * m.bytes);
        return;
    }
    for (int part = 0; part < 2; ++part) {
        for (std::size_t e = 0; e < m.count; ++e) {
            const x86::Zmm to = e == 0 ? kWord.zmm(part) : kTemporary[2];
            code_.vpslld(to, values[e].zmm(part), 32 - 8 * m.bytes);
            code_.vpsrld(to, to, 32 - 8 * m.bytes * int(e + 1));
            if (e > 0) code_.vpord(kWord.zmm(part), kWord.zmm(part), to);
        }
    }
    store_one(m, kWord, 4);
}

}  // namespace ws::simt
