// Calibrations: files, which of them a GPU gets, what its clock makes of them, and the microbenchmarks that
// write them, on the simulated GPU.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "gpu/analysis/calibration_file.h"
#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/profiles.h"
#include "gpu/calibration/microbenchmarks.h"
#include "gpu/core/files.h"
#include "gpu/engine/microbenchmark_request.h"
#include "gpu/sass/machine_code_reader.h"
#include "tests/simt_session.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

using testing::SimtSession;

// With every rate, each in the middle of what is possible.
Calibration full(const std::string& gpu, ComputeCapability capability) {
    Calibration made;
    made.gpu = gpu;
    made.capability = capability;
    made.multiprocessors = 30;
    made.clock_mhz = 1500;
    made.bandwidth_gb_s = 900;
    made.date = "2026-11-23";
    made.driver = "13.0";
    made.compiler = "NVRTC 13.0";
    made.samples = 11;
    for (int i = 0; i < kGpuRates; ++i) {
        const RateRow& row = row_of(GpuRate(i));
        double value = std::sqrt(std::max(row.low, 1e-3) * row.high);
        if (GpuRate(i) <= GpuRate::xu) value = std::exp2(std::round(std::log2(value)));
        made.rates[std::size_t(i)] = {value, value / 64};
    }
    for (const GpuRate rate : {GpuRate::memory_read, GpuRate::memory_write, GpuRate::memory_copy})
        made.at(rate) = {16, 0.25};
    return made;
}
const Calibration& h200() {
    static const std::vector<Calibration> kAll = shipped_calibrations();
    return kAll.front();
}
std::string failure(std::string_view text) {
    const Result<Calibration> read = read_calibration(text);
    return read.ok() ? "" : read.message();
}
// The text with a piece exchanged.
std::string with(const std::string& text, const std::string& piece, const std::string& other) {
    const std::size_t at = text.find(piece);
    EXPECT_NE(at, std::string::npos) << piece;
    return std::string(text).replace(at, piece.size(), other);
}

TEST(Calibrations, ComeBackAsTheyWere) {
    Calibration one = full("NVIDIA GeForce RTX 4090", {8, 9});
    const Result<Calibration> read = read_calibration(calibration_text(one));
    ASSERT_TRUE(read.ok()) << read.message();
    EXPECT_EQ(read.value().gpu, one.gpu);
    EXPECT_EQ(read.value().capability, one.capability);
    EXPECT_EQ(read.value().date, one.date);
    for (int i = 0; i < kGpuRates; ++i)
        EXPECT_NEAR(read.value().at(GpuRate(i))->value, one.at(GpuRate(i))->value,
                    1e-3 * one.at(GpuRate(i))->value)
            << row_of(GpuRate(i)).name;
    const Result<Calibration> again = read_calibration(calibration_text(read.value()));
    EXPECT_EQ(again.value(), read.value()) << "four digits are kept";
    one.at(GpuRate::l1_latency).reset();
    EXPECT_FALSE(read_calibration(calibration_text(one)).value().at(GpuRate::l1_latency));
    EXPECT_EQ(calibration_file_name(one), "nvidia-geforce-rtx-4090-8.9.json");
    one.gpu = "../ Größe / ";
    EXPECT_EQ(calibration_file_name(one), "gr-e-8.9.json");
}

TEST(Calibrations, EveryRateHasANameOfItsOwn) {
    std::set<std::string_view> names;
    for (int i = 0; i < kGpuRates; ++i) {
        const RateRow& row = row_of(GpuRate(i));
        EXPECT_TRUE(names.insert(row.name).second) << row.name;
        EXPECT_LT(row.low, row.high) << row.name;
        EXPECT_FALSE(row.what.empty() || row.unit.empty()) << row.name;
    }
}

