// PTX as it may come from a person's inline assembly: every legal spelling runs, every suffix counts, and
// what is not right is refused with the instruction, the kernel and the line before anything runs.

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "simt_support.h"

namespace ws {
namespace {

using testing::Kernel;

using testing::refusal;
using testing::results;

TEST(SimtRefusals, NarrowConversionsReadWideRegisters) {
    WS_NEED_COMPILER();
    std::vector<long long> wide(64);
    std::vector<long long> d(64 * 5);
    for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = 0x1234'5678'9ABC'0000ll + (long long)(i * 40503);
    Kernel kernel(R"(extern "C" __global__ void k(long long* d, const long long* s) {
        int i = threadIdx.x; long long v = s[i] * 3 + s[63 - i];
        d[i] = (int)v; d[64 + i] = (short)v; d[128 + i] = (signed char)v; d[192 + i] = (unsigned char)v;
        d[256 + i] = (unsigned)v + (unsigned short)v; })",
                  "k");
    kernel.buffer(d, false).buffer(wide).run({1, 1, 1}, {64, 1, 1});
    for (std::size_t i = 0; i < 64; ++i) {
        const long long v = (long long)(std::uint64_t(wide[i]) * 3 + std::uint64_t(wide[63 - i]));
        EXPECT_EQ(d[i], (long long)(std::int32_t(v))) << i;
        EXPECT_EQ(d[64 + i], (long long)(std::int16_t(v))) << i;
        EXPECT_EQ(d[128 + i], (long long)(std::int8_t(v))) << i;
        EXPECT_EQ(d[192 + i], (long long)(std::uint8_t(v))) << i;
        EXPECT_EQ(d[256 + i], (long long)(std::uint32_t(v) + std::uint16_t(v))) << i;
    }
}

TEST(SimtRefusals, ALoopWithAWideStepEnds) {
    WS_NEED_COMPILER();
    std::vector<int> count(1);
    Kernel kernel(R"(extern "C" __global__ void k(int* count, int n, unsigned long long step) {
        for (int i = threadIdx.x; i < n; i += step) atomicAdd(count, 1); })",
                  "k");
    kernel.options().step_limit = 100'000;
    const auto outcome = kernel.buffer(count).value(1000).value(std::uint64_t(64)).run({1, 1, 1}, {64, 1, 1});
    EXPECT_FALSE(outcome.stopped);
    EXPECT_EQ(count[0], 1000);
}

// Registers of every width for every narrow type, signed or not.
TEST(SimtRefusals, ConversionsBetweenAllWidths) {
    for (const auto& [to, expected] : {std::pair{"s8", 0xFFFFFF80u},
                                       {"u8", 0x80u},
                                       {"s16", 0xFFFFBC80u},
                                       {"u16", 0xBC80u},
                                       {"s32", 0x789ABC80u},
                                       {"u32", 0x789ABC80u}}) {
        const std::string text = to;
        const std::string wide = "mov.b64 %rd3, 0x123456789ABC80;\n";
        EXPECT_EQ(results(wide + "cvt." + text + ".u64 %r7, %rd3;")[3], expected) << to;
        EXPECT_EQ(results(wide + "cvt.u32.u64 %r2, %rd3; cvt." + text + ".u32 %r7, %r2;")[3], expected) << to;
        // The type of the source is narrower than its register.
        EXPECT_EQ(results(wide + "cvt." + (text[0] == 's' ? "s64." : "u64.") + text +
                          " %rd4, %rd3; cvt.u32.u64 %r7, %rd4;")[3],
                  expected)
            << to;
        EXPECT_EQ(results(wide + "cvt.u32.u64 %r2, %rd3; cvt." + (text[0] == 's' ? "s32." : "u32.") + text +
                          " %r7, %r2;")[3],
                  expected)
            << to;
    }
    // A narrow register holds no sign above its bits.
    EXPECT_EQ(results("mov.b32 %r2, 0x80; cvt.s16.s8 %rs1, %r2; cvt.u32.u16 %r7, %rs1;")[0], 0xFF80u);
    EXPECT_EQ(results("cvt.u64.u32 %rd3, %tid.x; cvt.u32.u64 %r7, %rd3;")[9], 9u);
}

