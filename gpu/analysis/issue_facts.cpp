#include "gpu/analysis/issue_facts.h"

#include <numeric>

#include "gpu/analysis/code_fetch.h"
#include "gpu/analysis/scoreboards.h"

namespace ws {
namespace {

SharedQueue queue_of(const MachineInstruction& instruction) {
    if (instruction.name == "S2R") return SharedQueue::special;
    const bool is_adu = instruction.pipe == MachinePipe::adu;
    if (instruction.pipe == MachinePipe::lsu || instruction.pipe == MachinePipe::texture ||
        (instruction.kind == MachineKind::shuffle && !is_adu))
        return SharedQueue::lsu;
    return is_adu ? SharedQueue::adu : SharedQueue::none;
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

}  // namespace

IssueFacts issue_facts(const MachineInstruction& instruction) {
    return {{instruction.pipe, queue_of(instruction), instruction.control.yield},
            RegisterPorts::reads_of(instruction),
            Scoreboards::may_hold(instruction),
            CodeFetch::line_of(instruction),
            registers_of(instruction),
            instruction.bytes > 0 && instruction.bytes < 4,
            turn_of(instruction),
            stops_at_barrier(instruction)};
}

bool is_block_barrier(const MachineInstruction& instruction) {
    return instruction.kind == MachineKind::barrier && instruction.name == "BAR";
}

}  // namespace ws
