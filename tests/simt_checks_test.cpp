// What the checks of the simulated GPU find, and what they must leave alone: the order that barriers, warp
// instructions and fences give, and the idioms that rely on it.

#include "simt_support.h"

namespace ws {
namespace {

using testing::found;
using testing::Ran;
using testing::run;
using testing::run_source;

// ---- severities

TEST(Severities, NotesAreWhatDoesNoHarm) {
    for (const Finding::Kind kind :
         {Finding::Kind::same_value, Finding::Kind::unwritten, Finding::Kind::leak})
        EXPECT_EQ(severity_of(kind), Severity::note) << name_of(kind);
    for (const Finding::Kind kind :
         {Finding::Kind::out_of_bounds, Finding::Kind::race_shared, Finding::Kind::race_global,
          Finding::Kind::warp_mask, Finding::Kind::absent_member, Finding::Kind::absent_source,
          Finding::Kind::async_copy, Finding::Kind::stopped})
        EXPECT_EQ(severity_of(kind), Severity::error) << name_of(kind);
}

TEST(Severities, SameValueFromManyIsANote) {
    WS_NEED_COMPILER();
    for (const int grid : {1, 5}) {
        const Ran flag = run("if (t % 3 == 0)\n out[0] = 1;", {64, 1, 1}, grid);
        ASSERT_EQ(flag.outcome.counters.findings.size(), 1u) << flag;
        EXPECT_EQ(flag.outcome.counters.findings[0].kind, Finding::Kind::same_value);
        EXPECT_EQ(flag.outcome.counters.findings[0].severity, Severity::note);
        EXPECT_EQ(flag.outcome.counters.findings[0].line, 4);
    }
    const Ran blocks = run("if (t == 7)\n ((long long*)out)[1] = 5;", {32, 1, 1}, 4);
    EXPECT_TRUE(blocks.finds(Finding::Kind::same_value, 4)) << blocks;
    EXPECT_FALSE(blocks.finds(Finding::Kind::race_global, 4)) << blocks;
    // One other value makes it a race, and so does somebody who reads.
    EXPECT_TRUE(run("\n out[0] = t == 40 ? 2 : 1;").finds(Finding::Kind::race_global, 4));
    EXPECT_TRUE(run("__shared__ volatile int s; if (t < 2)\n s = 1;\n out[t] = s;")
                    .finds(Finding::Kind::race_shared, 5));
    // What memory held before does not make a write harmless: another thread may read it before or after.
    EXPECT_TRUE(run("volatile int* o = out; if (t == 0) o[0] = 0;\n if (t == 40) o[1] = o[0];")
                    .finds(Finding::Kind::race_global, 4));
}

// ---- named barriers

TEST(NamedBarriers, AProducerArrivesAndAConsumerWaits) {
    WS_NEED_COMPILER();
    const Ran pair = run(R"(__shared__ int s[32];
        if (t < 32) { s[t] = in[t]; asm volatile("bar.arrive 1, 64;" ::: "memory"); }
        else { asm volatile("bar.sync 1, 64;" ::: "memory"); out[t - 32] = s[63 - t]; })");
    EXPECT_TRUE(pair.clean()) << pair;
    for (int i = 0; i < 32; ++i) EXPECT_EQ(pair.out[std::size_t(i)], 32 - i);
    // The consumer first, and in the forms of PTX 6.
    const Ran other = run(R"(__shared__ int s[32];
        if (t >= 32) { s[t - 32] = in[t]; asm volatile("barrier.cta.arrive.aligned 3, 64;" ::: "memory"); }
        else { asm volatile("barrier.sync 3, 64;" ::: "memory"); out[t] = s[31 - t]; })");
    EXPECT_TRUE(other.clean()) << other;
    EXPECT_EQ(other.out[0], 64);
}

TEST(NamedBarriers, FullAndEmptyInALoop) {
    WS_NEED_COMPILER();
    const auto ring = [](const char* empty, const char* full) {
        return run(std::string(R"(__shared__ int s[32]; int sum = 0;
        for (int i = 0; i < 6; ++i) {
            if (t < 32) { )") +
                   empty + R"( s[t] = in[t] * (i + 1);
                )" +
                   full + R"( }
            else { asm volatile("bar.sync 1, 64;" ::: "memory"); sum += s[t - 32];
                if (i < 5) asm volatile("bar.arrive 2, 64;" ::: "memory"); }
        }
        if (t >= 32) out[t] = sum;)");
    };
    const char* empty = "if (i > 0) asm volatile(\"bar.sync 2, 64;\" ::: \"memory\");";
    const char* full = "asm volatile(\"bar.arrive 1, 64;\" ::: \"memory\");";
    const Ran sound = ring(empty, full);
    EXPECT_TRUE(sound.clean()) << sound;
    for (int i = 32; i < 64; ++i) EXPECT_EQ(sound.out[std::size_t(i)], 21 * (i - 31));
    // Without the way back the producer's own arrivals meet the barrier,
    EXPECT_TRUE(ring("", full).says("deadlock"));
    // and if it waits for the consumer to begin only, it overwrites what is still to be read.
    const Ran faulty = ring("", "asm volatile(\"bar.sync 1, 64;\" ::: \"memory\");");
    EXPECT_TRUE(found(faulty.outcome, Finding::Kind::race_shared)) << faulty;
}

TEST(NamedBarriers, OrderNobodyElse) {
    WS_NEED_COMPILER();
    // Warps 0 and 1 meet; warp 2 reads what they wrote without having met them.
    const Ran stranger = run(R"(__shared__ volatile int s[64];
        if (t < 64) { s[t] = t; asm volatile("bar.sync 1, 64;" ::: "memory"); out[t] = s[63 - t]; }
        else {
            asm volatile("bar.sync 2, 32;" ::: "memory");
            out[t] = s[t - 64];
        })",
                             {96, 1, 1});
    EXPECT_TRUE(stranger.finds(Finding::Kind::race_shared, 7)) << stranger;
    EXPECT_FALSE(stranger.finds(Finding::Kind::race_shared, 4)) << stranger;
    // Order passes on: 0 to 1 by one barrier, 1 to 2 by another.
    const Ran chain = run(R"(__shared__ int s[32];
        if (t < 32) { s[t] = t + 5; asm volatile("bar.arrive 1, 64;" ::: "memory"); }
        else if (t < 64) { asm volatile("bar.sync 1, 64;\nbar.arrive 2, 64;" ::: "memory"); }
        else { asm volatile("bar.sync 2, 64;" ::: "memory"); out[t - 64] = s[95 - t]; })",
                          {96, 1, 1});
    EXPECT_TRUE(chain.clean()) << chain;
    EXPECT_EQ(chain.out[0], 36);
    // Who only arrives learns nothing.
    EXPECT_TRUE(found(run(R"(__shared__ volatile int s[32];
        if (t < 32) { asm volatile("bar.arrive 1, 64;" ::: "memory"); out[t] = s[t]; }
        else { s[t - 32] = 1; asm volatile("bar.sync 1, 64;" ::: "memory"); })")
                          .outcome,
                      Finding::Kind::uninitialised))
        << "the warps run in order";
}

