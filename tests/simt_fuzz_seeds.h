#pragma once
// What the fuzzer of the simulated GPU starts from: PTX of every embedded kernel, and small texts with every
// instruction that the kernels do not use.

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gpu/compile/nvrtc.h"
#include "tests/compiled_kernels.h"
#include "tests/ptx_requests.h"

namespace ws::testing {

struct FuzzSeed {
    std::string ptx;
    std::string kernel;
};

inline FuzzSeed snippet(const std::string& body, const std::string& before = "") {
    return {
        ".version 8.0\n.target sm_90\n.address_size 64\n" + before +
            ".visible .entry k(.param .u64 p, .param .u64 q, .param .u32 n)\n{\n"
            ".reg .pred %p<6>; .reg .b16 %rs<8>; .reg .b32 %r<16>; .reg .b64 %rd<10>; .reg .f32 %f<8>; .reg "
            ".f64 "
            "%fd<4>;\n.shared .align 16 .b8 tile[512];\n.loc 1 7 3\n"
            "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x;\n"
            "cvta.to.global.u64 %rd1, %rd1; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3;\n"
            "mov.u32 %r3, tile; shl.b32 %r4, %r2, 2; add.u32 %r4, %r3, %r4; ld.global.f32 %f1, [%rd4];\n" +
            body + "\nret;\n}\n.file 1 \"k.cu\"\n",
        "k"};
}

inline std::vector<FuzzSeed> snippets() {
    return {
        snippet(
            "fma.rn.relu.f16x2 %r5, %r2, %r3, %r4; add.sat.f16 %rs1, %rs2, %rs3; mul.bf16 %rs4, %rs1, %rs2; "
            "min.NaN.xorsign.abs.bf16x2 %r6, %r5, %r2; tanh.approx.f16 %rs5, %rs1; ex2.approx.ftz.bf16x2 "
            "%r7, "
            "%r6; setp.ltu.f16x2 %p1|%p2, %r5, %r6; set.gt.bf16x2.bf16x2 %r8, %r5, %r6; cvt.rn.bf16x2.f32 "
            "%r9, "
            "%f1, %f1; cvt.rz.f16x2.f32 %r10, %f1, %f1; cvt.f32.bf16 %f2, %rs4; cvt.rn.bf16.f32 %rs6, %f1; "
            "atom.global.add.noftz.f16x2 %r11, [%rd4], %r5; red.shared.add.noftz.bf16x2 [%r4], %r6; "
            "setp.eq.ftz.f16 %p3, %rs1, %rs5; neg.f16x2 %r12, %r5; abs.bf16 %rs7, %rs4;"),
        snippet("add.cc.u32 %r5, %r2, %r3; addc.cc.u32 %r6, %r2, 0; madc.hi.cc.s32 %r7, %r5, %r6, 3; "
                "subc.u32 %r8, 0, "
                "0; mad.lo.cc.u64 %rd5, %rd3, %rd3, 1; madc.hi.u64 %rd6, %rd3, %rd3, 0; lop3.b32 %r9, %r5, "
                "%r6, %r7, "
                "0xCA; fns.b32 %r10, %r9, %r2, -2; st.global.u32 [%rd4], %r10;"),
        snippet(
            "{ .param .b64 a; .param .b64 b; .param .b32 r; mov.u64 %rd5, says; cvta.global.u64 %rd5, %rd5; "
            "st.param.b64 [a], %rd5; st.param.b64 [b], %rd1; call (r), vprintf, (a, b); ld.param.b32 %r5, "
            "[r]; } "
            "{ .param .b32 x; .param .b32 y; mov.u64 %rd6, f; setp.lt.u32 %p1, %r2, 9; @%p1 mov.u64 %rd6, g; "
            "st.param.b32 [x], %r2; call (y), %rd6, (x), proto; ld.param.b32 %r6, [y]; } proto: "
            ".callprototype "
            "(.param .b32 _) _ (.param .b32 _); st.global.u32 [%rd4], %r6;",
            ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
            ".global .align 1 .b8 says[9] = {37, 100, 32, 37, 115, 32, 37, 102, 0};\n"
            ".func (.param .b32 r) f (.param .b32 a) { .reg .b32 %r<2>; ld.param.b32 %r1, [a]; st.param.b32 "
            "[r], "
            "%r1; ret; }\n.func (.param .b32 r) g (.param .b32 a) { st.param.b32 [r], 7; ret; }\n"),
        snippet("setp.lt.s32 %p1|%p2, %r2, 5; @%p1 bra $L1; bra.uni $L2; $L1: add.u32 %r5, %r2, 1; $L2: "
                "bar.sync 0; "
                "setp.ne.and.u32 %p3, %r2, 3, !%p1; set.gt.u32.s32 %r6, %r2, 7; selp.b32 %r7, 1, 2, %p3; "
                "vote.sync."
                "ballot.b32 %r8, !%p1, -1; shfl.sync.bfly.b32 %r9|%p4, %r2, 1, 31, -1; st.global.u32 [%rd4], "
                "%r9;"),
        snippet(
            "cp.async.ca.shared.global [%r4], [%rd4], 4; cp.async.cg.shared.global [%r3+16], [%rd1], 16, 8; "
            "cp.async.commit_group; cp.async.wait_group 0; atom.global.add.u32 %r5, [%rd1], 1; "
            "red.shared.max.s32 "
            "[%r4], -3; atom.shared.cas.b32 %r6, [%r4], 0, 1; atom.global.exch.b64 %rd5, [%rd1+8], 5; "
            "match.any.sync.b32 %r7, %r2, -1; redux.sync.add.s32 %r8, %r2, -1; activemask.b32 %r9;"),
        snippet("tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [%rd2, {%f1, %f1}]; tex.2d.v4.s32.s32 {%r5, %r6, _, "
                "%r7}, "
                "[%rd2, {%r2, %r2}]; st.global.v2.f32 [%rd1], {%f2, %f3}; st.shared.v4.b32 [tile+16], {%r5, "
                "1, %r6, "
                "%r7}; ld.shared.v2.u64 {%rd5, %rd6}, [tile]; ld.global.nc.L1::no_allocate.L2::128B.v4.u8 "
                "{%rs1, %rs2, "
                "%rs3, %rs4}, [%rd1];"),
        snippet(
            "cvt.s64.s32 %rd5, %rd3; cvt.rn.f32.s32 %f2, %r2; cvt.rzi.s32.f32 %r5, %f2; cvt.rn.relu.f16.f32 "
            "%rs1, "
            "%f2; cvt.f32.f16 %f3, %rs1; cvt.u8.u32 %rs2, %r2; cvt.s16.s64 %r6, %rd5; cvt.sat.s8.s32 %r7, "
            "%r2; cvt."
            "rn.f32.f64 %f4, %fd1; cvt.rmi.ftz.f32.f32 %f5, %f1; cvt.rpi.u64.f64 %rd6, %fd1; cvt.sat.u16.s32 "
            "%rs3, "
            "-5; mov.b32 {%rs4, %rs5}, %r5; mov.b64 %rd7, {%r5, %r6}; mov.u64 %rd8, %clock64; mov.b32 %r8, "
            "0f3F800000; mov.f64 %fd2, 1.5e-3;"),
        snippet("min.xorsign.abs.f32 %f2, %f1, 0fC0C00000; max.NaN.f32 %f3, %f1, %f2; fma.rz.ftz.sat.f32 "
                "%f4, %f1, %f2, "
                "%f3; div.approx.f32 %f5, %f4, %f1; sqrt.rn.f32 %f6, %f5; ex2.approx.ftz.f32 %f7, %f1; "
                "add.rm.f64 %fd1, "
                "%fd2, 0d3FF0000000000000; rcp.rn.f64 %fd3, %fd1; mad.lo.s32 %r5, %r2, 3, %r1; bfe.s32 %r6, "
                "%r5, 3, 7; "
                "bfi.b64 %rd5, %rd3, %rd4, 3, 9; prmt.b32 %r7, %r5, %r6, 0x5410; dp4a.u32.s32 %r8, %r5, %r6, "
                "%r7; "
                "dp2a.lo.s32.u32 %r9, %r5, %r6, %r7; shf.l.wrap.b32 %r10, %r5, %r6, 4; add.sat.s32 %r11, "
                "%r5, %r6; "
                "mul.hi.u64 %rd6, %rd5, %rd4; div.s16 %rs1, %rs2, %rs3; rem.u64 %rd7, %rd6, %rd5; popc.b64 "
                "%r12, %rd5; "
                "copysign.f32 %f1, %f2, %f3; isspacep.shared %p1, %rd1; membar.gl; fence.acq_rel.gpu; "
                "nanosleep.u32 5;"),
        snippet(".local .align 4 .b8 place[8]; {.reg.b32 t;.reg .b32 u<3>; mov.b32 t, %r2; { .reg .b32 t; "
                "mov.b32 t, 7; bra L; L: add.s32 "
                "%r5, t, 1; } "
                "add.s32 %r6, t, %r5; setp .eq .u32 %p1, t, 0; @!%p1 bra L; L: "
                "} brx.idx %r1, T; T: "
                ".branchtargets "
                "$A, $B; $A: st.local.u32 [place], %r2; ld.local.u32 %r7, [place]; $B: trap;",
                ".const .align 4 .f32 table[4] = {0f3F800000, 1.5, 0f00000000};\n.global .align 8 .u64 "
                "where[2] = {table, "
                "generic(words)+4};\n.global .align 4 .b8 words[16] = {1, 2, 0x3, 017};\n"),
        {".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 all[];\n"
         ".func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 b[16])\n{ .reg .b32 %r<4>; .reg .pred "
         "%p<2>;\n"
         "ld.param.b32 %r1, [a]; ld.param.s8 %r2, [b+15]; setp.gt.s32 %p1, %r1, 4; @%p1 bra $E; add.s32 %r1, "
         "%r1, %r2;\n"
         "$E: st.param.b32 [r], %r1; ret; }\n"
         ".visible .entry k(.param .u64 .ptr .global .align 16 p, .param .u64 q, .param .u32 n)\n.maxntid "
         "64, 1, 1\n"
         "{ .local .align 8 .b8 place[64]; .reg .b32 %r<6>; .reg .b64 %rd<5>;\n"
         "mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p];\n{ .param .b32 x; .param .align 8 .b8 y[16]; .param "
         ".b32 z;\n"
         "st.param.b32 [x+0], %r1; st.param.v2.b64 [y], {%rd1, %rd1}; call.uni (z), f, (x, y); ld.param.b32 "
         "%r2, [z]; }\n"
         "mov.u64 %rd2, place; cvta.local.u64 %rd3, %rd2; st.u32 [%rd3+8], %r2; ld.local.u32 %r3, "
         "[place+8];\n"
         "st.shared.u32 [all+4], %r3; st.global.u32 [%rd1], %r3; ret; }\n",
         "k"},
    };
}

// PTX of the labs' kernels, for the architectures that the compiler knows.
inline std::vector<FuzzSeed> embedded_kernels(const Nvrtc& nvrtc) {
    std::vector<FuzzSeed> made;
    for (const int architecture : kPtxArchitectures) {
        if (!builds(nvrtc, architecture)) continue;
        std::set<std::string> texts;
        for (const CompileRequest& request : ptx_requests(architecture)) {
            const auto kernel = compiled(request).kernel;
            if (!kernel) continue;
            std::string text(kernel->binary.data(), kernel->binary.size());
            if (texts.insert(text).second) made.push_back({std::move(text), kernel->entry});
        }
    }
    return made;
}

}  // namespace ws::testing
