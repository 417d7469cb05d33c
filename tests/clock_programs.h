#pragma once
// Programs of a few instructions for the clock of a multiprocessor, and what it makes of them.

#include <cstdint>
#include <vector>

#include "gpu/analysis/warp_clock.h"
#include "past_l2.h"

namespace ws::testing {

inline MachineInstruction instruction(const char* name, MachinePipe pipe, MachineKind kind, int stall = 1) {
    MachineInstruction made;
    made.name = name;
    made.pipe = pipe;
    made.kind = kind;
    made.control.stall = stall;
    return made;
}

inline MachineInstruction arithmetic(int stall, MachinePipe pipe = MachinePipe::fma) {
    return instruction("FFMA", pipe, MachineKind::arithmetic, stall);
}

inline MachineInstruction load(int scoreboard) {
    MachineInstruction made = instruction("LDG", MachinePipe::lsu, MachineKind::load);
    made.space = MemorySpace::global;
    made.bytes = 4;
    made.control.write_barrier = scoreboard;
    return made;
}

inline MachineInstruction store(MemorySpace space = MemorySpace::global) {
    MachineInstruction made = load(-1);
    made.name = "STG";
    made.kind = MachineKind::store;
    made.space = space;
    return made;
}

// By a register, which may name a constant for each lane.
inline MachineInstruction indexed_constant(int scoreboard = -1) {
    MachineInstruction made = instruction("LDC", MachinePipe::adu, MachineKind::constant_load);
    made.space = MemorySpace::constant;
    made.control.write_barrier = scoreboard;
    return made;
}

inline MachineInstruction waiting(MachineInstruction instruction, int scoreboards) {
    instruction.control.waits = std::uint8_t(scoreboards);
    return instruction;
}

inline MachineInstruction barrier() {
    return instruction("BAR", MachinePipe::adu, MachineKind::barrier);
}

inline MachineInstruction last() {
    return instruction("EXIT", MachinePipe::cbu, MachineKind::exit);
}

inline TracedAccess line_of_memory(int sectors = 4) {
    TracedAccess made;
    made.lanes = 32;
    made.sectors = made.past_l1 = std::uint16_t(sectors);
    made.lines = 1;
    return made;
}

inline TracedAccess different_constants(int count) {
    TracedAccess made;
    made.space = MemorySpace::constant;
    made.wavefronts = std::uint16_t(count);
    return made;
}

// Every warp executes all of the code once; its loads are of `access`, in order, or of these lines one by
// one, so many further on in each warp of a block.
struct Program {
    std::vector<MachineInstruction> code;
    TracedAccess access = line_of_memory();
    std::vector<LineSectors> lines{};
    std::uint64_t lines_of_warp = 0;
    int warps = 1;  // of a block
    int blocks = 1;
    int resident = 1;
    std::uint64_t l1_bytes = 0, l2_share_bytes = 0;
    std::vector<LineSectors> before{};
    double past_l2 = 1;
    bool accesses = true;  // else no lane is let through
    std::int64_t in_step = 0;
    double slice_clocks = 0;
    double spill_stores_past_l2 = 0;
};

// Of an L1 that keeps so many lines, four to 180.
constexpr std::uint64_t l1_that_keeps(std::uint64_t lines) {
    return (lines + lines / 3) * kLineBytes;
}

inline ClockRates rates() {
    ClockRates made;
    made.pipe_clocks.fill(1);
    made.first_block = made.first_warp = made.block_launch = made.warp_launch = made.warp_turn = 0;
    made.code.take_no_time();
    return made;
}

inline ClockRun run(const Program& program, const ClockRates& with = rates()) {
    MachineCode code;
    code.instructions = program.code;
    MachinePath path;
    std::vector<WarpTrace> traces(std::size_t(program.warps));
    WarpTrace& trace = traces.front();
    for (std::size_t i = 0; i < program.code.size(); ++i) {
        const MachineKind kind = program.code[i].kind;
        const bool accesses = program.accesses && program.code[i].space != MemorySpace::local &&
                              (kind == MachineKind::load || kind == MachineKind::store ||
                               kind == MachineKind::atomic || kind == MachineKind::constant_load);
        path.steps.push_back({int(i), accesses ? int(trace.accesses.size()) : -1, 32});
        if (!accesses) continue;
        trace.accesses.push_back(program.access);
        if (kind == MachineKind::store || kind == MachineKind::atomic) trace.accesses.back().kind = kind;
        if (program.lines.empty()) continue;
        const LineSectors line = program.lines[(trace.accesses.size() - 1) % program.lines.size()];
        TracedAccess& access = trace.accesses.back();
        access.sectors = std::uint16_t(line.count());
        access.by_l1 = kind == MachineKind::load;
        access.past_l1 = access.by_l1 ? 0 : access.sectors;
        access.asked_lines = 1;
        access.first_asked = int(trace.asked.size());
        trace.asked.push_back(line);
    }
    for (std::size_t warp = 1; warp < traces.size(); ++warp) {
        traces[warp] = trace;
        for (LineSectors& one : traces[warp].asked)
            one = {one.line() + warp * program.lines_of_warp, one.sectors()};
    }
    ClockLoad load;
    load.code = &code;
    load.blocks.resize(std::size_t(program.blocks));
    for (std::vector<ClockWarp>& block : load.blocks)
        for (const WarpTrace& one : traces) block.push_back({&path, &one});
    load.l1_bytes = program.l1_bytes;
    load.l2_share_bytes = program.l2_share_bytes;
    load.before = program.before;
    load.resident_blocks = program.resident;
    load.past_l2 = past_l2(program.past_l2);
    load.in_step = program.in_step;
    load.slice_clocks = program.slice_clocks;
    load.hot_slices = program.slice_clocks > 0 ? 1 : 0;
    load.spill_stores_past_l2 = program.spill_stores_past_l2;
    load.timeline_clocks = 1 << 20;
    return run_clock(load, with);
}

inline std::int64_t at(const ClockRun& made, WarpState state) {
    return made.states[std::size_t(state)];
}

}  // namespace ws::testing