TEST(NamedBarriers, WhatCannotBeMetIsRefused) {
    WS_NEED_COMPILER();
    const Ran id = run("\nasm volatile(\"bar.sync 16;\");");
    EXPECT_TRUE(id.finds(Finding::Kind::stopped, 4)) << id;
    EXPECT_TRUE(id.says("barriers 0 to 15")) << id;
    const Ran count = run("\nasm volatile(\"bar.sync 1, 128;\");");
    EXPECT_TRUE(count.finds(Finding::Kind::stopped, 4) && count.says("never be met")) << count;
    const Ran odd = run("\nasm volatile(\"bar.sync 1, 40;\");");
    EXPECT_TRUE(odd.finds(Finding::Kind::stopped, 4) && odd.says("multiple of 32")) << odd;
    const Ran mixed =
        run("if (t < 32) asm volatile(\"bar.arrive 1, 64;\"); else asm volatile(\"bar.sync 1, 96;\");",
            {96, 1, 1});
    EXPECT_TRUE(mixed.says("barrier 1 is for 96 threads here, and for 64")) << mixed;
    const Ran alone = run("if (t < 32)\nasm volatile(\"bar.sync 5, 64;\");");
    EXPECT_TRUE(alone.finds(Finding::Kind::stopped, 4)) << alone;
    EXPECT_TRUE(alone.says("warp 0 waits at barrier 5 (line 4, 32 of 64 threads)")) << alone;
}