std::uint32_t bits(float value) {
    return std::bit_cast<std::uint32_t>(value);
}

TEST(SimtRefusals, ModifiersAreHonoured) {
    const auto two = [](const std::string& opcode, float a, float b) {
        return results(
            fmt::format("mov.b32 %f1, 0f{:08X}; mov.b32 %f2, 0f{:08X}; {} %f3, %f1, %f2; mov.b32 %r7, %f3;",
                        bits(a), bits(b), opcode))[0];
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(two("min.f32", -4, -6), bits(-6));
    EXPECT_EQ(two("min.xorsign.abs.f32", -4, -6), bits(4));
    EXPECT_EQ(two("min.xorsign.abs.f32", 4, -6), bits(-4));
    EXPECT_EQ(two("max.xorsign.abs.f32", -4, -6), bits(6));
    EXPECT_EQ(two("max.xorsign.abs.f32", 4, -6), bits(-6));
    EXPECT_EQ(two("max.xorsign.abs.f32", nan, -6) & 0x7FFFFFFF, bits(6));
    EXPECT_EQ(two("max.NaN.xorsign.abs.f32", nan, -6), 0x7FFFFFFFu);
    EXPECT_EQ(two("min.NaN.f32", 2, nan), 0x7FFFFFFFu);
    EXPECT_EQ(two("min.f32", 2, nan), bits(2));
    EXPECT_EQ(two("add.ftz.f32", 1e-39f, 1e-39f), 0u);
    EXPECT_EQ(two("mul.sat.f32", 3, 2), bits(1));
    const auto half = [](const std::string& opcode, float a) {
        return results(
            fmt::format("mov.b32 %f1, 0f{:08X}; {} %rs1, %f1; cvt.u32.u16 %r7, %rs1;", bits(a), opcode))[0];
    };
    EXPECT_EQ(half("cvt.rn.f16.f32", -4), 0xC400u);
    EXPECT_EQ(half("cvt.rn.relu.f16.f32", -4), 0u);
    EXPECT_EQ(half("cvt.rn.relu.f16.f32", -0.0f), 0u);
    EXPECT_EQ(half("cvt.rn.relu.f16.f32", 4), 0x4400u);
    EXPECT_EQ(half("cvt.rn.relu.f16.f32", nan), 0x7FFFu);
    EXPECT_EQ(half("cvt.rz.f16.f32", 2049.9f), 0x6800u);
    EXPECT_EQ(results("mov.f32 %f1, 1.5; mov.b32 %r7, %f1;")[0], bits(1.5f));
    EXPECT_EQ(results("mov.f64 %fd1, 2.5e-1; cvt.rn.f32.f64 %f1, %fd1; mov.b32 %r7, %f1;")[0], bits(0.25f));
    EXPECT_EQ(results("mov.f32 %f1, 0d3FF8000000000000; mov.b32 %r7, %f1;")[0], bits(1.5f));
    EXPECT_EQ(results("mov.u32 %r7, 017;")[0], 15u);
    EXPECT_EQ(results("mov.u32 %r7, 0b101;")[0], 5u);
}

TEST(SimtRefusals, MalformedAssemblyIsAnErrorWithItsLine) {
    WS_NEED_COMPILER();
    const auto message = [](const std::string& body) {
        std::string entry;
        const std::string ptx = testing::ptx_of(
            "extern \"C\" __global__ void odd(unsigned long long t, const int* a, int* o) {\n"
            "  __shared__ int s[32]; unsigned to = __cvta_generic_to_shared(s), d = 0; float f = 0;\n" +
                body + "\n  o[threadIdx.x] = s[threadIdx.x] + d + (int)f; }",
            "odd", entry, 80);
        const auto program = simt::load_program(ptx, entry);
        return program.ok() ? "" : program.message();
    };
    const auto refused = [&](const std::string& body, const std::string& opcode) {
        const std::string text = message(body);
        EXPECT_NE(text.find("'" + opcode + "'"), std::string::npos) << text;
        EXPECT_NE(text.find("kernel odd"), std::string::npos) << text;
        EXPECT_NE(text.find("line 3"), std::string::npos) << text;
    };
    const std::string copy = "cp.async.ca.shared.global";
    for (const char* size : {"0", "64", "12", "-4", "4, 8"})
        refused("asm volatile(\"" + copy + " [%0], [%1], " + size + ";\" :: \"r\"(to), \"l\"(a));", copy);
    EXPECT_EQ(message("asm volatile(\"" + copy + " [%0], [%1], 8, 4;\" :: \"r\"(to), \"l\"(a));"), "");
    refused("asm volatile(\"cp.async.cg.shared.global [%0], [%1], 4;\" :: \"r\"(to), \"l\"(a));",
            "cp.async.cg.shared.global");
    refused("asm volatile(\"dp4a.u32 %0, %1, %1, %1;\" : \"=r\"(d) : \"r\"(to));", "dp4a.u32");
    refused("asm volatile(\"tex.2d.v4.f32.f32 {%0}, [%1, {%2, %2}];\" : \"=f\"(f) : \"l\"(t), \"f\"(f));",
            "tex.2d.v4.f32.f32");
    refused(
        "asm volatile(\"tex.2d.v4.f32.f32 {%0, %0, %0, %0}, [%1, {%2}];\" : \"=f\"(f) : \"l\"(t), \"f\"(f));",
        "tex.2d.v4.f32.f32");
}

TEST(SimtRefusals, EverySuffixAndEveryOperandCounts) {
    const std::pair<const char*, const char*> cases[] = {
        // Suffixes that nobody honours.
        {"add.cc.u16 %rs1, %rs2, %rs3;", "32 or 64 bits"},
        {"add.cc.f32 %f1, %f2, %f3;", "32 or 64 bits"},
        {"add.cc.sat.s32 %r1, %r2, %r3;", ".sat"},
        {"addc.hi.u32 %r1, %r2, %r3;", ".hi"},
        {"madc.u32 %r1, %r2, %r3, %r4;", "'.lo'"},
        {"lop3.b32 %r1, %r2, %r3, %r4, 256;", "0 to 255"},
        {"lop3.b32 %r1, %r2, %r3, %r4, %r5;", "0 to 255"},
        {"lop3.u32 %r1, %r2, %r3, %r4, 1;", ".b32"},
        {"fns.u32 %r1, %r2, %r3, %r4;", ".b32"},
        {"add.sat.bf16 %rs1, %rs2, %rs3;", ".sat"},
        {"add.rz.f16 %rs1, %rs2, %rs3;", ".rz"},
        {"add.f16x2 %rs1, %rs2, %rs3;", "wrong width"},
        {"ex2.f16 %rs1, %rs2;", "'.approx'"},
        {"div.f16 %rs1, %rs2, %rs3;", "div.f16"},
        {"setp.lt.f16x2 %p1, %r1, %r2;", "p|q"},
        {"call vprintf, (handed);", "'vprintf'"},
        {"call (handed), vprintf, (handed, handed);", "8 bytes"},
        {"add.foo.u32 %r1, %r2, %r3;", "add.foo.u32"},
        {"and.rn.b32 %r1, %r2, %r3;", "and.rn.b32"},
        {"add.rn.rz.f32 %f1, %f2, %f3;", "add.rn.rz.f32"},
        {"min.relu.f32 %f1, %f2, %f3;", "min.relu.f32"},
        {"add.ftz.f64 %fd1, %fd2, %fd3;", ".ftz"},
        {"sin.approx.sat.f32 %f1, %f2;", "sin.approx.sat.f32"},
        {"prmt.b32.f5e %r1, %r2, %r3, 1;", "prmt.b32.f5e"},
        {"cvt.rn.satfinite.f16.f32 %rs1, %f1;", ".satfinite"},
        {"cvt.rn.satfinite.f16x2.f32 %r1, %f1, %f2;", ".satfinite"},
        {"cvt.f16x2.f32 %r1, %f1, %f2;", "rounding"},
        {"cvt.rn.f32.f16x2 %f1, %r1;", "pair"},
        {"cvt.f32.s32 %f1, %r1;", "rounding"},
        {"cvt.rn.s64.s32 %rd1, %r1;", ".rn"},
        {"ld.global.foo.u32 %r1, [%rd1];", ".foo"},
        {"ld.shared.nc.u32 %r1, [tile];", ".nc"},
        {"st.global.v8.f32 [%rd1], {%f1, %f2};", "2"},
        {"st.global.v2.f32 [%rd1], %f1;", "2 elements"},
        {"ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd5];", "16 bytes"},
        {"ld.global.f32 {%f1, %f2}, [%rd1];", "1 elements"},
        {"atom.global.add.f16 %rs1, [%rd1], %rs2;", "f16"},
        {"atom.global.min.noftz.f16 %rs1, [%rd1], %rs2;", "f16"},
        {"atom.global.min.f32 %f1, [%rd1], %f2;", "f32"},
        {"atom.global.and.f32 %f1, [%rd1], %f2;", "f32"},
        {"atom.const.add.u32 %r1, [%rd1], 1;", "shared"},
        {"bar.sync;", "operands"},
        {"bar.arrive 1;", "operands"},
        {"bar.sync %f1;", "bar.sync"},
        {"bar.sync.foo 0;", ".foo"},
        {"setp.lo.s32 %p1, %r1, %r2;", "'.lo'"},
        {"setp.equ.u32 %p1, %r1, %r2;", "'.equ'"},
        {"setp.foo.u32 %p1, %r1, %r2;", "'.foo'"},
        {"setp.lt.u32 %p1, %r1, %r2, %p2;", "'.and'"},
        {"setp.lt.u8 %p1, %rs1, %rs2;", "u8"},
        {"shfl.sync.b32 %r1, %r2, 1, 31, -1;", "'.idx'"},
        {"tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r1}];", "1 coordinate"},
        {"tex.3d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%rd1, {%r1, %r1, %r1, %r1}];", "tex.3d"},
        {"tex.2d.level.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f1, %f1}], %f2;", "tex.2d.level"},
        // Operands: their number, their kind, their width.
        {"add.u32 %r1, %r2;", "operand is missing"},
        {"add.u32 %r1, %r2, %r3, %r4;", "3 operands"},
        {"mov.u32 %r1;", "operand is missing"},
        {"ret 5;", "operands"},
        {"add.u32 %r1, %r2, %rd3;", "wrong width"},
        {"add.u32 %r1, %r2, %rs3;", "wrong width"},
        {"add.u16 %rs1, %r2, %rs3;", "wrong width"},
        {"add.f32 %f1, %f2, %fd3;", "wrong width"},
        {"add.u32 5, %r1, %r2;", "result"},
        {"add.u32 %p1, %r1, %r2;", "wrong width"},
        {"add.u32 %r1, !%r2, %r3;", "'!%r2'"},
        {"add.u32 %r1, %r2+4, %r3;", "added to the register"},
        {"add.u32 %r1|%p1, %r2, %r3;", "'|%p1'"},
        {"add.u32 %r1, [%rd1], %r3;", "another kind"},
        {"add.u32 {%r1, %r2}, %r2, %r3;", "result"},
        {"add.s32 %f1, %f2, %f3;", "float"},
        {"add.f32 %f1, %f2, 1;", "integer"},
        {"add.u32 %r1, %r2, 0f3F800000;", "float"},
        {"@%r1 mov.u32 %r2, 1;", "%r1"},
        {"mov.u32 %r1, %tid.w;", "%tid.w"},
        {"mov.u32 %r1, %clusterid.q;", "%clusterid.q"},
        {"mov.u32 %r1, %pmx;", "%pmx"},
        {"mov.u64 %rd1, %tid.x;", "32 bits"},
        {"mov.b64 %rd1, {%r1, %r2, %r3};", "3 elements"},
        {"mov.b32 %r1, {%r1, %r2};", "wrong width"},
        {"ld.u32 %r1, %rd1;", "address"},
        {"ld.global.u32 %r1, [%rs1];", "%rs1"},
        {"ld.global.u32 %r1, [%f1];", "%f1"},
        {"ld.global.u32 %rs1, [%rd1];", "wrong width"},
        {"ld.global.f32 %rd1, [%rd1];", "wrong width"},
        {"ld.global.u32 %r1, [tile];", "another space"},
        {"ld.u32 %r1, [own];", "another space"},
        {"ld.shared.u32 %r1, [nothing];", "'nothing'"},
        {"ld.param.u64 %rd1, [p+1];", "8 bytes"},
        {"ld.param.u32 %r1, [n-4];", "4 bytes"},
        {"ld.param.v2.u32 {%r1, %r2}, [n];", "4 bytes"},
        {"st.param.u64 [handed], %rd1;", "4 bytes"},
        {"ld.param.u32 %r1, [handed+9223372036854775807];", "4 bytes"},
        {"bra;", "operands"},
        {"bra nowhere;", "'nowhere'"},
        {"bra 5;", "label"},
        {"bra %r1;", "%r1"},
        {"brx.idx %r1, nowhere;", "branch targets"},
        {"call f, (handed);", "'f'"},
        {"wmma.mma.sync %r1, %r2;", "wmma.mma.sync"},
    };
    for (const auto& [body, named] : cases) {
        const std::string text = refusal(body);
        EXPECT_NE(text.find(named), std::string::npos) << body << "\n" << text;
        EXPECT_NE(text.find("line 17"), std::string::npos) << body << "\n" << text;
        EXPECT_NE(text.find("kernel k"), std::string::npos) << body << "\n" << text;
    }
}

TEST(SimtRefusals, LegalSpellingsRun) {
    EXPECT_EQ(results("{.reg.b32 t;mov.b32 t,%r1;add.s32 %r7,t,1;}")[4], 5u);
    EXPECT_EQ(results("{ .reg .b32 t; mov .b32 t, %r1; { .reg .b32 t; mov.b32 t, 40; add .s32 %r2, t, 2; } "
                      "add.s32 %r7, t, "
                      "%r2; }")[4],
              46u);
    EXPECT_EQ(
        results("{ .reg .u32 u<3>, w; mov.u32 u0, 1; mov.u32 u2, 2; add.u32 w, u0, u2; mov.u32 %r7, w; }")[0],
        3u);
    EXPECT_EQ(results("/* two\nlines */ mov.u32 %r7, // a comment\n 0x1FU;")[0], 31u);
    // The same label in two scopes, and in a scope inside another.
    EXPECT_EQ(results("mov.u32 %r7, 0; { bra L; add.u32 %r7, %r7, 1; L: } { bra L; add.u32 %r7, %r7, 2; L: "
                      "add.u32 %r7, %r7, "
                      "4; }")[0],
              4u);
    EXPECT_EQ(results("mov.u32 %r7, 0; { { bra L; L: add.u32 %r7, %r7, 1; } bra L; add.u32 %r7, %r7, 8; L: "
                      "add.u32 %r7, %r7, "
                      "2; }")[0],
              3u);
    EXPECT_EQ(
        results("{ .reg .pred q; setp.lt.u32 q|%p2, %r1, 4; @q mov.u32 %r7, 1; @!q mov.u32 %r7, 2; }")[5],
        2u);
    const std::string first = "setp.eq.u32 %p1, %r1, 0; @%p1 ";
    EXPECT_EQ(results(first + "st.shared.v2.b32 [tile+8], {%r1, 7}; bar.sync 0;"
                              "ld.shared.L1::evict_last.u32 %r7, [tile+12];")[31],
              7u);
    EXPECT_EQ(results("{ .shared .b32 one; .shared.align 8 .b32 two;" + first +
                      "st.shared.b32 [two], 3; bar.sync 0; ld.volatile.shared.b32 %r7, [two]; }")[0],
              3u);
    EXPECT_EQ(
        refusal(
            "ld.relaxed.gpu.global.L1::no_allocate.L2::128B.u32 %r1, [%rd1]; ld.global.nc.v2.f32 {%f1, %f2}, "
            "[%rd1+-8]; st.wt.global.u8 [%rd1-8], %r1; atom.add.acq_rel.gpu.global.u32 %r1, [%rd1], 1; "
            "ld.acquire.sys.u32 %r1, [%rd1]; st.release.cta.shared::cta.u32 [tile], 5; membar.gl; "
            "fence.acq_rel.gpu; barrier.sync.aligned 0; prefetch.global.L2 [%rd1]; nanosleep.u32 40;"),
        "");
    EXPECT_EQ(refusal("ld.s8 %rs1, [%rd1]; st.u8 [%rd1], %rd2; ld.b32 %f1, [%rd1]; cvt.rzi.u8.f32 %r1, %f1; "
                      "ld.u16 %rd1, [%rd1]; "
                      "and.b16 %rs1, %rs2, 255; selp.b16 %rs1, %rs2, 3, %p1; mul.wide.u16 %r1, %rs1, %rs2;"),
              "");
    EXPECT_EQ(refusal("cp.async.ca.shared.global.L2::128B [tile], [%rd1], 4, 2; "
                      "cp.async.cg.shared::cta.global.L2::cache_hint "
                      "[tile], [%rd1], 16, %r1, %rd2; cp.async.ca.shared.global [tile], [%rd1], 8, !%p1; "
                      "cp.async.wait_all;"),
              "");
}

TEST(SimtRefusals, SignedBytesOfParametersStayNarrow) {
    const std::string ptx =
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 .ptr .global .align 32 "
        "p, .param .s8 c)\n{\n"
        ".reg .b16 %rs<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>; ld.param.u64 %rd1, [p]; ld.param.s8 %rs1, [c]; "
        "cvt.u32.u16 %r1, %rs1; st.global.u32 [%rd1], %r1; ret; }\n";
    Kernel kernel = Kernel::from_ptx(ptx, "k");
    std::vector<std::uint32_t> d(1);
    kernel.buffer(d, false).value(std::int8_t(-2)).run({1, 1, 1}, {1, 1, 1});
    EXPECT_EQ(d[0], 0xFFFEu);
    EXPECT_EQ(kernel.launch().program->parameters[1].at, 8u);  // the alignment is that of what p points to
}

TEST(SimtRefusals, DeclarationsHaveSizesAndNames) {
    const auto both = [](const std::string& declaration) {
        const std::string text = refusal("", declaration + "\n");
        EXPECT_FALSE(text.empty()) << declaration;
        return text;
    };
    for (const char* declaration : {".shared .b8 x[99999999999];",
                                    ".shared .b8 x[4294967296][4294967296];",
                                    ".global .b8 x[-1];",
                                    ".global .align 3 .b8 x[4];",
                                    ".global .align 0 .b8 x[4];",
                                    ".global .align 1073741824 .b8 x[4];",
                                    ".global .b8 x[99999999999];",
                                    ".global .b32 x[2] = {1, 2, 3};",
                                    ".global .b32 x = 5; .global .b32 x = 6;",
                                    ".global .b32 x[1] = {x};",
                                    ".global .u64 x = nothing;",
                                    ".global .b8 x[2] = {1, {2};",
                                    ".global .b8 x[2] = 1};",
                                    ".global .b7 x;",
                                    ".global .b32 ;",
                                    ".global x;",
                                    ".global .f32 x = 1.5f;",
                                    ".shared .b32 x = 4;",
                                    ".shared .b8 x[2000000];",
                                    ".global .texref t;",
                                    "/* no end",
                                    ".file 1 \"no end\n",
                                    ".pragma \"x\"",
                                    ".address_size 32",
                                    ".visible .entry f(.param .u32 a, .param .u32 a) { ret; }"})
        EXPECT_TRUE(both(declaration).find("line ") != std::string::npos ||
                    both(declaration).find('\'') != std::string::npos)
            << both(declaration);
    for (const char* body :
         {".reg .b32 %r1;", ".reg .b32 %x<99999999999>;", ".reg .b32 %x<-1>;", ".reg .v4 .b32 %x;",
          ".reg . %x;", ".reg .q32 %x; mov.u32 %r1, 1;", "L: L: ret;", ".local .b8 big[600000];",
          ".param .b8 big[99999999];", "@%p1 .reg .b32 %x;", "mov.u32 %r1, 08;", "mov.u32 %r1, 0x;",
          "mov.u32 %r1, 99999999999999999999;", "mov.u32 %r1, 0f3F80;", "mov.b64 {{%r1, %r2}, %r3}, %rd1;",
          "call (handed), k, (handed", "foo", "} } }"})
        EXPECT_FALSE(refusal(body).empty()) << body;
    std::string deep;
    for (int i = 0; i < 100000; ++i) deep += "{";
    EXPECT_NE(refusal(deep).find("line "), std::string::npos);
    EXPECT_NE(refusal("mov.b64 " + deep).find("line "), std::string::npos);
    EXPECT_EQ(refusal("",
                      ".extern .shared .align 16 .b8 all[];\n.const .b32 t[2][2] = {{1, 2}, {3, "
                      "4}};\n.global .u64 w[2] = "
                      "{generic(t)+4, t};\n"),
              "");
}

TEST(SimtRefusals, CallsHandOverWhatTheFunctionTakes) {
    const std::string f =
        ".func (.param .b32 r) f(.param .b32 a, .param .b8 b[8])\n{ .reg .b32 %r<2>; ld.param.b32 %r1, [a]; "
        "st.param.b32 [r], "
        "%r1; ret; }\n";
    const std::string given = "{ .param .b32 x; .param .b8 y[8]; .param .b8 z[4]; .param .b32 o; ";
    const auto message = [&](const std::string& call) {
        const auto program = simt::load_program(".version 8.0\n.target sm_90\n.address_size 64\n" + f +
                                                    ".entry k() {\n" + given + call + "\n} ret; }",
                                                "k");
        return program.ok() ? "" : program.message();
    };
    EXPECT_EQ(message("call.uni (o), f, (x, y);"), "");
    EXPECT_NE(message("call (o), f, (x, z);").find("8 bytes"), std::string::npos);
    EXPECT_NE(message("call (o), f, (x, nothing);").find("'nothing"), std::string::npos);
    EXPECT_NE(message("call (o), f, (x);").find("'f'"), std::string::npos);
    EXPECT_NE(message("call.foo (o), f, (x, y);").find("call.foo"), std::string::npos);
    EXPECT_NE(message("call (o), g, (x, y);").find("line 7 of the PTX"), std::string::npos)
        << message("call (o), g, (x, y);");
}

// Text that ends anywhere is refused, or is whole already.
TEST(SimtRefusals, TextMayEndAnywhere) {
    const std::string whole =
        ".version 8.0\n.target sm_90, debug\n.address_size 64\n.file 1 \"k.cu\"\n.const .b32 t[2] = {1, "
        "2};\n" +
        testing::kHead +
        ".loc 1 3 4, function_name $a+2, inlined_at 1 2 3\n{ .reg .b32 x; L: @!%p1 bra L; mov.b64 {x, %r1}, "
        "%rd1; }\n"
        "call.uni (handed), f, (handed), proto; tex.2d.v4.f32.f32 {%f1, _, _, _}, [%rd1, {%f1, %f2}];\n"
        "T: .branchtargets L; ret; }";
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const auto program = simt::load_program(whole.substr(0, size), "k");
        ASSERT_FALSE(program.ok()) << size;
        EXPECT_FALSE(program.message().empty());
    }
}