TEST(Calibrations, BrokenOnesSayWhatIsWrong) {
    const std::string good = calibration_text(full("H200", {9, 0}));
    EXPECT_EQ(failure(good), "");
    EXPECT_EQ(failure(""), "it is no JSON, or not all of it");
    EXPECT_EQ(failure("[]"), "it is no calibration");
    EXPECT_EQ(failure("{}"), "it has no 'calibration'");
    EXPECT_EQ(failure(with(good, "\"calibration\": 1", "\"calibration\": 2")),
              "it is of schema 2, this program reads 1");
    EXPECT_EQ(failure(with(good, "\"9.0\"", "\"ninety\"")), "'ninety' is no compute capability");
    EXPECT_EQ(failure(with(good, "\"H200\"", "7")), "'gpu' is no short text");
    EXPECT_EQ(failure(with(good, "1500", "0")), "'clock_mhz' is no number from 1 to 100000");
    EXPECT_EQ(failure(with(good, "1500", "1500.5")), "'clock_mhz' is no whole number");
    EXPECT_EQ(failure(with(good, "2026-11-23", "yesterday")), "'date' is not written as 2026-11-23");
    EXPECT_EQ(failure(with(good, "l1_latency", "l0_latency")), "there is no rate 'l0_latency'");
    EXPECT_EQ(failure(with(good, "clocks of a scheduler", "parsecs")),
              "'fma' is in another unit than clocks of a scheduler");
    EXPECT_NE(failure(with(good, "\"value\": 2.0", "\"value\": 3.0")), "") << "a pipe of 10.7 lanes";
    EXPECT_NE(failure(with(good, "\"value\": 2.0", "\"value\": -1")), "");
    EXPECT_NE(failure(with(good, "\"value\": 2.0", "\"value\": 1e999")), "");
    EXPECT_NE(failure(with(good, "\"value\": 2.0", "\"value\": null")), "");
    EXPECT_EQ(failure(std::string(20000, '[')), "it is no JSON, or not all of it");
}

TEST(Calibrations, NoTextIsTooBroken) {
    const std::string good = calibration_text(h200());
    for (std::size_t length = 0; length + 2 < good.size(); ++length)
        ASSERT_NE(failure(std::string_view(good).substr(0, length)), "") << length;
    std::mt19937 random(1);
    int read = 0;
    for (int i = 0; i < 4000; ++i) {
        std::string text = good;
        for (unsigned n = random() % 4 + 1; n > 0; --n) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
                case 0:
                    text[at] = char(random());
                    break;
                case 1:
                    text.erase(at, random() % 40);
                    break;
                case 2:
                    text.insert(at, text.substr(random() % text.size(), random() % 40));
                    break;
                default:
                    text[at] = "0123456789.-e\"{}[],:"[random() % 20];
                    break;
            }
        }
        const Result<Calibration> one = read_calibration(text);
        if (!one.ok()) {
            ASSERT_FALSE(one.message().empty());
            continue;
        }
        ++read;
        for (int rate = 0; rate < kGpuRates; ++rate) {
            const auto& measured = one.value().at(GpuRate(rate));
            ASSERT_EQ(measured ? doubt_of(GpuRate(rate), *measured, one.value()) : "", "");
        }
    }
    EXPECT_GT(read, 0) << "some changes do no harm";
}

TEST(Calibrations, OfAFolderBrokenOnesAreLeftOut) {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("calibration_test." + std::to_string(getpid()));
    EXPECT_TRUE(read_calibrations(folder).all.empty());
    write_file(folder / "b.json", calibration_text(full("H100", {9, 0})));
    write_file(folder / "a.json", "{");
    write_file(folder / "c.txt", "nothing");
    write_file(folder / "d.json", std::string(1 << 20, ' '));
    const Calibrations found = read_calibrations(folder);
    ASSERT_EQ(found.all.size(), 1u);
    EXPECT_EQ(found.all.front().gpu, "H100");
    ASSERT_EQ(found.problems.size(), 2u);
    EXPECT_EQ(found.problems.front(), "a calibration is left out, " + (folder / "a.json").string() +
                                          ": it is no JSON, or not all of it");
    EXPECT_NE(found.problems.back().find("d.json"), std::string::npos) << found.problems.back();
    std::filesystem::remove_all(folder);
}