TEST(NamedBarriers, Reduce) {
    WS_NEED_COMPILER();
    const Ran made =
        run("out[t] = __syncthreads_count(t % 3 == 0) * 100 + __syncthreads_and(t < 64) * 10 + "
            "__syncthreads_or(t == 63);");
    EXPECT_TRUE(made.clean()) << made;
    for (const int value : {made.out[0], made.out[63]}) EXPECT_EQ(value, 2211);
    EXPECT_EQ(run("out[t] = __syncthreads_and(t != 40) + __syncthreads_or(t > 64);").out[5], 0);
}

// ---- races

TEST(Races, ReadersAreNotForgotten) {
    WS_NEED_COMPILER();
    for (const char* reads : {"", "v = s[0];", "v = s[0]; v += s[0];", "v = s[0]; v += s[0]; v += s[0];"}) {
        const Ran race =
            run(std::string("__shared__ volatile int s[128]; s[t] = t; __syncthreads(); int v = 0;\n"
                            "if (t == 3) v = s[0];\nif (t == 100) { ") +
                    reads + "\n s[0] = v + 1; }\nout[t] = v;",
                {128, 1, 1});
        EXPECT_TRUE(race.finds(Finding::Kind::race_shared, 6)) << reads << "\n" << race;
    }
    // Many readers of many warps, the writer among them; each warp's readers count.
    for (const int reader : {0, 40, 64, 97}) {
        const Ran race =
            run("__shared__ volatile int s; if (t == 0) s = 1; __syncthreads();\n"
                "if (t == " +
                    std::to_string(reader) +
                    " || t == 127) out[t] = s;\n"
                    "if (t == 127) s = 2;",
                {128, 1, 1});
        EXPECT_TRUE(race.finds(Finding::Kind::race_shared, 5)) << reader << "\n" << race;
    }
    const Ran sound =
        run("__shared__ volatile int s; if (t == 0) s = 1; __syncthreads();\n"
            "out[t] = s; __syncthreads();\nif (t == 127) s = 2;",
            {128, 1, 1});
    EXPECT_TRUE(sound.clean()) << sound;
}

TEST(Races, LanesOfAWarpMeetByMask) {
    WS_NEED_COMPILER();
    // A tree over half a warp, and then over ever fewer lanes.
    const Ran tree = run(R"(__shared__ int s[32]; s[t] = in[t]; __syncwarp();
        if (t < 16) { s[t] += s[t + 16]; __syncwarp(0xFFFF); if (t < 8) { s[t] += s[t + 8]; __syncwarp(0xFF); if (t < 4) s[t] += s[t + 4]; } }
        __syncwarp(); if (t < 2) { s[t] += s[t + 2]; __syncwarp(3); if (t == 0) out[0] = s[0] + s[1]; })",
                         {32, 1, 1});
    EXPECT_TRUE(tree.clean()) << tree;
    EXPECT_EQ(tree.out[0], 528);
    // Lanes that are not in the mask are not ordered by it.
    const Ran half = run(R"(__shared__ volatile int s[32]; s[t] = in[t];
        if (t < 16) __syncwarp(0xFFFF);
        out[t] = s[t ^ 1];
        out[t + 32] = s[t ^ 16];)",
                         {32, 1, 1});
    EXPECT_TRUE(half.finds(Finding::Kind::race_shared, 5)) << half;  // lanes 16 to 31 among themselves
    EXPECT_TRUE(half.finds(Finding::Kind::race_shared, 6)) << half;
    const Ran upper = run(R"(__shared__ volatile int s[32]; s[t] = in[t];
        if (t < 16) { __syncwarp(0xFFFF); out[t] = s[t ^ 1]; })",
                          {32, 1, 1});
    EXPECT_TRUE(upper.clean()) << upper;
}

TEST(Races, AtomicsOfOneWidthAreOrderedAndOthersAreNot) {
    WS_NEED_COMPILER();
    EXPECT_TRUE(run("__shared__ int s[4]; if (t < 4) s[t] = 0; __syncthreads(); atomicAdd(&s[t % 4], 1); "
                    "__syncthreads(); out[t] = s[t % 4]; atomicMax(in + t % 3, t);",
                    {64, 1, 1}, 3)
                    .finds(Finding::Kind::same_value, 3))
        << "the blocks write the same";
    EXPECT_TRUE(run("__shared__ int s[4]; if (t < 4) s[t] = 0; __syncthreads();\natomicAdd(&s[t % 4], 1);\n"
                    "out[t] = s[t % 4];")
                    .finds(Finding::Kind::race_shared, 5))
        << "a barrier is missing before the result is read";
    EXPECT_TRUE(run("if (t == 1) atomicAdd(out, 1);\nif (t == 40) atomicAdd((unsigned long long*)out, 1ull);")
                    .finds(Finding::Kind::race_global, 4));
    // A scope of the block does not hold between blocks.
    EXPECT_TRUE(found(run("atomicAdd_block(out, 1);", {32, 1, 1}, 2).outcome, Finding::Kind::race_global));
    EXPECT_TRUE(run("atomicAdd_block(out + blockIdx.x, 1);", {32, 1, 1}, 2).clean());
    // Plain reads of what another block's atomics write.
    EXPECT_TRUE(run("if (blockIdx.x < 2) atomicAdd(in, 1); else\n out[t] = in[0];", {32, 1, 1}, 3)
                    .finds(Finding::Kind::race_global, 4));
}

