// What the checks of the simulated GPU find of lanes that meet, of asynchronous copies and of textures.

#include "simt_support.h"

namespace ws {
namespace {

using testing::findings_text;
using testing::found;
using testing::Kernel;
using testing::Ran;
using testing::run;
using testing::run_source;

// ---- member masks

TEST(MemberMasks, LanesThatAreNotWhereTheMaskNamesThem) {
    WS_NEED_COMPILER();
    const Ran stranger =
        run("unsigned m = __ballot_sync(~0u, t < 16); if (t <= 16)\n __syncwarp(m); out[t] = 1;", {32, 1, 1});
    EXPECT_TRUE(stranger.finds(Finding::Kind::warp_mask, 4)) << stranger;
    EXPECT_TRUE(
        stranger.says("not in the member mask 0x0000ffff that it passes, line 4, block (0, 0, 0), "
                      "thread (16, 0, 0)"))
        << stranger;
    for (const char* call : {"__shfl_down_sync(~0u, t, 8)", "__ballot_sync(~0u, t > 3)", "__any_sync(~0u, t)",
                             "(__syncwarp(), 1)", "__match_any_sync(~0u, t)", "__reduce_add_sync(~0u, t)"}) {
        const Ran absent =
            run(std::string("int v = t; if (t < 16)\n v = ") + call + ";\n out[t] = v;", {32, 1, 1});
        EXPECT_TRUE(absent.finds(Finding::Kind::absent_member, 4)) << call << "\n" << absent;
        EXPECT_TRUE(absent.says("thread (16, 0, 0)")) << call << "\n" << absent;
    }
}

// Both faults on one line are two findings.
TEST(MemberMasks, EachFaultOfALineIsReported) {
    WS_NEED_COMPILER();
    const Ran both = run(
        "\n unsigned m = __ballot_sync(~0u, t < 16); if (t <= 16) __syncwarp(m); int v = t; if (t < 16) v = "
        "__shfl_down_sync(~0u, v, 8); out[t] = v;",
        {32, 1, 1});
    EXPECT_TRUE(both.finds(Finding::Kind::warp_mask, 4)) << both;
    EXPECT_TRUE(both.finds(Finding::Kind::absent_member, 4)) << both;
}

TEST(MemberMasks, ShufflesReadFromWhoTakesPart) {
    WS_NEED_COMPILER();
    const Ran outside =
        run("int v = t; if (t < 16)\n v = __shfl_xor_sync(0xFFFF, v, 16);\n out[t] = v;", {32, 1, 1});
    EXPECT_TRUE(outside.finds(Finding::Kind::absent_source, 4) &&
                outside.says("reads from thread (16, 0, 0)"))
        << outside;
    // Of 48 threads the second warp has half its lanes.
    const Ran nobody = run("\n out[t] = __shfl_down_sync(~0u, t, 8);", {48, 1, 1});
    EXPECT_TRUE(nobody.finds(Finding::Kind::absent_source, 4) && nobody.says("no thread of the block has"))
        << nobody;
    const Ran ended = run("if (t >= 16) return;\n out[t] = __shfl_sync(~0u, t, 20);", {32, 1, 1});
    EXPECT_TRUE(ended.finds(Finding::Kind::absent_source, 4)) << ended;
    EXPECT_TRUE(run("if (t >= 16) return;\n out[t] = __shfl_xor_sync(~0u, t, 8);", {32, 1, 1}).clean())
        << "members that have ended need not come";
}

TEST(MemberMasks, LegalOnesAreLeftAlone) {
    WS_NEED_COMPILER();
    for (const char* body :
         {"if (t < 16) __syncwarp(0xFFFF); out[t] = 1;",
          "int v; if (t & 1) v = __shfl_xor_sync(0xAAAAAAAA, t, 2); else v = __shfl_xor_sync(0x55555555, t, "
          "4); out[t] = v;",
          "int v = t; if (t % 3) v *= 2; else v += 5; out[t] = __shfl_xor_sync(~0u, v, 1);",
          "for (int i = 0; i < t; ++i) if (i * i > 40) break; out[t] = __shfl_xor_sync(~0u, t, 16);",
          "unsigned m = __ballot_sync(~0u, t % 5 == 2); if (t % 5 == 2) { int first = __ffs(m) - 1; out[t] = "
          "__shfl_sync(m, t, first); }",
          "if (t % 7 < 3) { unsigned m = __activemask(); out[t] = __popc(m) + __shfl_sync(m, t, __ffs(m) - "
          "1); }",
          "int v = t; for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d); if (t == 0) out[0] = v;",
          "int v = t; for (int d = 4; d; d /= 2) v += __shfl_xor_sync(0xFFu << (t & 24), v, d, 8); out[t] = "
          "v;",
          "unsigned same = __match_any_sync(~0u, t / 5); out[t] = __reduce_add_sync(same, t);"}) {
        const Ran made = run(body, {32, 1, 1});
        EXPECT_TRUE(made.clean()) << body << "\n" << made;
    }
}

TEST(MemberMasks, BranchesThatWaitForEachOtherAreReported) {
    WS_NEED_COMPILER();
    // Legal from Volta on: both halves meet at two different lines. The simulated GPU runs one after the
    // other.
    const Ran made = run(R"(__shared__ volatile int s[32]; int v;
        if (t < 16) { s[t] = t; __syncwarp(); v = s[t + 16]; }
        else { s[t] = t; __syncwarp(); v = s[t - 16]; }
        out[t] = v;)",
                         {32, 1, 1});
    EXPECT_TRUE(found(made.outcome, Finding::Kind::absent_member)) << made;
    EXPECT_TRUE(made.says("the simulated GPU does not")) << made;
}

// ---- asynchronous copies

// The same bytes arrive at the same time whether checks watch or not.
Ran run_both(const std::string& body) {
    const Ran checked = run(body);
    const Ran unchecked = run_source(testing::source_of(body), {64, 1, 1}, 1, 80, false);
    EXPECT_EQ(checked.out, unchecked.out) << body;
    return checked;
}

Ran copies(const std::string& waits, const std::string& before_read = "__syncthreads();", int from = 63) {
    return run_both(R"(__shared__ int s[64]; unsigned to = (unsigned)__cvta_generic_to_shared(s + t);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(in + t) : "memory");
        )" + waits + "\n" +
                    before_read + "\n out[t] = ((volatile int*)s)[" + std::to_string(from) + " - t];");
}

