#include "gpu/simt/x86_operations.h"

#include <algorithm>
#include <cstring>
#include <iterator>

namespace ws::simt {
namespace {

using asmjit::x86::Assembler;
using asmjit::x86::KReg;

// The predicates of vpcmp and vcmpps. Floats: those with U hold where a source is no number, too.
enum Whole : std::uint8_t { kEq, kLt, kLe, kNe = 4, kGe, kGt };
enum Float : std::uint8_t {
    kEqO = 0x00,
    kGeU = 0x15,
    kGtU = 0x16,
    kLtO = 0x11,
    kLeO = 0x12,
    kNeU = 0x04,
    kLtU = 0x19,
    kLeU = 0x1A,
    kGeO = 0x1D,
    kGtO = 0x1E,
    kNone = 0x03,  // either is no number
};

// Tables of vpternlog.
constexpr int kNotC = 0x55;

#define WS_COMPARES(type, instruction)                                                      \
    {"setp.lt." type, [](const Part& p) { p.code.instruction(p.k, p.a, p.b, kLt); }},       \
        {"setp.le." type, [](const Part& p) { p.code.instruction(p.k, p.a, p.b, kLe); }},   \
        {"setp.gt." type, [](const Part& p) { p.code.instruction(p.k, p.a, p.b, kGt); }},   \
        {"setp.ge." type, [](const Part& p) { p.code.instruction(p.k, p.a, p.b, kGe); }},   \
        {"setp.eq." type, [](const Part& p) { p.code.instruction(p.k, p.a, p.b, kEq); }}, { \
        "setp.ne." type, [](const Part& p) { p.code.instruction(p.k, p.a, p.b, kNe); }      \
    }
#define WS_FLOAT_COMPARE(name, which)                                                   \
    {                                                                                   \
        "setp." name ".f32", [](const Part& p) { p.code.vcmpps(p.k, p.a, p.b, which); } \
    }
#define WS_TWO(name, instruction)                                      \
    {                                                                  \
        name, [](const Part& p) { p.code.instruction(p.d, p.a, p.b); } \
    }
#define WS_ONE(name, instruction)                                 \
    {                                                             \
        name, [](const Part& p) { p.code.instruction(p.d, p.a); } \
    }
#define WS_ONE_SIGNED(name, instruction)                                \
    {                                                                   \
        name, [](const Part& p) { p.code.instruction(p.d, p.a); }, true \
    }
#define WS_LOW_BITS(name, bits)                                                      \
    {                                                                                \
        name, [](const Part& p) { p.code.vpandd(p.d, p.a, p.constants.word(bits)); } \
    }
// Of 16 bits, kept zero-extended.
#define WS_TWO_SHORT(name, instruction)                        \
    {                                                          \
        name, [](const Part& p) {                              \
            p.code.instruction(p.t, p.a, p.b);                 \
            p.code.vpandd(p.d, p.t, p.constants.word(0xFFFF)); \
        }                                                      \
    }
#define WS_SIGNED_LOW(name, bits)                 \
    {                                             \
        name, [](const Part& p) {                 \
            p.code.vpslld(p.t, p.a, 32 - (bits)); \
            p.code.vpsrad(p.d, p.t, 32 - (bits)); \
        }                                         \
    }

// A product and a sum: the product must not overwrite c.
#define WS_PRODUCT_SUM(name, product, sum) \
    {                                      \
        name, [](const Part& p) {          \
            p.code.product(p.t, p.a, p.b); \
            p.code.sum(p.d, p.t, p.c);     \
        }                                  \
    }

// Which product sum it is depends on the register that the result overwrites. Where several sources are no
// numbers, a's payload comes first, then b's.
void fused(const Part& p) {
    if (p.d == p.a) return void(p.code.vfmadd132ps(p.d, p.c, p.b));
    if (p.d == p.b) return void(p.code.vfmadd213ps(p.d, p.a, p.c));
    if (p.d != p.c) p.code.vmovaps(p.d, p.c);
    p.code.vfmadd231ps(p.d, p.a, p.b);
}

void invert(const Part& p) {
    p.code.vpternlogd(p.d, p.d, p.a, kNotC);
}

// The conversion gives 0x80000000 for all that does not fit.
void to_integer(const Part& p) {
    p.code.vcmpps(asmjit::x86::k1, p.a, p.constants.word(0x4F000000), kGeO);  // 2^31
    p.code.vcmpps(asmjit::x86::k0, p.a, p.a, kNone);
    p.code.vcvttps2dq(p.d, p.a);
    p.code.vpbroadcastd(p.t, p.constants.one_word(0x7FFFFFFF));
    p.code.k(asmjit::x86::k1).vmovdqa32(p.d, p.t);
    p.code.knotw(asmjit::x86::k1, asmjit::x86::k0);
    p.code.k(asmjit::x86::k1).z().vmovdqa32(p.d, p.d);
}

// Products of bytes: the even ones, then the odd ones, two each by one instruction.
void dot_of_bytes(const Part& p) {
    p.code.vpandd(p.t, p.a, p.constants.word(0x00FF00FF));
    p.code.vpandd(p.u, p.b, p.constants.word(0x00FF00FF));
    p.code.vpmaddwd(p.t, p.t, p.u);
    p.code.vpaddd(p.t, p.t, p.c);
    p.code.vpsrlw(p.u, p.a, 8);
    p.code.vpsrlw(asmjit::x86::zmm31, p.b, 8);
    p.code.vpmaddwd(p.u, p.u, asmjit::x86::zmm31);
    p.code.vpaddd(p.d, p.t, p.u);
}

// The bits from b on, as many as c says, both modulo 256.
void bit_field(const Part& p) {
    p.code.vpandd(p.t, p.b, p.constants.word(0xFF));
    p.code.vpsrlvd(p.t, p.a, p.t);
    p.code.vpandd(p.u, p.c, p.constants.word(0xFF));
    p.code.vpternlogd(asmjit::x86::zmm31, asmjit::x86::zmm31, asmjit::x86::zmm31, 0xFF);
    p.code.vpsllvd(p.u, asmjit::x86::zmm31, p.u);
    p.code.vpandnd(p.d, p.u, p.t);
}

// The four bytes that the digits of c name, out of a's and b's; digits from 8 on copy the sign.
void permute(const Part& p) {
    using asmjit::x86::k0, asmjit::x86::k1, asmjit::x86::zmm30, asmjit::x86::zmm31;
    // A digit to each byte.
    p.code.vpandd(p.u, p.c, p.constants.word(0xFFFF));
    p.code.vpslld(p.t, p.u, 8);
    p.code.vpord(p.t, p.t, p.u);
    p.code.vpandd(p.t, p.t, p.constants.word(0x00FF00FF));
    p.code.vpslld(p.u, p.t, 4);
    p.code.vpord(p.t, p.t, p.u);
    p.code.vpandd(p.t, p.t, p.constants.word(0x0F0F0F0F));
    // Bytes are chosen out of 16: those of the lane itself.
    p.code.vbroadcasti32x4(p.u, p.constants.bytes(0x0404040400000000, 0x0C0C0C0C08080808));
    p.code.vpandd(zmm31, p.t, p.constants.word(0x03030303));
    p.code.vpord(p.u, p.u, zmm31);
    p.code.vpbroadcastd(zmm31, p.constants.one_word(0x04040404));
    p.code.vptestmb(k1, p.t, zmm31);
    p.code.vpshufb(zmm30, p.a, p.u);
    p.code.k(k1).vpshufb(zmm30, p.b, p.u);
    p.code.vpbroadcastd(zmm31, p.constants.one_word(0x08080808));
    p.code.vptestmb(k1, p.t, zmm31);
    p.code.vpmovb2m(k0, zmm30);
    p.code.vpmovm2b(p.u, k0);
    p.code.k(k1).vmovdqu8(zmm30, p.u);
    p.code.vmovdqa32(p.d, zmm30);
}

// ---- with constants

using Known = ConstantCode::Known;

// No digit copies a sign.
bool suits_permute(Known /*b*/, Known c) {
    return c && (*c & 0x8888) == 0;
}

// The byte that a digit of the selector names: of a 0 to 3, of b 4 to 7.
std::uint32_t digit(std::uint32_t selector, int byte) {
    return selector >> (4 * byte) & 0xF;
}

// Of each lane the bytes of the one source, or 0: what vpshufb takes.
asmjit::x86::Mem choice_of(const Part& p, std::uint32_t selector, std::uint32_t first_digit) {
    std::array<std::uint8_t, 16> chosen{};
    for (int i = 0; i < 16; ++i) {
        const std::uint32_t named = digit(selector, i % 4);
        const bool here = named / 4 == first_digit / 4;
        chosen[std::size_t(i)] = here ? std::uint8_t(i / 4 * 4 + int(named % 4)) : 0x80;
    }
    std::array<std::uint64_t, 2> words{};
    std::memcpy(words.data(), chosen.data(), sizeof words);
    return p.constants.bytes(words[0], words[1]);
}

void permute_as_known(const Part& p, Known b, Known c) {
    p.code.vbroadcasti32x4(p.t, choice_of(p, *c, 0));
    if (!b) {
        p.code.vbroadcasti32x4(p.u, choice_of(p, *c, 4));
        p.code.vpshufb(p.u, p.b, p.u);
        p.code.vpshufb(p.t, p.a, p.t);
        return void(p.code.vpord(p.d, p.t, p.u));
    }
    std::uint32_t added = 0;
    for (int byte = 0; byte < 4; ++byte) {
        const std::uint32_t named = digit(*c, byte);
        if (named >= 4) added |= (*b >> (8 * (named % 4)) & 0xFF) << (8 * byte);
    }
    p.code.vpshufb(p.d, p.a, p.t);
    if (added != 0) p.code.vpord(p.d, p.d, p.constants.word(added));
}

// The instruction takes the second source's bytes as signed.
bool suits_dot(Known b, Known /*c*/) {
    static const bool has = asmjit::CpuInfo::host().features().x86().hasAVX512_VNNI();
    return has && b && (*b & 0x80808080) == 0;
}

void dot_as_known(const Part& p, Known b, Known c) {
    if (c && *c == 0)
        p.code.vpxord(p.t, p.t, p.t);
    else
        p.code.vmovdqa32(p.t, p.c);
    p.code.vpdpbusd(p.t, p.a, p.constants.word(*b));
    p.code.vmovdqa32(p.d, p.t);
}

constexpr ConstantCode kConstantCodes[] = {
    {"prmt.32", &suits_permute, [](Known b) { return !b; }, [](Known) { return false; }, &permute_as_known},
    {"dp4a.u32.u32", &suits_dot, [](Known) { return false; }, [](Known c) { return c != 0u; }, &dot_as_known},
};

// ---- the tables

constexpr LaneCode kLaneCodes[] = {
    WS_ONE("mov.32", vmovdqa32),
    WS_ONE("mov.64", vmovdqa64),
    WS_TWO("add.32", vpaddd),
    WS_TWO("add.64", vpaddq),
    WS_TWO_SHORT("add.16", vpaddd),
    WS_TWO("sub.32", vpsubd),
    WS_TWO("sub.64", vpsubq),
    WS_TWO_SHORT("sub.16", vpsubd),
    WS_TWO("mul.lo.32", vpmulld),
    WS_TWO("mul.lo.64", vpmullq),
    WS_TWO_SHORT("mul.lo.16", vpmulld),
    WS_PRODUCT_SUM("mad.lo.32", vpmulld, vpaddd),
    WS_PRODUCT_SUM("mad.lo.64", vpmullq, vpaddq),
    WS_TWO("mul.wide.u32", vpmuludq),
    {"mul.wide.s32", [](const Part& p) { p.code.vpmuldq(p.d, p.a, p.b); }, true},
    WS_TWO("mul.wide.u16", vpmulld),
    WS_PRODUCT_SUM("mad.wide.u32", vpmuludq, vpaddq),
    {"mad.wide.s32",
     [](const Part& p) {
         p.code.vpmuldq(p.t, p.a, p.b);
         p.code.vpaddq(p.d, p.t, p.c);
     },
     true},
    WS_PRODUCT_SUM("mad.wide.u16", vpmulld, vpaddd),
    WS_TWO("min.s32", vpminsd),
    WS_TWO("max.s32", vpmaxsd),
    WS_TWO("min.u32", vpminud),
    WS_TWO("max.u32", vpmaxud),
    {"neg.s32",
     [](const Part& p) {
         p.code.vpxord(p.t, p.t, p.t);
         p.code.vpsubd(p.d, p.t, p.a);
     }},
    {"neg.s64",
     [](const Part& p) {
         p.code.vpxord(p.t, p.t, p.t);
         p.code.vpsubq(p.d, p.t, p.a);
     }},
    WS_ONE("abs.s32", vpabsd),
    WS_TWO("and.32", vpandd),
    WS_TWO("or.32", vpord),
    WS_TWO("xor.32", vpxord),
    WS_TWO("and.16", vpandd),
    WS_TWO("or.16", vpord),
    WS_TWO("xor.16", vpxord),
    {"not.32", &invert},
    {"not.64", &invert},
    WS_TWO("and.64", vpandq),
    WS_TWO("or.64", vporq),
    WS_TWO("xor.64", vpxorq),
    WS_TWO("shl.32", vpsllvd),
    WS_TWO("shl.64", vpsllvq),
    WS_TWO_SHORT("shl.16", vpsllvd),
    WS_TWO("shr.u32", vpsrlvd),
    WS_TWO("shr.s32", vpsravd),
    WS_TWO("shr.u64", vpsrlvq),
    WS_TWO("shr.s64", vpsravq),
    WS_TWO("shr.u16", vpsrlvd),
    {"bfe.u32", &bit_field},
    {"prmt.32", &permute},
    {"dp4a.u32.u32", &dot_of_bytes},
    WS_COMPARES("s32", vpcmpd),
    WS_COMPARES("u32", vpcmpud),
    WS_COMPARES("s64", vpcmpq),
    WS_COMPARES("u64", vpcmpuq),
    WS_FLOAT_COMPARE("lt", kLtO),
    WS_FLOAT_COMPARE("le", kLeO),
    WS_FLOAT_COMPARE("gt", kGtO),
    WS_FLOAT_COMPARE("ge", kGeO),
    WS_FLOAT_COMPARE("eq", kEqO),
    WS_FLOAT_COMPARE("neu", kNeU),
    WS_FLOAT_COMPARE("geu", kGeU),
    WS_FLOAT_COMPARE("gtu", kGtU),
    WS_FLOAT_COMPARE("leu", kLeU),
    WS_FLOAT_COMPARE("ltu", kLtU),
    {"selp.32", [](const Part& p) { p.code.k(p.k).vpblendmd(p.d, p.b, p.a); }},
    {"selp.16", [](const Part& p) { p.code.k(p.k).vpblendmd(p.d, p.b, p.a); }},
    {"selp.64", [](const Part& p) { p.code.k(p.k).vpblendmq(p.d, p.b, p.a); }},
    WS_ONE("cvt.u32.u16", vmovdqa32),
    WS_LOW_BITS("cvt.u32.u8", 0xFF),
    WS_SIGNED_LOW("cvt.s32.s16", 16),
    WS_SIGNED_LOW("cvt.s32.s8", 8),
    WS_LOW_BITS("cvt.u16.u32", 0xFFFF),
    WS_ONE("cvt.u64.u32", vmovdqa64),
    WS_ONE_SIGNED("cvt.s64.s32", vmovdqa64),
    WS_ONE("cvt.rn.f32.s32", vcvtdq2ps),
    WS_ONE("cvt.rn.f32.u32", vcvtudq2ps),
    WS_ONE("cvt.rn.f32.u16", vcvtdq2ps),
    {"cvt.rn.f32.u8",
     [](const Part& p) {
         p.code.vpandd(p.t, p.a, p.constants.word(0xFF));
         p.code.vcvtdq2ps(p.d, p.t);
     }},
    {"cvt.rzi.s32.f32", &to_integer},
    WS_TWO("add.f32", vaddps),
    WS_TWO("sub.f32", vsubps),
    WS_TWO("mul.f32", vmulps),
    WS_TWO("div.f32", vdivps),
    {"fma.f32", &fused},
    WS_ONE("sqrt.f32", vsqrtps),
    {"neg.f32", [](const Part& p) { p.code.vpxord(p.d, p.a, p.constants.word(0x80000000)); }},
    {"abs.f32", [](const Part& p) { p.code.vpandd(p.d, p.a, p.constants.word(0x7FFFFFFF)); }},
};

// The code, for an instruction that rounds as the modifiers say.
Assembler& rounding(const Part& p) {
    switch (p.modifiers.rounding) {
        case 1:
            return p.code.rz_sae();
        case 2:
            return p.code.rd_sae();
        case 3:
            return p.code.ru_sae();
        default:
            return p.code.rn_sae();
    }
}

// A number beats no number, and -0 is below +0.
void lesser(const Part& p) {
    p.code.vminps(p.d, p.a, p.b);
    p.code.vcmpps(asmjit::x86::k1, p.a, p.b, kEqO);
    p.code.k(asmjit::x86::k1).vorps(p.d, p.a, p.b);
    p.code.vcmpps(asmjit::x86::k1, p.b, p.b, kNone);
    p.code.k(asmjit::x86::k1).vmovaps(p.d, p.a);
}
void greater(const Part& p) {
    p.code.vmaxps(p.d, p.a, p.b);
    p.code.vcmpps(asmjit::x86::k1, p.a, p.b, kEqO);
    p.code.k(asmjit::x86::k1).vandps(p.d, p.a, p.b);
    p.code.vcmpps(asmjit::x86::k1, p.b, p.b, kNone);
    p.code.k(asmjit::x86::k1).vmovaps(p.d, p.a);
}

void reciprocal(const Part& p) {
    p.code.vbroadcastss(p.t, p.constants.one_word(0x3F800000));
    rounding(p).vdivps(p.d, p.t, p.a);
}

constexpr FloatCode kFloatCodes[] = {
    {"add.f32", [](const Part& p) { rounding(p).vaddps(p.d, p.a, p.b); }},
    {"sub.f32", [](const Part& p) { rounding(p).vsubps(p.d, p.a, p.b); }},
    {"mul.f32", [](const Part& p) { rounding(p).vmulps(p.d, p.a, p.b); }},
    {"div.f32", [](const Part& p) { rounding(p).vdivps(p.d, p.a, p.b); }},
    {"fma.f32",
     [](const Part& p) {
         p.code.vmovaps(p.d, p.c);
         rounding(p).vfmadd231ps(p.d, p.a, p.b);
     }},
    {"min.f32", &lesser},
    {"max.f32", &greater},
    {"neg.f32", [](const Part& p) { p.code.vxorps(p.d, p.a, p.constants.word(0x80000000)); }},
    {"abs.f32", [](const Part& p) { p.code.vandps(p.d, p.a, p.constants.word(0x7FFFFFFF)); }},
    {"sqrt.f32", [](const Part& p) { rounding(p).vsqrtps(p.d, p.a); }},
    {"sqrt.approx.f32", [](const Part& p) { rounding(p).vsqrtps(p.d, p.a); }},
    {"rcp.f32", &reciprocal},
    {"rcp.approx.f32", &reciprocal},
};

constexpr PredicateCode kPredicateCodes[] = {
    {"mov.pred", [](Assembler& code, const KReg& d, const KReg& a, const KReg&) { code.kmovd(d, a); }},
    {"not.pred", [](Assembler& code, const KReg& d, const KReg& a, const KReg&) { code.knotd(d, a); }},
    {"and.pred", [](Assembler& code, const KReg& d, const KReg& a, const KReg& b) { code.kandd(d, a, b); }},
    {"or.pred", [](Assembler& code, const KReg& d, const KReg& a, const KReg& b) { code.kord(d, a, b); }},
    {"xor.pred", [](Assembler& code, const KReg& d, const KReg& a, const KReg& b) { code.kxord(d, a, b); }},
};

// Two tables have operations of the same names: `plain` is the one that the entries stand for.
template <typename Table>
auto find_in(const Table& table, const Operation& operation, const Operation* plain) -> decltype(&table[0]) {
    if (plain != &operation) return nullptr;
    const auto found = std::find_if(std::begin(table), std::end(table),
                                    [&](const auto& entry) { return entry.key == operation.key; });
    return found != std::end(table) ? &*found : nullptr;
}

}  // namespace

const asmjit::Label& ConstantPool::label(Bits bits) {
    const auto [known, is_new] = labels_.try_emplace(bits);
    if (is_new) known->second = code_.newLabel();
    return known->second;
}

asmjit::x86::Mem ConstantPool::word(std::uint32_t bits) {
    return asmjit::x86::ptr(label({bits, 0}), 0, 4)._1to16();
}

asmjit::x86::Mem ConstantPool::one_word(std::uint32_t bits) {
    return asmjit::x86::ptr(label({bits, 0}), 0, 4);
}

asmjit::x86::Mem ConstantPool::wide(std::uint64_t bits) {
    return asmjit::x86::ptr(label({bits, 0}), 0, 8)._1to8();
}

asmjit::x86::Mem ConstantPool::bytes(std::uint64_t low, std::uint64_t high) {
    return asmjit::x86::ptr(label({low, high}), 0, 16);
}

asmjit::x86::Mem ConstantPool::lanes(const std::array<std::uint32_t, kLanes>& of, int part) {
    const auto [known, is_new] = lanes_.try_emplace(of);
    if (is_new) known->second = code_.newLabel();
    return asmjit::x86::ptr(known->second, 64 * part, 64);
}

void ConstantPool::emit() {
    code_.align(asmjit::AlignMode::kData, 64);
    for (const auto& [of, label] : lanes_) {
        code_.bind(label);
        code_.embed(of.data(), sizeof of);
    }
    code_.align(asmjit::AlignMode::kData, 16);
    for (const auto& [bits, label] : labels_) {
        code_.bind(label);
        code_.embed(&bits.first, sizeof bits.first);
        code_.embed(&bits.second, sizeof bits.second);
    }
}

const LaneCode* find_lane_code(const Operation& operation) {
    return find_in(kLaneCodes, operation, find_vector_operation(operation.key));
}

const ConstantCode* find_constant_code(const Operation& operation) {
    return find_in(kConstantCodes, operation, find_vector_operation(operation.key));
}

const FloatCode* find_float_code(const Operation& operation) {
    return find_in(kFloatCodes, operation, find_float_operation(operation.key));
}

const PredicateCode* find_predicate_code(const Operation& operation) {
    return find_in(kPredicateCodes, operation, find_vector_operation(operation.key));
}

}  // namespace ws::simt
