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
    const bool is_wide = instruction.passes > 1;
    double at = now;
    for (std::size_t bank = 0; bank < kBanks; ++bank) {
        if (reads[bank] == 0) continue;
        give_to_requests(bank, now);
        const int window = is_wide ? kWindowOfWide : std::max(kWindow, int(reads[bank]));
        at = std::max(at, free_[bank] + reads[bank] - window);
    }
    for (std::size_t bank = 0; bank < kBanks; ++bank) {
        if (reads[bank] == 0) continue;
        if (at > now) give_to_requests(bank, at);
        free_[bank] = std::max(free_[bank], at) + reads[bank];
    }
    if (instruction.control.yield && keeps_) forget();
    return at;
}

void RegisterPorts::give_to_requests(std::size_t bank, double until) {
    std::vector<double>& turns = turns_[bank];
    if (turns.empty()) return;
    auto turn = turns.begin();
    for (; turn != turns.end() && *turn <= std::max(free_[bank], until); ++turn)
        free_[bank] = std::max(free_[bank], *turn) + 1;
    turns.erase(turns.begin(), turn);
}

void RegisterPorts::read_later(const MachineInstruction& request, int warp, double from, double apart) {
    const bool another = warp != std::exchange(warp_, warp);
    if (keeps_ && (another || request.control.yield)) forget();
    double clock = from;
    for (const RegisterOperand& operand : request.reads) {
        for (int number = operand.first; number < operand.first + operand.count; ++number) {
            turns_[std::size_t(number % kBanks)].push_back(std::floor(clock));
            clock += apart;
        }
    }
}

}  // namespace ws
