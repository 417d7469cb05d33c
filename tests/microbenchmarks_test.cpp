// The microbenchmarks that calibrate a GPU: what becomes of their clocks, and their kernels, compiled for
// every architecture and run on the simulated GPU.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <regex>
#include <set>

#include "gpu/analysis/profiles.h"
#include "gpu/calibration/microbenchmarks.h"
#include "gpu/core/error.h"
#include "gpu/engine/microbenchmark_request.h"
#include "gpu/sass/machine_code_reader.h"
#include "tests/architectures.h"
#include "tests/simt_session.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

using testing::SimtSession;

// ---- from clocks to figures

TEST(Microbenchmarks, WhatComesBesideTheRoundsDoesNotCount) {
    const double beside = 777, round = 12.5;
    const TwoLengths two{32, beside + 32 * round, 96, beside + 96 * round};
    EXPECT_DOUBLE_EQ(two.clocks_of_round(), round);
}

TEST(Microbenchmarks, ABarrierIsArrivalsAndWhatComesAfterTheLast) {
    const BarrierClocks barrier = barrier_clocks(14, 76);
    EXPECT_DOUBLE_EQ(barrier.arrival, 2);
    EXPECT_DOUBLE_EQ(barrier.after_last, 12);
}

TEST(Microbenchmarks, ALoopsStallsAreCounted) {
    MachineCode code;
    const auto add = [&](int stall, int target) {
        MachineInstruction one;
        one.address = int(code.instructions.size()) * kMachineInstructionBytes;
        one.control.stall = stall;
        one.target = target;
        if (target >= 0) one.kind = MachineKind::branch;
        code.instructions.push_back(one);
    };
    add(7, -1);
    EXPECT_FALSE(stalls_of_loop(code));
    add(2, -1);
    add(0, -1);  // takes a clock all the same
    add(13, -1);
    add(5, 16);
    EXPECT_EQ(stalls_of_loop(code), 21);
    add(5, int(code.instructions.size()) * kMachineInstructionBytes);
    EXPECT_EQ(stalls_of_loop(code), 21) << "what stands behind a kernel's end";
    add(5, 0);
    EXPECT_FALSE(stalls_of_loop(code)) << "which of them?";
}

// ---- the kernels

const std::vector<std::pair<std::string, std::string>>& entries() {
    static const std::vector<std::pair<std::string, std::string>> kEntries = [] {
        std::vector<std::pair<std::string, std::string>> made;
        static const std::regex kEntry(
            R"(__global__ void (?:__launch_bounds__\(1024\) )?(\w+)\(|\n(?:PIPE|LATENCY)\((\w+), )");
        for (const EmbeddedFile& file : microbenchmark_files()) {
            if (!file.name.ends_with(".cu")) continue;
            EXPECT_TRUE(file.text.starts_with("// ")) << file.name << " opens with its comment";
            const std::string text(file.text), name(file.name.substr(0, file.name.size() - 3));
            for (std::sregex_iterator one(text.begin(), text.end(), kEntry), end; one != end; ++one) {
                const std::string entry = (*one)[1].matched ? (*one)[1] : (*one)[2];
                if (entry != "name" && !entry.starts_with("__")) made.emplace_back(name, entry);
            }
        }
        return made;
    }();
    return kEntries;
}

