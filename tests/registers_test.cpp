// The lab on registers: a knob as the compiler's limit, what spills and where that is seen, and what else
// helps.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "gpu/analysis/estimate.h"
#include "gpu/compile/kernel_source.h"
#include "gpu/engine/engine.h"
#include "gpu/labs/labs.h"
#include "gpu/sass/machine_code_reader.h"
#include "tests/shared_engine.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

// Of the version's kernel at 2048 x 2048 on an H200.
StepSnapshot step_of(int version, const KnobValues& knobs = {}) {
    Engine& engine = engine_with_picture({16, 16}, "none");
    const Lab& lab = lab_named("registers");
    Work work = with_version(first_work(lab), version_of(lab, version));
    work.device = DeviceKind::simt;
    work.target_gpu = "H200";
    work.size = {2048, 2048};
    work.knobs = knobs;
    engine.prepare(work);
    engine.wait_for_counts();
    engine.prepare(work);
    const StepSnapshot& step = engine.snapshot().steps.front();
    if (!step.counts.result || !step.built.machine_code)
        throw std::runtime_error("no counts or machine code of V" + std::to_string(version));
    return step;
}

// Places of the stack whose words are stored or loaded.
std::set<int> words_of(const MachineCode& code, MachineKind kind) {
    std::set<int> words;
    for (const MachineInstruction& one : code.instructions)
        if (one.space == MemorySpace::local && one.kind == kind)
            for (int at = one.offset; at < one.offset + one.bytes; at += 4) words.insert(at);
    return words;
}

// A spilled word comes back from where it went.
void expect_loads_of_what_was_stored(const CompiledKernel& kernel) {
    const Result<MachineCode> code = read_machine_code(kernel.binary, kernel.entry);
    ASSERT_TRUE(code.ok()) << code.message();
    const std::set<int> stored = words_of(code.value(), MachineKind::store);
    EXPECT_GT(stored.size(), 1u);
    EXPECT_GE(*stored.begin(), 0);
    EXPECT_EQ(words_of(code.value(), MachineKind::load), stored);
}

// Bytes of a thread's local loads or stores, each instruction once.
int local_bytes(const CompiledKernel& kernel, MachineKind kind) {
    const Result<MachineCode> code = read_machine_code(kernel.binary, kernel.entry);
    EXPECT_TRUE(code.ok()) << code.message();
    int bytes = 0;
    for (const MachineInstruction& instruction : code.value().instructions) {
        if (instruction.kind == kind && instruction.space == MemorySpace::local) bytes += instruction.bytes;
    }
    return bytes;
}

TEST(Registers, AKnobIsTheCompilersLimit) {
    WS_NEED_COMPILER();
    int before = 0;
    for (const int limit : {32, 40, 64, 96, 255}) {
        const CompileReport& report = step_of(3, {{"MAX_REGISTERS", limit}}).built.machine_code->report;
        EXPECT_LE(report.registers, limit);
        EXPECT_GE(report.registers, before);
        EXPECT_EQ(report.register_cap, 0) << "the block fits by itself";
        before = report.registers;
    }
    EXPECT_LT(before, 255) << "no more than it needs";
    // No compiler of today goes below 24: what it took is what is shown.
    const StepSnapshot least = step_of(3, {{"MAX_REGISTERS", 16}});
    EXPECT_EQ(least.counts.result->occupancy->resources.registers,
              least.built.machine_code->report.registers);
    EXPECT_GE(least.built.machine_code->report.registers, 16);
}

TEST(Registers, WhatDoesNotFitSpills) {
    WS_NEED_COMPILER();
    EXPECT_EQ(step_of(1).counts.result->code.spill_bytes(), 0);
    int before = 0;
    for (const int limit : {72, 64, 48, 32}) {
        const StepSnapshot step = step_of(3, {{"MAX_REGISTERS", limit}});
        const CodeFacts& code = step.counts.result->code;
        EXPECT_GT(code.spill_bytes(), before) << limit;
        before = code.spill_bytes();
        // The assembler's report is what stands in its code.
        EXPECT_EQ(local_bytes(*step.built.machine_code, MachineKind::store), code.spill_store_bytes) << limit;
        EXPECT_EQ(local_bytes(*step.built.machine_code, MachineKind::load), code.spill_load_bytes) << limit;
        expect_loads_of_what_was_stored(*step.built.machine_code);
        EXPECT_EQ(step.counts.result->counters->total.local_load.requests, 0u) << "PTX has none";
    }
}

TEST(Registers, SpillsAreInTheEstimate) {
    WS_NEED_COMPILER();
    const StepResult tight = *step_of(4).counts.result;
    const double with_them = tight.estimate->ms;
    const double without =
        estimate_time(*tight.counters, *tight.occupancy, tight.key.gpu, {tight.code.loads_in_flight, 0, 0})
            .ms;
    EXPECT_GT(with_them, 1.2 * without);
    EXPECT_GT(with_them, step_of(6).counts.result->estimate->ms);
}

TEST(Registers, LaunchBoundsAndTheirRemedies) {
    WS_NEED_COMPILER();
    const auto registers = [](int version, const KnobValues& knobs = {}) {
        return step_of(version, knobs).counts.result->occupancy->resources.registers;
    };
    EXPECT_LE(registers(2, {{"MIN_BLOCKS", 8}}), 65536 / (128 * 8));
    EXPECT_EQ(step_of(2, {{"MIN_BLOCKS", 0}}).counts.result->code.spill_bytes(), 0);
    for (const int version : {5, 6}) {
        EXPECT_EQ(step_of(version).counts.result->code.spill_bytes(), 0) << "V" << version;
        EXPECT_LE(registers(version), 64) << "V" << version;
        EXPECT_LT(registers(version), registers(1)) << "V" << version;
    }
}

TEST(Registers, ALimitNamesAKnobThatIsThere) {
    const Result<KernelSource> source =
        parse_kernel("a", "// knob: MOST = 40 in 16..255  registers\n// registers at most: MOST\n");
    ASSERT_TRUE(source.ok()) << source.message();
    EXPECT_EQ(register_limit(source.value(), {{"MOST", 48}}), 48);
    EXPECT_EQ(register_limit(source.value(), {}), 0);
    EXPECT_EQ(register_limit(parse_kernel("a", "// knob: MOST = 40 in 16..255\n").value(), {{"MOST", 48}}),
              0);
    EXPECT_FALSE(parse_kernel("a", "// registers at most: MOST\n").ok());
}

}  // namespace
}  // namespace ws
