// malloc, free, new and delete in kernels: what they give, what the checks find, and that nothing depends on
// the host's threads.

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/simt/device_heap.h"
#include "simt_support.h"

namespace ws {
namespace {

using testing::Kernel;
using testing::Ran;
using testing::run;

// ---- the heap itself

TEST(DeviceHeap, GivesWhatItHasAndTakesItBack) {
    simt::DeviceHeap heap;
    EXPECT_FALSE(heap.is_used());
    EXPECT_EQ(heap.allocate(0, 1), 0u);
    EXPECT_EQ(heap.allocate(simt::DeviceHeap::kBytes, 1), 0u) << "a header does not fit";
    std::vector<std::uint64_t> given;
    while (const std::uint64_t address = heap.allocate(1000, 7)) {
        EXPECT_EQ(address % 16, 0u);
        ASSERT_NE(heap.at(address, 1000), nullptr);
        EXPECT_EQ(heap.at(address, 1001), nullptr);
        EXPECT_EQ(heap.at(address - 1, 1), nullptr);
        given.push_back(address);
    }
    EXPECT_GT(given.size(), simt::DeviceHeap::kBytes / 1100);
    // Every second piece is given back: none larger fits between them, as many of the same do.
    for (std::size_t i = 0; i < given.size(); i += 2) EXPECT_EQ(heap.release(given[i], 9), "");
    EXPECT_EQ(heap.allocate(3000, 8), 0u);
    for (std::size_t i = 0; i < given.size(); i += 2) {
        EXPECT_EQ(heap.at(given[i], 1), nullptr);
        EXPECT_NE(heap.allocate(1000, 8), 0u) << i;
    }
    EXPECT_EQ(heap.allocate(1000, 8), 0u);
    ASSERT_EQ(heap.leaks().size(), 2u) << "by the line of malloc";
    EXPECT_EQ(heap.leaks()[0].line, 7);
    EXPECT_EQ(heap.leaks()[1].count, (given.size() + 1) / 2);
}

TEST(DeviceHeap, WhatWasFreedIsGivenAgainAsLateAsItMay) {
    simt::DeviceHeap heap;
    const std::uint64_t first = heap.allocate(64, 1);
    EXPECT_EQ(heap.release(first, 2), "");
    for (int i = 0; i < 50'000; ++i) {
        const std::uint64_t next = heap.allocate(64, 3);
        EXPECT_NE(next, first);
        EXPECT_EQ(heap.release(next, 4), "");
    }
    EXPECT_EQ(heap.release(first, 5), "free of the 64 bytes of malloc in line 1 that were freed in line 2");
    EXPECT_EQ(heap.release(first + 16, 5), "free of an address that malloc did not give");
    EXPECT_NE(heap.text_of(first + 4).find("offset 4 of the 64 bytes of malloc in line 1, which were freed"),
              std::string::npos)
        << heap.text_of(first + 4);
}

// ---- kernels

TEST(SimtHeap, PointersLiveAsLongAsTheProgramSays) {
    WS_NEED_COMPILER();
    const Ran list = run(R"( struct Node { int value; Node* next; };
 Node* head = nullptr;
 for (int i = 0; i < 3; ++i) { Node* made = new Node{in[t] + i, head}; head = made; }
 int* sums = (int*)malloc(2 * sizeof(int)); sums[0] = 0; sums[1] = 1;
 while (head) { sums[0] += head->value; sums[1] *= 2; Node* done = head; head = head->next; delete done; }
 out[t] = sums[0] + sums[1]; free(sums); free(nullptr);)");
    EXPECT_TRUE(list.clean()) << list;
    for (int t = 0; t < 64; ++t) EXPECT_EQ(list.out[std::size_t(t)], 3 * (t + 1) + 3 + 8);
}

TEST(SimtHeap, GivesNullWhereItIsFull) {
    WS_NEED_COMPILER();
    const Ran full =
        run(" volatile int* p = (int*)malloc(1 << 20);\n"
            " if (p) *p = t; out[t] = p != nullptr; if (p) free((void*)p);\n"
            " volatile int* q = (int*)malloc(9 << 20); if (q) *q = 1; out[t + 64] = q == nullptr;");
    EXPECT_TRUE(full.clean()) << full;
    int got = 0;
    for (int t = 0; t < 64; ++t) {
        got += full.out[std::size_t(t)];
        EXPECT_EQ(full.out[std::size_t(t) + 64], 1);
    }
    // Each of a warp's lanes asks before one gives back.
    EXPECT_EQ(got, 14);
}

TEST(SimtHeap, FindsWrongUses) {
    WS_NEED_COMPILER();
    const Ran after =
        run(" volatile int* p = new int[4];\n p[1] = t;\n out[t] = p[1];\n delete[] p;\n out[t] += p[1];");
    EXPECT_TRUE(after.finds(Finding::Kind::out_of_bounds, 7)) << after;
    EXPECT_TRUE(after.says("offset 4 of the 16 bytes of malloc in line 3, which were freed in line 6"))
        << after;
    const Ran twice = run(
        " volatile int* p = new int[4]; p[0] = 1;\n free((void*)p);\n out[t] = p != out;\n free((void*)p);");
    EXPECT_TRUE(twice.finds(Finding::Kind::wrong_free, 6)) << twice;
    EXPECT_TRUE(run(" out[t] = 1;\n free(out + t);").finds(Finding::Kind::wrong_free, 4));
    const Ran beyond =
        run(" volatile int* p = new int[4];\n p[t == 9 ? 4 : 3] = t;\n out[t] = 1; delete[] p;");
    EXPECT_TRUE(beyond.finds(Finding::Kind::out_of_bounds, 4)) << beyond;
    EXPECT_TRUE(beyond.says("write of 4 bytes: offset 16 of the 16 bytes of malloc in line 3")) << beyond;
    const Ran empty = run(" volatile int* p = new int[4];\n p[1] = t;\n out[t] = p[2] + p[1]; delete[] p;");
    EXPECT_TRUE(empty.finds(Finding::Kind::uninitialised, 5)) << empty;
}

// Memory that others had before is nobody's: neither a race nor given.
TEST(SimtHeap, ForgetsWhoHadTheMemoryBefore) {
    WS_NEED_COMPILER();
    const std::string often =
        " for (int i = 0; i < 40; ++i) { volatile int* p = (int*)malloc(8192);\n"
        "  p[t] = i; p[t] += 1; out[blockIdx.x * 64 + t] = p[t]; free((void*)p); }";
    const Ran reused = run(often, {64, 1, 1}, 3);
    EXPECT_TRUE(reused.clean()) << reused;
    const Ran stale =
        run(" for (int i = 0; i < 40; ++i) { volatile int* p = (int*)malloc(8192);\n"
            "  if (i < 20) p[t] = i; out[t] += p[t]; free((void*)p); }");
    EXPECT_TRUE(stale.finds(Finding::Kind::uninitialised, 4)) << stale;
}

TEST(SimtHeap, WhatIsNeverFreedIsANote) {
    WS_NEED_COMPILER();
    std::vector<int> out(256);
    std::vector<int> in(256, 1);
    Kernel kernel(testing::source_of(" volatile int* p = new int[3];\n p[0] = t;\n out[blockIdx.x * 64 + t] "
                                     "= p[0];\n if (t % 2) delete[] p;"),
                  "k");
    const auto outcome = kernel.buffer(out).buffer(in).run({2, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << testing::findings_text(outcome);
    ASSERT_EQ(kernel.leaks().size(), 1u);
    EXPECT_EQ(kernel.leaks()[0].line, 3);
    EXPECT_EQ(kernel.leaks()[0].count, 64u);
    EXPECT_EQ(kernel.leaks()[0].severity, Severity::note);
    EXPECT_EQ(kernel.leaks()[0].message, "768 bytes in 64 pieces of malloc are never freed, line 3");
}

// Addresses, and with them sectors, are the same whoever runs the blocks; so is a heap that runs full.
TEST(SimtHeap, TheHostsThreadsChangeNothing) {
    WS_NEED_COMPILER();
    const auto counted = [](int threads) {
        std::vector<int> out(256);
        std::vector<int> in(256, 1);
        Kernel kernel(testing::source_of(" int* p = (int*)malloc(4 * (1 + (blockIdx.x * 7 + t) % 300));\n"
                                         " if (p) { p[0] = t; atomicAdd(out + t, p[0]); }\n"
                                         " if (blockIdx.x % 3) free(p);"),
                      "k");
        kernel.options().threads = threads;
        auto outcome = kernel.buffer(out).buffer(in).run({400, 1, 1}, {64, 1, 1});
        return std::tuple{out, outcome.counters.total, kernel.leaks().at(0).count};
    };
    EXPECT_EQ(counted(1), counted(5));
}

// A list that one kernel leaves is there for the next one; a launch of some blocks leaves nothing.
TEST(SimtHeap, LastsFromLaunchToLaunch) {
    WS_NEED_COMPILER();
    std::string entry;
    const std::string ptx = testing::ptx_of(
        "__device__ int* kept; extern \"C\" __global__ void k(int* out, int turn) {"
        " if (turn == 0) { kept = new int[2]; kept[1] = 5; } else { out[0] = kept[1]; delete[] kept; } }",
        "k", entry);
    const auto program = simt::load_program(ptx, entry);
    ASSERT_TRUE(program.ok()) << program.message();
    simt::Gpu gpu(GpuTable().named("RTX 3060"));
    std::vector<int> out(1);
    simt::KernelLaunch launch{program.value(), {1, 1, 1}, {1, 1, 1}, 0, {}};
    set_parameter(launch, 0, gpu.map(std::as_writable_bytes(std::span(out))), 8);
    simt::LaunchOptions some;
    some.blocks = {0};
    set_parameter(launch, 1, 0, 4);
    (void)gpu.launch(launch, some);
    EXPECT_TRUE(gpu.leaks().empty());
    simt::LaunchOptions options;
    options.check = true;
    EXPECT_TRUE(gpu.launch(launch, options).counters.findings.empty());
    EXPECT_EQ(gpu.leaks().size(), 1u);
    set_parameter(launch, 1, 1, 4);
    EXPECT_TRUE(gpu.launch(launch, options).counters.findings.empty());
    EXPECT_EQ(out[0], 5);
    EXPECT_TRUE(gpu.leaks().empty());
}

}  // namespace
}  // namespace ws
