#include "gpu/analysis/issue_facts.h"

#include <algorithm>
#include <numeric>

#include "gpu/analysis/code_fetch.h"
#include "gpu/analysis/scheduler_pipes.h"
#include "gpu/analysis/scoreboards.h"

namespace ws {
namespace {

SharedQueue queue_of(const MachineInstruction& instruction) {
    const bool is_adu = instruction.pipe == MachinePipe::adu;
    if (instruction.name == "S2R" && !is_adu) return SharedQueue::special;
    if (instruction.pipe == MachinePipe::lsu || instruction.pipe == MachinePipe::texture ||
        (instruction.kind == MachineKind::shuffle && !is_adu))
        return SharedQueue::lsu;
    return is_adu ? SharedQueue::adu : SharedQueue::none;
}

double ResultLatencies::*latency_of(const MachineInstruction& instruction) {
    if (instruction.pipe == MachinePipe::fp64) return &ResultLatencies::doubles;
    if (instruction.name == "S2UR") return &ResultLatencies::uniform_register;
    if (instruction.name != "S2R") return &ResultLatencies::special;
    const bool of_block = instruction.pipe == MachinePipe::adu;
    return of_block ? &ResultLatencies::block_register : &ResultLatencies::lane_register;
}

int registers_of(const MachineInstruction& instruction) {
    return std::accumulate(instruction.reads.begin(), instruction.reads.end(), 0,
                           [](int sum, const RegisterOperand& one) { return sum + one.count; });
}

Turn turn_of(const MachineInstruction& instruction) {
    if (instruction.name == "RET") return Turn::back;
    if (instruction.name == "BSYNC") return Turn::meeting;
    const bool jumps = instruction.kind == MachineKind::branch || instruction.kind == MachineKind::call;
    return jumps ? Turn::jump : Turn::none;
}

// By Nsight Compute's samples of an H200, which has a barrier's waits at the instruction that it holds:
// behind the 203 barriers of the classics and labs at which it waits in a hundred of them and more, that is
// never one of arithmetic with registers (ISETP, IMAD, LOP3, FFMA, UIADD3, ...), but the first behind them
// that is not (LDS, EXIT, BRA, BSSY, LDC, S2UR, ...), or UMOV. What takes longer than arithmetic does (XU,
// FP64, tensor cores) was not among them, and is taken to stop.
bool stops_at_barrier(const MachineInstruction& instruction) {
    if (instruction.kind != MachineKind::arithmetic || instruction.name == "UMOV") return true;
    switch (instruction.pipe) {
        case MachinePipe::alu:
        case MachinePipe::fma:
        case MachinePipe::fma_heavy:
        case MachinePipe::fp16:
        case MachinePipe::uniform:
            return false;
        default:
            return true;
    }
}

// What it gives is there by its stall count.
bool is_plain(const MachineInstruction& instruction) {
    const MachineControl& control = instruction.control;
    return !is_access(instruction) && queue_of(instruction) == SharedQueue::none &&
           control.write_barrier < 0 && control.read_barrier < 0;
}

// Who yields does so for a clock. Of what goes through its pipe twice the stall count begins with its last
// place.
int stall_of(const MachineInstruction& instruction) {
    const int least = instruction.control.yield ? 2 : 1;
    return std::max(least, instruction.control.stall) + SchedulerPipes::places_of(instruction) - 1;
}

}  // namespace

double clocks_of(Turn turn, bool elsewhere, const ClockRates& rates) {
    switch (turn) {
        case Turn::none:
            return 0;
        case Turn::jump:
            return elsewhere ? rates.taken_branch : 0;
        case Turn::back:
            return rates.function_return;
        case Turn::meeting:
            return rates.meeting;
    }
    return 0;
}

IssueFacts issue_facts(const MachineInstruction& instruction) {
    return {.gate = {instruction.pipe, queue_of(instruction), instruction.control.yield},
            .reads = RegisterPorts::reads_of(instruction),
            .passes = std::uint8_t(instruction.passes),
            .places = std::uint8_t(SchedulerPipes::places_of(instruction)),
            .waits = Scoreboards::may_hold(instruction),
            .plain = is_plain(instruction),
            .narrow = instruction.bytes > 0 && instruction.bytes < 4,
            .turn = turn_of(instruction),
            .latency = latency_of(instruction),
            .is_block_barrier = is_block_barrier(instruction),
            .stops_at_barrier = stops_at_barrier(instruction),
            .stall = stall_of(instruction),
            .line = CodeFetch::line_of(instruction),
            .registers = registers_of(instruction)};
}

bool is_block_barrier(const MachineInstruction& instruction) {
    return instruction.kind == MachineKind::barrier && instruction.name == "BAR";
}

}  // namespace ws