// What a round of a kernel executes, so often: the assembler has left it in the loop.
struct Repeated {
    std::string_view entry, name;
    int times;
};
constexpr Repeated kRepeated[] = {
    {"fma_pipe", "FFMA", 128},
    {"fma_heavy_pipe", "IMAD", 128},
    {"fp16_pipe", "HFMA2", 128},
    {"alu_pipe", "LOP3", 128},
    {"fp64_pipe", "DFMA", 128},
    {"xu_pipe", "MUFU", 128},
    {"shuffle_pipe", "SHFL", 128},
    {"special_latency", "MUFU", 128},
    {"fp64_latency", "DFMA", 128},
    {"shuffle_latency", "SHFL", 128},
    {"chase", "LDG", 16},
    {"chase_shared", "LDS", 16},
    {"chase_constant", "LDC", 16},
    {"l1_lines", "LDG", 4},
    {"shared_wavefronts", "LDS", 4},
    {"shared_atomics", "ATOMS", 1},
    {"barriers", "BAR", 64},
    {"loop", "FFMA", 1},
    {"read_words", "LDG", 8},
    {"read_lines", "LDG", 8},
    {"write_words", "STG", 8},
    {"write_parts", "STG", 8},
    {"write_lines", "STG", 8},
    {"atomics_words", "RED", 1},
    {"busy", "FFMA", 128},
};
// Of the blocks of a stream, which have no loop.
constexpr Repeated kOfStream[] = {
    {"stream_in", "LDG", 8},
    {"stream_out", "STG", 8},
    {"stream_through", "LDG", 8},
    {"stream_through", "STG", 8},
};
int in_all(const MachineCode& code, std::string_view name) {
    return int(std::count_if(code.instructions.begin(), code.instructions.end(),
                             [&](const MachineInstruction& one) { return one.name.starts_with(name); }));
}
// At most in any of them.
int in_loops(const MachineCode& code, std::string_view name) {
    int most = 0;
    for (const MachineInstruction& branch : code.instructions) {
        if (branch.kind != MachineKind::branch || branch.target < 0 || branch.target >= branch.address)
            continue;
        int times = 0;
        for (const MachineInstruction& one : code.instructions)
            times +=
                one.address >= branch.target && one.address <= branch.address && one.name.starts_with(name);
        most = std::max(most, times);
    }
    return most;
}

class Architecture : public ::testing::TestWithParam<int> {};

TEST_P(Architecture, EveryMicrobenchmarkCompiles) {
    WS_NEED_COMPILER();
    const Nvrtc& nvrtc = *testing::compiler();
    WS_NEED_ARCHITECTURE(nvrtc, GetParam());
    EXPECT_GE(entries().size(), 25u);
    for (const auto& [kernel, entry] : entries()) {
        const auto compiled = nvrtc.compile(microbenchmark_request(kernel, entry, {GetParam(), false}));
        ASSERT_TRUE(compiled.ok()) << entry << ": " << compiled.message();
        const CompileReport& report = compiled.value().report;
        EXPECT_EQ(report.local_bytes, 0) << entry << " spills";
        EXPECT_LE(report.registers, 64) << entry << " does not fit in a block of 1024 threads";
        const Result<MachineCode> code = read_machine_code(compiled.value().binary, compiled.value().entry);
        ASSERT_TRUE(code.ok()) << entry << ": " << code.message();
        const bool holds_two = GetParam() == 80 || GetParam() == 90 || GetParam() == 100;  // blocks of 1024
        EXPECT_LE(report.registers, kernel == "levels" && holds_two ? 32 : 64) << entry;
        for (const Repeated& one : kRepeated) {
            if (one.entry != entry) continue;
            EXPECT_GE(in_loops(code.value(), one.name), one.times) << entry << " " << one.name;
        }
        for (const Repeated& one : kOfStream) {
            if (one.entry != entry) continue;
            EXPECT_GE(in_all(code.value(), one.name), one.times) << entry << " " << one.name;
        }
        if (entry != kLoopEntry) continue;
        const std::optional<double> stalls = stalls_of_loop(code.value());
        ASSERT_TRUE(stalls);
        EXPECT_GE(*stalls, 10);
        EXPECT_LE(*stalls, 40);
    }
}

INSTANTIATE_TEST_SUITE_P(Sm, Architecture, ::testing::ValuesIn(testing::kArchitectures));

