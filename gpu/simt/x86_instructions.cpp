#include "gpu/simt/x86_instructions.h"

#include <string_view>

#include "gpu/simt/x86_shuffles.h"

namespace ws::simt {

namespace x86 = asmjit::x86;

void InstructionCode::lanes(const Instruction& i, const LaneCode& how) {
    const std::string_view layout = i.operation->layout;
    const int parts = layout.find('8') != std::string_view::npos ? 4 : 2;
    const auto parts_of = [](char width) { return width == 'p' ? 1 : width == '8' ? 4 : 2; };
    const std::int32_t offsets[] = {i.a, i.b, i.c};
    Held sources[3];
    for (std::size_t s = 1; s < layout.size(); ++s)
        sources[s - 1] = frame_.use(offsets[s - 1], parts_of(layout[s]));
    const Held d = frame_.make(i.d, parts_of(layout[0]));
    // Of a source narrower than the parts, the lanes of this one.
    const auto source = [&](std::size_t s, int part) {
        const Held& from = sources[s];
        if (from.slot < 0 || from.is_predicate()) return x86::zmm0;
        if (from.parts == parts) return from.zmm(part);
        const x86::Zmm wider = kTemporary[s];
        x86::Ymm half = from.ymm(part / 2);
        if (part % 2 != 0) {
            half = wider.ymm();
            code_.vextracti64x4(half, from.zmm(part / 2), 1);
        }
        if (how.extends_sign)
            code_.vpmovsxdq(wider, half);
        else
            code_.vpmovzxdq(wider, half);
        return wider;
    };
    for (int part = 0; part < parts; ++part) {
        Part one{code_,           constants_,      d.is_predicate() ? x86::zmm0 : d.zmm(part),
                 source(0, part), source(1, part), source(2, part),
                 kTemporary[2],   kTemporary[3],   x86::k0};
        if (sources[2].is_predicate() && sources[2].slot >= 0) {
            one.k = x86::k1;
            if (part == 0)
                code_.kmovd(x86::k1, sources[2].k());
            else
                code_.kshiftrd(x86::k1, sources[2].k(), part * 32 / parts);
        }
        if (d.is_predicate() && part % 2 != 0) one.k = x86::k1;
        how.emit(one);
        if (!d.is_predicate() || part % 2 == 0) continue;
        // Two parts' answers side by side.
        if (parts == 2) {
            code_.kunpckwd(d.k(), x86::k1, x86::k0);
        } else if (part == 1) {
            code_.kunpckbw(d.k(), x86::k1, x86::k0);
        } else {
            code_.kunpckbw(x86::k1, x86::k1, x86::k0);
            code_.kunpckwd(d.k(), x86::k1, d.k());
        }
    }
}

// Subnormal floats of a become 0 of their sign.
void InstructionCode::flush_subnormal(const x86::Zmm& d, const x86::Zmm& a) {
    if (d != a) code_.vmovaps(d, a);
    code_.vptestnmd(x86::k1, a, constants_.word(0x7F800000));
    code_.k(x86::k1).vandps(d, a, constants_.word(0x80000000));
}

void InstructionCode::floats(const Instruction& i, const FloatCode& how) {
    const std::int32_t offsets[] = {i.a, i.b, i.c};
    Held sources[3];
    const std::size_t count = i.operation->layout.size() - 1;
    for (std::size_t s = 0; s < count; ++s) sources[s] = frame_.use(offsets[s], 2);
    const Held d = frame_.make(i.d, 2);
    const Modifiers& modifiers = i.modifiers;
    for (int part = 0; part < 2; ++part) {
        x86::Zmm in[3];
        for (std::size_t s = 0; s < count; ++s) {
            in[s] = sources[s].zmm(part);
            if (!modifiers.flush) continue;
            flush_subnormal(kTemporary[s], in[s]);
            in[s] = kTemporary[s];
        }
        const x86::Zmm made = kTemporary[3];
        how.emit(
            {code_, constants_, made, in[0], in[1], in[2], kTemporary[4], x86::zmm31, x86::k0, modifiers});
        if (modifiers.saturate) {
            code_.vxorps(kTemporary[4], kTemporary[4], kTemporary[4]);
            code_.vcmpps(x86::k1, made, kTemporary[4], 0x1D);  // at least 0, hence a number
            code_.k(x86::k1).z().vmovaps(made, made);
            code_.vminps(made, made, constants_.word(0x3F800000));
        }
        // One NaN for all.
        code_.vcmpps(x86::k1, made, made, 0x03);
        code_.k(x86::k1).vpbroadcastd(made, constants_.one_word(0x7FFFFFFF));
        if (modifiers.flush) flush_subnormal(made, made);
        code_.vmovaps(d.zmm(part), made);
    }
}

// The lower halves of 64 bits.
void InstructionCode::halve(const Instruction& i) {
    const Held a = frame_.use(i.a, 4);
    const Held d = frame_.make(i.d, 2);
    for (int part = 0; part < 2; ++part) {
        code_.vpmovqd(d.ymm(part), a.zmm(2 * part));
        code_.vpmovqd(kTemporary[0].ymm(), a.zmm(2 * part + 1));
        code_.vinserti64x4(d.zmm(part), d.zmm(part), kTemporary[0].ymm(), 1);
    }
}

bool InstructionCode::with_constants(const Instruction& i) {
    const ConstantCode* how = find_constant_code(*i.operation);
    if (!how) return false;
    const std::optional<std::uint32_t> b = i.b >= 0 ? constant_at(i.b) : std::nullopt;
    const std::optional<std::uint32_t> c = i.c >= 0 ? constant_at(i.c) : std::nullopt;
    if (!how->suits(b, c)) return false;
    const Held sources[] = {frame_.use(i.a, 2), how->reads_b(b) ? frame_.use(i.b, 2) : Held{},
                            how->reads_c(c) ? frame_.use(i.c, 2) : Held{}};
    const Held d = frame_.make(i.d, 2);
    for (int part = 0; part < 2; ++part)
        how->emit({code_, constants_, d.zmm(part), sources[0].zmm(part), sources[1].zmm(part),
                   sources[2].zmm(part), kTemporary[2], kTemporary[3], x86::k1},
                  b, c);
    return true;
}

// Of all lanes, which all take part.
void InstructionCode::shuffle(const Instruction& i) {
    const auto& detail = detail_of<Shuffle>(i);
    const std::optional<std::uint32_t> b = constant_at(i.b);
    const std::optional<std::uint32_t> c = constant_at(i.c);
    const bool known = b && c;
    const Held a = frame_.use(i.a, 2);
    const Held moves[] = {known ? Held{} : frame_.use(i.b, 2), known ? Held{} : frame_.use(i.c, 2)};
    const Held d = frame_.make(i.d, 2);
    const Held valid = detail.valid >= 0 ? frame_.make(detail.valid, 1) : Held{};
    const x86::Zmm made[] = {kTemporary[3], kTemporary[4]};
    const x86::KReg inside[] = {x86::k0, x86::k1};
    for (int part = 0; part < 2; ++part) {
        if (known)
            code_.vmovdqa64(made[part], constants_.lanes(shuffle_sources(detail.mode, *b, *c).lanes, part));
        else
            find_shuffle_sources({code_, constants_, made[part], moves[0].zmm(part), moves[1].zmm(part),
                                  kTemporary[0], kTemporary[1], kTemporary[2], inside[part]},
                                 detail.mode, part);
        code_.vpermi2d(made[part], a.zmm(0), a.zmm(1));
    }
    for (int part = 0; part < 2; ++part) code_.vmovdqa64(d.zmm(part), made[part]);
    if (detail.valid < 0) return;
    if (!known) return void(code_.kunpckwd(valid.k(), x86::k1, x86::k0));
    code_.mov(x86::eax, shuffle_sources(detail.mode, *b, *c).inside);
    code_.kmovd(valid.k(), x86::eax);
}

void InstructionCode::predicate(const Instruction& i, const PredicateCode& how) {
    const Held a = frame_.use(i.a, 1);
    const Held b = i.b >= 0 ? frame_.use(i.b, 1) : a;
    const Held d = frame_.make(i.d, 1);
    how.emit(code_, d.k(), a.k(), b.k());
}

}  // namespace ws::simt
