#include "gpu/analysis/register_ports.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ws {

RegisterPorts::Reads RegisterPorts::reads_of(const MachineInstruction& instruction) {
    return RegisterPorts().read(instruction);
}

RegisterPorts::Reads RegisterPorts::read(const MachineInstruction& instruction) {
    Reads made{};
    for (std::size_t place = 0; place < kOperands; ++place) {
        const RegisterOperand& operand = instruction.reads[place];
        const bool again = (instruction.control.reuse >> place & 1) != 0;
        // A register that stands in two places is read once.
        const auto here = instruction.reads.begin() + std::ptrdiff_t(place);
        const bool twice = std::find(instruction.reads.begin(), here, operand) != here;
        for (int number = operand.first; number < operand.first + operand.count; ++number) {
            const auto bank = std::size_t(number % kBanks);
            int& kept = kept_[place][bank];
            made[bank] = std::uint8_t(made[bank] + (kept != number && !twice ? 1 : 0));
            kept = again ? number : kNone;
        }
    }
    return made;
}

void RegisterPorts::forget() {
    kept_ = nothing();
    keeps_ = false;
}

double RegisterPorts::issue(const MachineInstruction& instruction, Reads reads, int warp, double now) {
    if (warp != std::exchange(warp_, warp) && keeps_) forget();
    if (keeps_ || instruction.control.reuse != 0) {
        reads = read(instruction);
        keeps_ = kept_ != nothing();
    }
    const int window = instruction.passes > 1 ? kWindowOfWide : kWindow;
    double at = now;
    std::array<double, kBanks> until{};
    for (std::size_t bank = 0; bank < kBanks; ++bank) {
        if (reads[bank] == 0) continue;
        until[bank] = given(bank, reads[bank], std::max(free_[bank], now));
        at = std::max(at, until[bank] - window);
    }
    for (std::size_t bank = 0; bank < kBanks; ++bank)
        if (reads[bank] > 0) free_[bank] = given(bank, reads[bank], std::max(free_[bank], at));
    if (instruction.control.yield && keeps_) forget();
    return at;
}

double RegisterPorts::given(std::size_t bank, int registers, double from) const {
    double clock = std::ceil(from);
    auto next = std::lower_bound(later_[bank].begin(), later_[bank].end(), clock);
    for (int rest = registers; rest > 0; ++clock) {
        if (next != later_[bank].end() && *next == clock)
            ++next;
        else
            --rest;
    }
    return clock;
}

void RegisterPorts::read_later(const MachineInstruction& request, double from, double apart, double now) {
    double clock = from;
    for (const RegisterOperand& operand : request.reads) {
        for (int number = operand.first; number < operand.first + operand.count; ++number) {
            std::vector<double>& clocks = later_[std::size_t(number % kBanks)];
            std::erase_if(clocks, [now](double one) { return one < now; });
            clocks.push_back(std::floor(clock));
            clock += apart;
        }
    }
}

}  // namespace ws
