#include "gpu/analysis/register_ports.h"

#include <algorithm>
#include <cmath>

namespace ws {

std::array<int, RegisterPorts::kBanks> RegisterPorts::to_read(
    std::span<const RegisterOperand> operands) const {
    std::array<int, kBanks> made{};
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const RegisterOperand& one = operands[i];
        if (one.count == 0 || one == kept_[i]) continue;
        // A register that stands in two places is read once.
        if (std::find(operands.begin(), operands.begin() + std::ptrdiff_t(i), one) !=
            operands.begin() + std::ptrdiff_t(i))
            continue;
        for (int n = 0; n < one.count; ++n) ++made[std::size_t((one.first + n) % kBanks)];
    }
    return made;
}

void RegisterPorts::keep(const MachineInstruction& instruction, int warp) {
    warp_ = warp;
    for (std::size_t i = 0; i < kOperands; ++i)
        if (instruction.control.reuse >> i & 1) kept_[i] = instruction.reads[i];
    if (instruction.control.yield) kept_ = {};
}

double RegisterPorts::issue(const MachineInstruction& instruction, int warp, double now) {
    if (warp != warp_) kept_ = {};
    const std::array<int, kBanks> reads = to_read(instruction.reads);
    const int window = instruction.passes > 1 ? kWindowOfWide : kWindow;
    double at = now;
    for (std::size_t bank = 0; bank < kBanks; ++bank)
        if (reads[bank] > 0) at = std::max(at, std::ceil(free_[bank] + reads[bank] - window));
    for (std::size_t bank = 0; bank < kBanks; ++bank)
        if (reads[bank] > 0) free_[bank] = std::max(free_[bank], at) + reads[bank];
    keep(instruction, warp);
    return at;
}

}  // namespace ws
