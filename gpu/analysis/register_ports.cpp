#include "gpu/analysis/register_ports.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ws {

std::array<int, RegisterPorts::kBanks> RegisterPorts::read(const MachineInstruction& instruction) {
    std::array<int, kBanks> made{};
    for (std::size_t place = 0; place < kOperands; ++place) {
        const RegisterOperand& operand = instruction.reads[place];
        const bool again = (instruction.control.reuse >> place & 1) != 0;
        // A register that stands in two places is read once.
        const auto here = instruction.reads.begin() + std::ptrdiff_t(place);
        const bool twice = std::find(instruction.reads.begin(), here, operand) != here;
        for (int number = operand.first; number < operand.first + operand.count; ++number) {
            const auto bank = std::size_t(number % kBanks);
            int& kept = kept_[place][bank];
            made[bank] += kept != number && !twice;
            kept = again ? number : kNone;
        }
    }
    return made;
}

double RegisterPorts::issue(const MachineInstruction& instruction, int warp, double now) {
    if (warp != std::exchange(warp_, warp)) kept_ = nothing();
    const std::array<int, kBanks> reads = read(instruction);
    const int window = instruction.passes > 1 ? kWindowOfWide : kWindow;
    double at = now;
    for (std::size_t bank = 0; bank < kBanks; ++bank)
        if (reads[bank] > 0) at = std::max(at, std::ceil(free_[bank] + reads[bank] - window));
    for (std::size_t bank = 0; bank < kBanks; ++bank)
        if (reads[bank] > 0) free_[bank] = std::max(free_[bank], at) + reads[bank];
    if (instruction.control.yield) kept_ = nothing();
    return at;
}

}  // namespace ws
