// What is traced of kernels whose blocks are long, or do not all do the same, and what that says of the
// whole.

#include "gpu/engine/traced_kernel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "gpu/analysis/occupancy.h"
#include "gpu/analysis/profiles.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/engine/block_sample.h"
#include "gpu/sass/machine_code_reader.h"
#include "gpu/simt/step_launch.h"

namespace ws {
namespace {

// Rounds of products on one pipe, then rounds of bitwise operations on another one of half its rate; where
// `apart`, the blocks of the grid's middle third do the first, the others the second.
constexpr int kLineOfProducts = 12, kLineOfBits = 15;
constexpr const char* kSource = R"(
extern "C" __global__ void rounds(unsigned* out, int products, int bits, bool apart) {
    if (apart) {
        const bool middle = blockIdx.x >= gridDim.x / 3 && blockIdx.x < gridDim.x / 3 * 2;
        (middle ? bits : products) = 0;
    }
    const int i = blockIdx.x * 256 + threadIdx.x;
    float x = threadIdx.x;
    unsigned n = i;
#pragma unroll 1
    for (int k = 0; k < products; ++k)
        for (int j = 0; j < 16; ++j) x = x * 0.99f + 0.5f;
#pragma unroll 1
    for (int k = 0; k < bits; ++k)
        for (int j = 0; j < 16; ++j) n = (n << 3) ^ i;
    out[i] = n + unsigned(x);
})";

std::shared_ptr<const CompiledKernel> compiled(const Nvrtc& nvrtc, bool to_ptx,
                                               const std::string& text = kSource) {
    CompileRequest request;
    request.name = "rounds.cu";
    request.text = text;
    request.entry = "rounds";
    request.architecture = 90;
    request.to_ptx = to_ptx;
    return std::make_shared<const CompiledKernel>(nvrtc.compile(request).value());
}

// So many blocks for each multiprocessor of an H200 that has four of these.
class Rounds {
  public:
    explicit Rounds(const Nvrtc& nvrtc, int of_one = 4) : of_one_(of_one), gpu_(GpuTable().named("H200")) {
        gpu_.multiprocessors = 4;
        kernel_ = compiled(nvrtc, false);
        out_.resize(std::size_t(blocks()) * 256);
    }
    [[nodiscard]] int blocks() const { return of_one_ * gpu_.multiprocessors; }

    struct Clocked {
        ClockedLaunch launch;
        double instructions = 0;                          // of the PTX
        int staged = 0;                                   // times
        std::shared_ptr<const CompiledKernel> as_staged;  // the PTX
    };
    // `counted`: the PTX that was counted.
    Clocked clock(int products, int bits, bool apart = false,
                  std::shared_ptr<const CompiledKernel> counted_ptx = nullptr) {
        const auto stage = [&] {
            StagedLaunch made{simt::Gpu(gpu_), {}};
            made.launch.program = simt::load_program(ptx_in(kernel_->binary), kernel_->entry).value();
            made.launch.grid = {blocks(), 1, 1};
            made.launch.block = {256, 1, 1};
            const std::uint64_t out =
                made.gpu.map(std::as_writable_bytes(std::span(out_)), simt::Content::unwritten);
            simt::set_parameter(made.launch, 0, out, 8);
            simt::set_parameter(made.launch, 1, std::uint64_t(products), 4);
            simt::set_parameter(made.launch, 2, std::uint64_t(bits), 4);
            simt::set_parameter(made.launch, 3, std::uint64_t(apart), 1);
            return made;
        };
        Clocked made;
        StagedLaunch counted = stage();
        ClockJob job;
        job.key.counts.gpu = gpu_;
        job.launch.kernel = kernel_;
        job.launch.grid = {blocks(), 1};
        job.launch.block = {256, 1};
        job.counters = std::make_shared<const KernelCounters>(
            counted.gpu.launch(counted.launch, simt::step_options()).counters);
        made.instructions = double(job.counters->total.instructions);
        job.ptx = std::move(counted_ptx);
        const auto count_and_stage = [&](const Launch& launch) {
            ++made.staged;
            made.as_staged = launch.kernel;
            return stage();
        };
        const std::atomic<bool> cancel{false};
        made.launch = TracedKernel::make(job, count_and_stage, cancel)->launch(gpu_);
        return made;
    }

