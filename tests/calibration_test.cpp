// Calibrations: files, which of them a GPU gets, and what its clock makes of them.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <regex>
#include <sstream>

#include "gpu/analysis/calibration_file.h"
#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/profiles.h"
#include "gpu/core/files.h"

namespace ws {
namespace {

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

// Half of what is copied is read, the other half written.
TEST(Rates, TurningRoundIsWhatACopyTakesMore) {
    Calibration own = h200();
    own.at(GpuRate::memory_read)->value = 16;
    own.at(GpuRate::memory_write)->value = 8;
    own.at(GpuRate::memory_copy)->value = 8;
    const auto turn = [&] { return clock_rates(GpuTable({own}).named("H200")).memory.turn(); };
    EXPECT_NEAR(turn(), 2 * 32 / 8.0 - 32 / 16.0 - 32 / 8.0, 0.01) << "clocks of a sector";
    own.at(GpuRate::memory_copy)->value = 20;
    EXPECT_EQ(turn(), 0) << "no less than nothing";
    own.at(GpuRate::memory_copy).reset();
    EXPECT_EQ(turn(), 0) << "not known where no copy was measured";
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

}  // namespace
}  // namespace ws