TEST(AsyncCopies, ArriveWithTheWait) {
    WS_NEED_COMPILER();
    for (const char* waits :
         {"asm volatile(\"cp.async.wait_all;\" ::: \"memory\");",
          "asm volatile(\"cp.async.commit_group;\\ncp.async.wait_group 0;\" ::: \"memory\");"}) {
        const Ran sound = copies(waits);
        EXPECT_TRUE(sound.clean()) << sound;
        EXPECT_EQ(sound.out[0], 64);
    }
    for (const char* waits :
         {"", "asm volatile(\"cp.async.commit_group;\" ::: \"memory\");",
          "asm volatile(\"cp.async.wait_group 0;\" ::: \"memory\");",  // not committed
          "asm volatile(\"cp.async.commit_group;\\ncp.async.wait_group 1;\" ::: \"memory\");"}) {
        const Ran missing = copies(waits);
        EXPECT_TRUE(missing.finds(Finding::Kind::async_copy, 7)) << waits << missing;
        EXPECT_TRUE(missing.says("cp.async of line 4 by thread (63, 0, 0)")) << missing;
        EXPECT_EQ(missing.out[0], 0) << "the data have not arrived";
    }
    // The wait orders its own thread alone.
    const Ran unordered = copies("asm volatile(\"cp.async.wait_all;\" ::: \"memory\");", "");
    EXPECT_TRUE(unordered.finds(Finding::Kind::race_shared, 7)) << unordered;
    EXPECT_TRUE(unordered.says("copied by cp.async in line 4")) << unordered;
}

TEST(AsyncCopies, TheThreadsOwnReadNeedsNoBarrier) {
    WS_NEED_COMPILER();
    const auto own = [](const char* wait) {
        return run_both(
            std::string(
                "__shared__ int s[64]; unsigned to = (unsigned)__cvta_generic_to_shared(s + t);\n"
                "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(to), \"l\"(in + t));\n") +
            wait + "\n out[t] = ((volatile int*)s)[t];");
    };
    EXPECT_TRUE(own("asm volatile(\"cp.async.wait_all;\" ::: \"memory\");").clean());
    EXPECT_TRUE(own("").finds(Finding::Kind::async_copy, 6));
}

TEST(AsyncCopies, GroupsAreWaitedForInOrder) {
    WS_NEED_COMPILER();
    const auto stages = [](int left) {
        return run_both(
            R"(__shared__ int s[2][64]; unsigned to = (unsigned)__cvta_generic_to_shared(&s[0][t]);
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.commit_group;" :: "r"(to), "l"(in + t) : "memory");
        for (int i = 1; i <= 4; ++i) {
            if (i < 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to + 256 * (i % 2)), "l"(in + (t + i) % 64) : "memory");
            asm volatile("cp.async.commit_group;" ::: "memory");
            asm volatile("cp.async.wait_group )" +
            std::to_string(left) + R"(;" ::: "memory"); __syncthreads();
            out[t] += ((volatile int*)s[(i - 1) % 2])[63 - t];
            __syncthreads();
        })");
    };
    const Ran sound = stages(1);
    EXPECT_TRUE(sound.clean()) << sound;
    EXPECT_EQ(sound.out[63], 1 + 2 + 3 + 4);
    EXPECT_TRUE(found(stages(2).outcome, Finding::Kind::async_copy));
}