TEST(Calibrations, WhatIsNotPossibleIsDoubted) {
    const Calibration one = full("H200", {9, 0});
    EXPECT_EQ(doubt_of(GpuRate::l1_latency, {40, 1}, one), "");
    EXPECT_NE(doubt_of(GpuRate::l1_latency, {40, 8}, one), "") << "its samples spread too far";
    EXPECT_EQ(doubt_of(GpuRate::block, {3, 0.9}, one), "") << "less than a clock says nothing";
    EXPECT_NE(doubt_of(GpuRate::l1_latency, {4000, 1}, one), "");
    EXPECT_NE(doubt_of(GpuRate::l1_latency, {std::numeric_limits<double>::quiet_NaN(), 0}, one), "");
    EXPECT_NE(doubt_of(GpuRate::l1_latency, {std::numeric_limits<double>::infinity(), 0}, one), "");
    EXPECT_EQ(doubt_of(GpuRate::fma, {1.05, 0}, one), "");
    EXPECT_EQ(doubt_of(GpuRate::fma, {2.1, 0}, one), "");
    EXPECT_NE(doubt_of(GpuRate::fma, {1.4, 0}, one), "") << "no pipe has 23 lanes";
    // 900 GB/s of 30 multiprocessors at 1500 MHz: 20 bytes a clock.
    EXPECT_EQ(doubt_of(GpuRate::memory_read, {19, 0}, one), "");
    EXPECT_NE(doubt_of(GpuRate::memory_read, {21, 0}, one), "");
    EXPECT_EQ(doubt_of(GpuRate::l2_read, {21, 0}, one), "") << "L2 may be faster";
}

// ---- which of them a GPU gets

TEST(Rates, AreTheUsersThenTheProgramsThenAnotherGpus) {
    Calibration own = full("NVIDIA H200", {9, 0});
    own.at(GpuRate::l1_latency) = {50, 0};
    const GpuTable shipped, calibrated({own});
    const GpuProfile& before = shipped.named("H200");
    ASSERT_TRUE(before.rates.own);
    EXPECT_FALSE(before.rates.by_user);
    EXPECT_EQ(english(source_of_rates(before)), "measured on the H200");
    EXPECT_EQ(clock_rates(before).latency.l1, h200().at(GpuRate::l1_latency)->value - 1)
        << "the load/store unit has a clock of its own";
    const GpuProfile& after = calibrated.named("H200");
    EXPECT_TRUE(after.rates.by_user);
    EXPECT_EQ(english(source_of_rates(after)), "calibrated here, 2026-11-23");
    EXPECT_EQ(clock_rates(after).latency.l1, 49);
    for (const GpuTable* table : {&shipped, &calibrated}) {
        EXPECT_FALSE(table->named("H100").rates.own) << "another GPU";
        EXPECT_EQ(english(source_of_rates(table->named("H100"))), "taken from the H200");
        EXPECT_EQ(clock_rates(table->named("H100")).latency.l1, clock_rates(before).latency.l1);
    }
    EXPECT_EQ(english(source_of_rates(GpuProfile{})), "as documented");
    EXPECT_EQ(english(source_of_rates(shipped.named("GTX 1080"))), "as documented")
        << "nothing of a clock is known";
    // Keys hold profiles: tables that say the same make the same profiles.
    EXPECT_EQ(before, GpuTable().named("H200"));
    EXPECT_EQ(after, GpuTable({own}).named("H200"));
    EXPECT_NE(after, before);
}

TEST(Rates, AreFoundUnderTheNameThatTheDriverHas) {
    const GpuTable table({full("NVIDIA H100 80GB HBM3", {9, 0}), full("H200", {8, 0})});
    EXPECT_TRUE(table.named("H100").rates.by_user);
    EXPECT_FALSE(table.named("H200").rates.by_user) << "a GPU of that name with another capability";
    GpuProfile driver = table.named("H100");
    driver.name = "NVIDIA H100 PCIe";
    driver.rates = {};
    EXPECT_FALSE(table.completed(driver).rates.own) << "that is another one";
    EXPECT_TRUE(table.completed(driver).rates.other);
    driver.name = "NVIDIA H100 80GB HBM3";
    EXPECT_TRUE(table.completed(driver).rates.by_user);
}

TEST(Rates, WhatACalibrationLacksComesFromTheNextOne) {
    Calibration own = full("RTX 3060", {8, 6});
    const GpuTable all({own});
    own.at(GpuRate::memory_read).reset();
    own.at(GpuRate::l1_latency).reset();
    own.at(GpuRate::fma).reset();
    const GpuTable some({own});
    const ClockRates rates = clock_rates(some.named("RTX 3060"));
    const ClockRates guide = clock_rates(GpuTable().named("RTX 3060"));
    EXPECT_EQ(rates.latency.l1, guide.latency.l1);
    EXPECT_EQ(rates.memory.read_sector, guide.memory.read_sector);
    EXPECT_EQ(rates.pipe_clocks[std::size_t(MachinePipe::fma)], 1);
    EXPECT_EQ(rates.latency.l2, own.at(GpuRate::l2_latency)->value);
    EXPECT_NE(clock_rates(all.named("RTX 3060")).memory.read_sector, guide.memory.read_sector);
}