std::string microbenchmark_ptx(std::string_view kernel, std::string_view entry) {
    const auto compiled = testing::compiler()->compile(microbenchmark_request(kernel, entry, {75, true}));
    EXPECT_TRUE(compiled.ok()) << entry << ": " << (compiled.ok() ? "" : compiled.message());
    return compiled.ok() ? std::string(compiled.value().binary.data(), compiled.value().binary.size()) : "";
}

// One multiprocessor with little memory.
GpuProfile small_gpu() {
    GpuProfile gpu = GpuTable().named("RTX 3060");
    gpu.multiprocessors = 2;
    gpu.l2_kib = 96;
    gpu.memory_gib = 8.0 / 1024;
    return gpu;
}

class OnSimulatedGpu : public ::testing::Test {
  protected:
    void SetUp() override { WS_NEED_COMPILER(); }
    SimtSession session_{small_gpu(), microbenchmark_ptx};
    MicrobenchmarkOptions options_{.samples = 2,
                                   .loop_stalls = 1.0,
                                   .shorter = 64,
                                   .warm_up_ms = 0,
                                   .stop = {},
                                   .progress = [](int, int) {}};
};

TEST_F(OnSimulatedGpu, EveryKernelRunsAndEveryRateIsMeasured) {
    std::vector<int> done;
    int total = 0;
    options_.progress = [&](int at, int of) {
        done.push_back(at);
        total = of;
    };
    const MeasuredRates measured = run_microbenchmarks(session_, small_gpu(), options_);
    EXPECT_TRUE(measured.complete);
    EXPECT_GT(measured.clock_mhz, 0);
    for (int i = 0; i < kGpuRates; ++i) {
        const RateRow& row = row_of(GpuRate(i));
        ASSERT_TRUE(measured.rates[std::size_t(i)]) << row.name;
        const Statistics& one = *measured.rates[std::size_t(i)];
        EXPECT_EQ(one.samples, 2) << row.name;
        EXPECT_TRUE(std::isfinite(one.median)) << row.name << " " << one.median;
        // Differences, which mean nothing where warps run one after the other.
        const bool difference = GpuRate(i) == GpuRate::barrier || GpuRate(i) == GpuRate::barrier_arrival ||
                                GpuRate(i) == GpuRate::taken_branch;
        EXPECT_TRUE(difference || one.median > 0) << row.name << " " << one.median;
    }
    for (const auto& [kernel, entry] : entries()) EXPECT_GT(session_.launches[entry], 0) << entry;
    EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
    EXPECT_EQ(done.back(), total);
}

TEST_F(OnSimulatedGpu, ItTakesLessMemoryWhereThereIsLess) {
    session_.most_bytes = std::size_t(1) << 20;
    options_.samples = 1;
    EXPECT_TRUE(run_microbenchmarks(session_, small_gpu(), options_).complete);
    session_.most_bytes = std::size_t(100) << 10;  // L2 would answer
    EXPECT_THROW((void)run_microbenchmarks(session_, small_gpu(), options_), Error);
}

TEST_F(OnSimulatedGpu, ItStopsWhenItIsToldTo) {
    std::stop_source stop;
    options_.stop = stop.get_token();
    options_.progress = [&](int done, int) {
        if (done == 3) stop.request_stop();
    };
    const MeasuredRates measured = run_microbenchmarks(session_, small_gpu(), options_);
    EXPECT_FALSE(measured.complete);
    EXPECT_FALSE(measured.rates[std::size_t(GpuRate::launch)]);
}