TEST(AsyncCopies, TargetsMustBeFree) {
    WS_NEED_COMPILER();
    const std::string copy =
        "asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(to), \"l\"(in + t) : "
        "\"memory\");\n";
    const std::string head =
        "__shared__ volatile int s[64]; unsigned to = (unsigned)__cvta_generic_to_shared((void*)(s + t));\n";
    const std::string wait = "asm volatile(\"cp.async.wait_all;\" ::: \"memory\"); __syncthreads();\n";
    EXPECT_TRUE(
        run_both(head + copy + "s[t] = 1;\n" + wait + "out[t] = s[t];").finds(Finding::Kind::async_copy, 5));
    EXPECT_TRUE(run_both(head + copy + copy + wait + "out[t] = s[t];").finds(Finding::Kind::async_copy, 5));
    EXPECT_TRUE(
        run_both(head + "s[t] = 2; __syncthreads(); out[t] = s[63 - t];\n" + copy + wait + "out[t] += s[t];")
            .finds(Finding::Kind::race_shared, 5))
        << "others still read";
}

// Lanes of a warp may copy, commit and wait apart, and copy fewer bytes than they write.
TEST(AsyncCopies, LanesWaitForTheirOwn) {
    WS_NEED_COMPILER();
    const Ran apart =
        run_both(R"(__shared__ int s[256]; unsigned to = (unsigned)__cvta_generic_to_shared(s + 4 * t);
        for (int k = 0; k < 4; ++k) s[4 * t + k] = -1;
        if (t % 3 == 0) asm volatile("cp.async.ca.shared.global [%0], [%1], 16, 8;\ncp.async.commit_group;" :: "r"(to), "l"(in + 4 * t) : "memory");
        else asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" :: "r"(to), "l"(in + 4 * t) : "memory");
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        int sum = 0;
        for (int k = 0; k < 4; ++k) sum += ((volatile int*)s)[4 * t + k];
        out[t] = sum;)");
    for (int t = 0; t < 64; ++t)
        EXPECT_EQ(apart.out[std::size_t(t)], t % 3 == 0 ? 8 * t + 3 : -4) << t;  // others have not committed
}

// As many as shared memory holds are under way; a loop that never waits ends, and finds its own fault.
TEST(AsyncCopies, WhoNeverWaitsHasTheOldestLanded) {
    WS_NEED_COMPILER();
    const Ran endless =
        run_both(R"(__shared__ int s[64]; unsigned to = (unsigned)__cvta_generic_to_shared(s + t);
        for (int i = 0; i < 20000; ++i) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(in + t + i % 5) : "memory");
        out[t] = ((volatile int*)s)[t] > 0;)");
    EXPECT_TRUE(found(endless.outcome, Finding::Kind::async_copy)) << endless;
    EXPECT_EQ(endless.out[0], 1);
}

TEST(AsyncCopies, OfMbarriersAreRefusedByName) {
    WS_NEED_COMPILER();
    std::string entry;
    const std::string ptx = testing::ptx_of(
        "extern \"C\" __global__ void k() { __shared__ long long b; asm "
        "volatile(\"cp.async.mbarrier.arrive.shared.b64 "
        "[%0];\" :: \"r\"((unsigned)__cvta_generic_to_shared(&b))); }",
        "k", entry, 80);
    const auto program = simt::load_program(ptx, entry);
    ASSERT_FALSE(program.ok());
    EXPECT_NE(program.message().find("cp.async.mbarrier.arrive.shared.b64"), std::string::npos)
        << program.message();
}

// ---- textures

TEST(Textures, AnUnboundOneEndsTheLaunch) {
    WS_NEED_COMPILER();
    std::vector<int> out(32);
    Kernel kernel(
        "extern \"C\" __global__ void k(cudaTextureObject_t t, float* o) {\n"
        " o[threadIdx.x] = 5 + tex2D<float>(t, 1.5f, 2.5f); }",
        "k");
    for (const std::uint64_t handle : {0ull, 7ull}) {
        Kernel one = kernel;
        const auto outcome = one.value(handle).buffer(out).run({1, 1, 1}, {32, 1, 1});
        EXPECT_TRUE(outcome.stopped);
        EXPECT_TRUE(found(outcome, Finding::Kind::stopped, 2)) << findings_text(outcome);
        EXPECT_NE(findings_text(outcome).find("texture handle 0x"), std::string::npos)
            << findings_text(outcome);
    }
}

}  // namespace
}  // namespace ws