TEST(Races, VariablesOfTheModuleAreWatchedBetweenBlocks) {
    WS_NEED_COMPILER();
    const Ran race = run_source(
        "__device__ int result;\nextern \"C\" __global__ void k(int* out, int* in) {\n"
        " if (threadIdx.x == 0)\n  result = blockIdx.x;\n}",
        {32, 1, 1}, 2);
    EXPECT_TRUE(race.finds(Finding::Kind::race_global, 4)) << race;
    EXPECT_TRUE(race.says("a variable")) << race;
}

TEST(Races, BlocksFarApart) {
    WS_NEED_COMPILER();
    EXPECT_TRUE(run("if (blockIdx.x == 0 || blockIdx.x == 254)\n out[t] = blockIdx.x;", {32, 1, 1}, 255)
                    .finds(Finding::Kind::race_global, 4));
}

// ---- idioms

TEST(Idioms, CompareAndSwapAfterAPlainRead) {
    WS_NEED_COMPILER();
    const std::string add = R"(__device__ void add(float* a, float v) {
        unsigned* p = (unsigned*)a; unsigned old = *p, seen;
        do { seen = old; old = atomicCAS(p, seen, __float_as_uint(v + __uint_as_float(seen))); } while (seen != old); }
    )";
    for (const int grid : {1, 4}) {
        const Ran sum =
            run_source(add + "extern \"C\" __global__ void k(int* out, int* in) { add((float*)out, 1.0f); }",
                       {64, 1, 1}, grid);
        EXPECT_TRUE(sum.clean()) << sum;
        float value = 0;
        std::memcpy(&value, sum.out.data(), sizeof value);
        EXPECT_EQ(value, 64.0f * float(grid));
    }
    const Ran shared = run_source(add +
                                  "extern \"C\" __global__ void k(int* out, int* in) { __shared__ float s; "
                                  "if (threadIdx.x == 0) s = 0; "
                                  "__syncthreads(); add(&s, 2.0f); __syncthreads(); out[threadIdx.x] = s; }");
    EXPECT_TRUE(shared.clean()) << shared;
    EXPECT_EQ(shared.out[9], 128);
    // Without the swap the read is a race.
    EXPECT_TRUE(run("atomicAdd(out, 1);\n int v = out[0]; in[t] = v;").finds(Finding::Kind::race_global, 4));
}

// The last block adds up what all have left; `between` orders its result before the ticket.
std::string last_block(const std::string& between, const std::string& modifier = "volatile") {
    return "__device__ unsigned ticket;\nextern \"C\" __global__ void k(" + modifier +
           " int* out, int* in) {\n"
           " __shared__ bool last; __shared__ int part; int t = threadIdx.x;\n if (t == 0) part = 0; "
           "__syncthreads();\n"
           " atomicAdd(&part, in[t]); __syncthreads();\n"
           " if (t == 0) { out[1 + blockIdx.x] = part * (blockIdx.x + 1); " +
           between +
           " last = atomicInc(&ticket, gridDim.x) == gridDim.x - 1; }\n __syncthreads();\n"
           " if (last && t == 0) { int sum = 0; for (int i = 0; i < gridDim.x; ++i)\n sum += out[1 + i];\n"
           " out[0] = sum; ticket = 0; }\n}";
}