// Whoever follows the links is at every node once before the first comes again, and a chase follows 16 a
// round.
TEST_F(OnSimulatedGpu, AChaseVisitsEveryNode) {
    constexpr std::uint64_t kNodes = 256;
    constexpr std::size_t kNode = 128;
    const QueuePtr queue = session_.queue(0);
    const MemoryPtr spans = session_.device_memory(0, 33 * 32),
                    data = session_.device_memory(0, kNodes * kNode),
                    host = session_.host_memory(HostMemory::pageable, kNodes * kNode);
    session_.fill(*queue, *data, 0);
    const auto launch = [&](std::string_view entry, unsigned threads, std::uint64_t rounds,
                            std::uint64_t choice) {
        KernelCall call{.kernel = "chases", .entry = entry, .threads = threads, .arguments = {}};
        call.arguments = {
            {spans.get(), 0, 0}, {data.get(), 0, 0}, {nullptr, 0, rounds}, {nullptr, 0, choice}};
        session_.launch(*queue, call);
        session_.copy(*queue, *host, 0, *data, 0, kNodes * kNode);
    };
    const auto word = [&](std::size_t at) {
        std::uint64_t value = 0;
        std::memcpy(&value, host->data() + at, sizeof value);
        return value;
    };
    launch("lay_ring", 64, 0, kNodes);
    const std::uint64_t base = SimtSession::of(*data).address;
    std::set<std::uint64_t> seen;
    std::uint64_t at = base;
    int neighbours = 0;
    while (seen.insert(at).second) {
        const std::uint64_t next = word(at - base);
        ASSERT_EQ((next - base) % kNode, 0u);
        ASSERT_LT(next - base, kNodes * kNode);
        neighbours += next == at + kNode;
        at = next;
    }
    EXPECT_EQ(seen.size(), kNodes);
    EXPECT_EQ(at, base);
    EXPECT_LT(neighbours, 8) << "in an order that nobody guesses";
    const auto place = [&] { return word(8); };
    EXPECT_EQ(place(), base);
    launch("chase", 32, 3, 2);
    at = base;
    for (int i = 0; i < 16 * (3 + 2); ++i) at = word(at - base);
    EXPECT_EQ(place(), at) << "the rounds that warm up, and those that count";
    launch("chase", 32, kNodes / 16 - 5, 0);
    EXPECT_EQ(place(), base) << "it goes on where it was";
}

// Blocks go through the region from one end to the other, each word once, and begin anew behind its end.
TEST_F(OnSimulatedGpu, AStreamGoesOverEveryWordOnce) {
    constexpr std::size_t kWords = 16 * 2048, kBytes = 4 * kWords;
    const QueuePtr queue = session_.queue(0);
    const MemoryPtr spans = session_.device_memory(0, 33 * 32), data = session_.device_memory(0, kBytes),
                    host = session_.host_memory(HostMemory::pageable, kBytes);
    const auto words_after = [&](std::string_view entry, unsigned blocks, std::uint64_t rounds) {
        KernelCall call{
            .kernel = "streams", .entry = entry, .blocks = blocks, .threads = 256, .arguments = {}};
        call.arguments = {
            {spans.get(), 0, 0}, {data.get(), 0, 0}, {nullptr, 0, rounds}, {nullptr, 0, kWords - 1}};
        session_.launch(*queue, call);
        session_.copy(*queue, *host, 0, *data, 0, kBytes);
        std::vector<std::uint32_t> words(kWords);
        std::memcpy(words.data(), host->data(), kBytes);
        return words;
    };
    session_.fill(*queue, *data, 0);
    std::vector<std::uint32_t> words = words_after("stream_out", 3, 7);
    EXPECT_EQ(std::count(words.begin(), words.begin() + 3 * 2048, 7u), 3 * 2048);
    EXPECT_EQ(std::count(words.begin(), words.end(), 7u), 3 * 2048);
    // The second half gets what two blocks read.
    words = words_after("stream_through", 2, 0);
    EXPECT_EQ(std::count(words.begin() + kWords / 2, words.begin() + kWords / 2 + 2 * 2048, 7u), 2 * 2048);
    EXPECT_EQ(std::count(words.begin(), words.end(), 7u), 5 * 2048);
    words = words_after("stream_out", 17, 9);
    EXPECT_EQ(std::count(words.begin(), words.end(), 9u), std::ptrdiff_t(kWords));
}

}  // namespace
}  // namespace ws