// Addresses of a warp that begin below 0 and end above: the lanes that lie inside are served, the others
// found.
TEST(SimtRefusals, AddressesOnBothSidesOfZero) {
    for (const char* access : {"ld.shared.u32 %r2, [%rd2];", "st.shared.u32 [%rd2], %r1;",
                               "ld.shared.v2.u32 {%r2, %r3}, [%rd2];"}) {
        const bool two = std::string(access).find(".v2") != std::string::npos;
        Kernel kernel = Kernel::from_ptx(
            std::string(
                ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
                ".reg .b32 %r<4>; .reg .b64 %rd<4>; .shared .align 16 .b8 s[512];\n"
                "mov.u32 %r1, %tid.x; mul.wide.u32 %rd1, %r1, ") +
                (two ? "8; sub.s64 %rd2, %rd1, 8;\n" : "4; sub.s64 %rd2, %rd1, 4;\n") + access +
                "\nret;\n}\n",
            "k");
        std::vector<int> out(32);
        kernel.options().check = false;
        const simt::LaunchOutcome outcome = kernel.buffer(out).run({1, 1, 1}, {32, 1, 1});
        EXPECT_TRUE(testing::found(outcome, Finding::Kind::out_of_bounds)) << access;
        EXPECT_EQ(outcome.counters.findings.size(), 1u) << access << "\n" << testing::findings_text(outcome);
    }
}

}  // namespace
}  // namespace ws