TEST(Rates, OfACapabilityAreOfNoOther) {
    const GpuTable table;
    const auto pipe = [&](const char* gpu, MachinePipe which) {
        return clock_rates(table.named(gpu)).pipe_clocks[std::size_t(which)];
    };
    EXPECT_EQ(pipe("H200", MachinePipe::fp64), 2);
    EXPECT_EQ(pipe("H100", MachinePipe::fp64), 2);
    EXPECT_EQ(pipe("RTX 3060", MachinePipe::fp64), 64);
    EXPECT_EQ(pipe("RTX 2080", MachinePipe::fma), 2);
    EXPECT_EQ(clock_rates(table.named("RTX 2080")).latency.memory, 434);
    EXPECT_EQ(clock_rates(table.named("RTX 5090")).latency.memory, 542);
    // What no document has is taken from the GPU that stands in.
    EXPECT_EQ(clock_rates(table.named("RTX 2080")).barrier, clock_rates(table.named("H200")).barrier);
    EXPECT_EQ(clock_rates(table.named("RTX 2080")).l2.read_line,
              clock_rates(table.named("H200")).l2.read_line);
}

// Device memory keeps its own time: a multiprocessor at another clock waits for another number of clocks.
TEST(Rates, OfDeviceMemoryFollowTheClock) {
    Calibration fast = h200();
    fast.clock_mhz = h200().clock_mhz * 2;
    for (const GpuRate rate : {GpuRate::memory_read, GpuRate::memory_write, GpuRate::memory_copy})
        fast.at(rate)->value /= 2;  // the same bytes a second
    const ClockRates usual = clock_rates(GpuTable().named("H200"));
    const ClockRates same = clock_rates(GpuTable({fast}).named("H200"));
    EXPECT_NEAR(same.memory.read_sector, usual.memory.read_sector, 1e-9);
    EXPECT_NEAR(same.memory.write_sector, usual.memory.write_sector, 1e-9);
    EXPECT_EQ(same.l2.read_sector, usual.l2.read_sector);
    // An H100 has 0.68 of an H200's bandwidth.
    const GpuProfile h100 = GpuTable().named("H100");
    EXPECT_NEAR(clock_rates(h100).memory.read_sector,
                usual.memory.read_sector * h200().bandwidth_gb_s / 3352.3, 1e-3);
}

TEST(Rates, OfTheH200AreThoseOfTheDocumentation) {
    std::ostringstream read;
    read << std::ifstream(std::filesystem::path(WARPSCOPE_SOURCE_DIR) / "docs" / "clock.md").rdbuf();
    const std::string text = read.str();
    EXPECT_EQ(h200().gpu, "NVIDIA H200");
    EXPECT_NE(text.find(h200().date), std::string::npos);
    int rows = 0;
    static const std::regex kRow(R"(\| `(\w+)` \| ([-0-9.e]+) \| ([^|]+) \|)");
    for (std::sregex_iterator row(text.begin(), text.end(), kRow), end; row != end; ++row) {
        const std::string name = (*row)[1];
        int i = 0;
        while (i < kGpuRates && row_of(GpuRate(i)).name != name) ++i;
        ASSERT_LT(i, kGpuRates) << name;
        ASSERT_TRUE(h200().at(GpuRate(i))) << name;
        EXPECT_EQ(std::stod((*row)[2]), h200().at(GpuRate(i))->value) << name;
        EXPECT_EQ((*row)[3].str(), row_of(GpuRate(i)).unit) << name;
        ++rows;
    }
    for (int i = 0; i < kGpuRates; ++i) rows -= h200().at(GpuRate(i)).has_value();
    EXPECT_EQ(rows, 0) << "each is in the table, once";
}

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
    const std::vector<int>& known = nvrtc.architectures();
    if (std::find(known.begin(), known.end(), GetParam()) == known.end())
        GTEST_SKIP() << nvrtc.name() << " does not build sm_" << GetParam();
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

INSTANTIATE_TEST_SUITE_P(Sm, Architecture, ::testing::Values(75, 80, 86, 89, 90, 100, 120));

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