  private:
    int of_one_;
    GpuProfile gpu_;
    std::shared_ptr<const CompiledKernel> kernel_;
    std::vector<std::uint32_t> out_;
};

TEST(BlockSample, FromAllOverTheGridAreAsManyBlocksOfIt) {
    for (const std::uint64_t blocks : {1, 7, 40, 41, 400, 4001, 65536})
        for (const int multiprocessors : {1, 4, 132})
            for (const int resident : {1, 4, 8})
                for (const double steps : {100.0, 3000.0, 1e6}) {
                    const BlockSample middle = block_sample(blocks, multiprocessors, resident, steps);
                    const BlockSample other = from_all_over(middle, blocks, multiprocessors, resident);
                    const std::string of = std::to_string(blocks) + " blocks, " +
                                           std::to_string(multiprocessors) + " multiprocessors, " +
                                           std::to_string(resident) + " resident, " + std::to_string(steps);
                    const std::uint64_t traced = middle.blocks.size() - middle.warm_up;
                    const std::uint64_t rounds = traced / std::uint64_t(resident);
                    if (rounds < 2 || traced >= blocks / std::uint64_t(multiprocessors)) {
                        EXPECT_EQ(other.blocks, middle.blocks) << of;
                        continue;
                    }
                    EXPECT_EQ(other.blocks.size() - other.warm_up, rounds * std::uint64_t(resident)) << of;
                    const std::set<std::uint64_t> different(
                        other.blocks.begin() + std::ptrdiff_t(other.warm_up), other.blocks.end());
                    EXPECT_EQ(different.size(), other.blocks.size() - other.warm_up) << of;
                    EXPECT_LT(*different.rbegin(), blocks) << of;
                    // A round from each part of the grid, so one from the first half and one from the second.
                    EXPECT_LT(*different.begin(), blocks / 2) << of;
                    EXPECT_GE(*different.rbegin(), blocks / 2 - std::uint64_t(multiprocessors)) << of;
                }
}

TEST(BlockSample, AreAllOfAMultiprocessorOrWholeRounds) {
    constexpr int kMultiprocessors = 100, kResident = 8;
    const auto traced = [](std::uint64_t here, double steps) {
        const BlockSample made = block_sample(here * kMultiprocessors, kMultiprocessors, kResident, steps);
        return made.blocks.size() - made.warm_up;
    };
    EXPECT_EQ(traced(100, 2600), 100u) << "all that it does, and no whole rounds: 260 000 instructions";
    EXPECT_EQ(traced(100, 2800), 48u) << "six whole rounds: 150 000 instructions, about";
    EXPECT_EQ(traced(1000, 1000), 128u) << "16 rounds";
    EXPECT_EQ(traced(1000, 2000), 72u) << "150 000 instructions, about";
    EXPECT_EQ(traced(1000, 1e6), 8u) << "one round at least";
    EXPECT_EQ(traced(3, 1e6), 3u);
}

TEST(TracedKernel, OfLongBlocksAPartStandsForTheWhole) {
    const auto nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.message();
    Rounds rounds(*nvrtc.value());
    const Rounds::Clocked few = rounds.clock(200, 0);    // 32 warps: some 0.1 million on a multiprocessor
    const Rounds::Clocked many = rounds.clock(2000, 0);  // and a million
    EXPECT_EQ(many.staged, 1);
    const double times = many.instructions / few.instructions;
    EXPECT_GT(times, 9);
    EXPECT_NEAR(many.launch.instructions / few.launch.instructions, times, 0.02 * times);
    const auto of_blocks = [](const Rounds::Clocked& one) { return one.launch.ms - one.launch.launch_ms; };
    EXPECT_NEAR(of_blocks(many) / of_blocks(few), times, 0.05 * times);
}

// The first part of its blocks would say nothing of the second loop.
TEST(TracedKernel, WhereTheRestIsOfAnotherKindAllIsTraced) {
    const auto nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.message();
    Rounds rounds(*nvrtc.value());
    const double products = rounds.clock(1000, 0).launch.ms;
    const double bits = rounds.clock(0, 1000).launch.ms;
    ASSERT_GT(bits, 2 * products);
    const Rounds::Clocked both = rounds.clock(1000, 1000);
    EXPECT_EQ(both.staged, 2) << "in memory that no part of a launch has changed";
    EXPECT_LT(both.launch.ms, 1.02 * (products + bits));
    EXPECT_GT(both.launch.ms, 0.85 * (products + bits)) << "some warps are there earlier than others";
}

// Those of the middle, which are traced first, would say nothing of what two thirds of the blocks do.
TEST(TracedKernel, WhereBlocksDifferSomeFromAllOverTheGridAreTraced) {
    const auto nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.message();
    Rounds rounds(*nvrtc.value(), 300);
    const Rounds::Clocked alike = rounds.clock(20, 20);
    EXPECT_EQ(alike.staged, 1);
    const Rounds::Clocked apart = rounds.clock(20, 20, true);
    EXPECT_EQ(apart.staged, 2) << "in memory that no part of a launch has changed";
    const auto bits_to_products = [](const Rounds::Clocked& one) {
        const auto issued = [&](int line) {
            return double(one.launch.at_line.at(std::size_t(line))[std::size_t(WarpState::issuing)]);
        };
        return issued(kLineOfBits) / issued(kLineOfProducts);
    };
    // Twice as many blocks do bits as do products, of some places by chance; in the middle none does.
    const double times = bits_to_products(apart) / bits_to_products(alike);
    EXPECT_GT(times, 1);
    EXPECT_LT(times, 4);
    // What the other blocks do is known from the counts, whichever were traced.
    const auto of_ptx = [](const Rounds::Clocked& one) { return one.launch.instructions / one.instructions; };
    EXPECT_NEAR(of_ptx(apart), of_ptx(alike), 0.1 * of_ptx(alike));
}

// What was counted has been read from its text then: that takes a tenth of a second where it is long.
TEST(TracedKernel, TheCountedPtxIsTracedWhereItIsTheMachineCodes) {
    const auto nvrtc = Nvrtc::open();
    if (!nvrtc.ok()) GTEST_SKIP() << nvrtc.message();
    Rounds rounds(*nvrtc.value());
    const auto same = compiled(*nvrtc.value(), true);
    std::string text = kSource;
    text.replace(text.find("0.99f"), 5, "0.98f");
    const auto other = compiled(*nvrtc.value(), true, text);
    const Rounds::Clocked alone = rounds.clock(100, 10);
    EXPECT_EQ(rounds.clock(100, 10, false, same).as_staged, same);
    EXPECT_EQ(rounds.clock(100, 10, false, same).launch.ms, alone.launch.ms);
    EXPECT_NE(rounds.clock(100, 10, false, other).as_staged, other);
    EXPECT_EQ(rounds.clock(100, 10, false, other).launch.ms, alone.launch.ms);
}

}  // namespace
}  // namespace ws