TEST(Idioms, TheLastBlockReads) {
    WS_NEED_COMPILER();
    for (const char* modifier : {"volatile", ""}) {
        const Ran sound = run_source(last_block("__threadfence();", modifier), {32, 1, 1}, 40);
        EXPECT_TRUE(sound.clean()) << sound;
        EXPECT_EQ(sound.out[0], 528 * 820);
    }
    const Ran no_fence = run_source(last_block(""), {32, 1, 1}, 40);
    EXPECT_TRUE(no_fence.finds(Finding::Kind::race_global, 9)) << no_fence;
    const Ran narrow = run_source(last_block("__threadfence_block();"), {32, 1, 1}, 40);
    EXPECT_TRUE(narrow.finds(Finding::Kind::race_global, 9)) << narrow;
    // All threads leave something, one takes the ticket: the barrier between them is missing.
    const auto all_write = [](const char* barrier) {
        return std::string(
                   "__device__ unsigned ticket;\nextern \"C\" __global__ void k(int* out, int* in) {\n"
                   " __shared__ bool last; int t = threadIdx.x; out[blockIdx.x * 64 + t] = t;\n"
                   " __threadfence(); ") +
               barrier +
               " if (t == 0) last = atomicAdd(&ticket, 1u) == gridDim.x - 1;\n __syncthreads();\n"
               " if (last && t < 64) { int sum = 0; for (int b = 0; b < gridDim.x; ++b)\n sum += out[b * 64 "
               "+ t];\n"
               " in[t] = sum; }\n}";
    };
    const Ran sound = run_source(all_write("__syncthreads();"), {64, 1, 1}, 4);
    EXPECT_TRUE(sound.clean()) << sound;
    const Ran missing = run_source(all_write(""), {64, 1, 1}, 4);
    EXPECT_TRUE(missing.finds(Finding::Kind::race_global, 7)) << missing;
}

TEST(Idioms, FlagsWithFences) {
    WS_NEED_COMPILER();
    // One warp waits for another within a block, on volatile flags and with acquire and release.
    const Ran flag = run(R"(__shared__ int data[32]; __shared__ volatile int ready;
        if (t == 0) ready = 0; __syncthreads();
        if (t >= 32) { data[t - 32] = in[t]; __threadfence_block(); __syncwarp(); if (t == 32) ready = 1; }
        else { while (ready == 0) {} __threadfence_block(); out[t] = data[31 - t]; })");
    EXPECT_TRUE(flag.clean()) << flag;
    EXPECT_EQ(flag.out[0], 64);
    const Ran release = run(R"(__shared__ int data[32]; __shared__ int ready;
        unsigned at = (unsigned)__cvta_generic_to_shared(&ready); int seen = 0;
        if (t == 0) ready = 0; __syncthreads();
        if (t >= 32) { data[t - 32] = in[t]; __syncwarp();
            if (t == 32) asm volatile("st.release.cta.shared.u32 [%0], %1;" :: "r"(at), "r"(1) : "memory"); }
        else { while (!seen) asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(seen) : "r"(at) : "memory");
            out[t] = data[31 - t]; })");
    EXPECT_TRUE(release.clean()) << release;
    EXPECT_EQ(release.out[31], 33);
    // Without the fence, and without the lanes having met.
    EXPECT_TRUE(found(run(R"(__shared__ volatile int data[32]; __shared__ volatile int ready;
        if (t == 0) ready = 0; __syncthreads();
        if (t >= 32) { data[t - 32] = in[t]; __syncwarp(); if (t == 32) ready = 1; }
        else { while (ready == 0) {} out[t] = data[31 - t]; })")
                          .outcome,
                      Finding::Kind::race_shared));
    // Blocks in a chain, each behind the one before.
    const Ran chain =
        run("volatile int* flags = in; int b = blockIdx.x;\n"
            "if (t == 0) { if (b > 0) { while (flags[b - 1] != -1) {} __threadfence(); }\n"
            " out[b] = b == 0 ? 1 : out[b - 1] * 2; __threadfence(); flags[b] = -1; }",
            {32, 1, 1}, 12);
    EXPECT_TRUE(chain.clean()) << chain;
    EXPECT_EQ(chain.out[11], 2048);
}

TEST(Idioms, ALockAroundPlainAccesses) {
    WS_NEED_COMPILER();
    const auto locked = [](const char* fence) {
        return run(
            std::string("if (t % 32 == 0) { while (atomicCAS(in, 1, 0) != 1) {}\n out[0] = out[0] + 2; ") +
            fence + " atomicExch(in, 1); }");
    };
    const Ran sound = locked("__threadfence();");
    EXPECT_TRUE(sound.clean()) << sound;
    EXPECT_EQ(sound.out[0], 4);
    EXPECT_TRUE(locked("").finds(Finding::Kind::race_global, 4));
}

}  // namespace
}  // namespace ws
