#include "gpu/analysis/register_ports.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gpu/analysis/latest.h"

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

// Clocks from when on a bank is free until an instruction with so many registers of it may be issued, and
// until the bank is free again: of none, long ago.
struct RegisterPorts::Turns {
    static constexpr double kLongAgo = -1e18;
    std::array<double, 256> issue{}, end{};

    constexpr explicit Turns(bool is_wide) {
        issue[0] = end[0] = kLongAgo;
        for (int reads = 1; reads < 256; ++reads) {
            const int window = is_wide ? kWindowOfWide : std::max(kWindow, reads);
            issue[std::size_t(reads)] = reads - window;
            end[std::size_t(reads)] = reads;
        }
    }
};

// Without branches where no request waits: how many registers of each bank it reads is as if thrown.
double RegisterPorts::issue(const MachineInstruction& instruction, Reads reads, int warp, double now) {
    if (warp != std::exchange(warp_, warp) && keeps_) forget();
    if (keeps_ || instruction.control.reuse != 0) {
        reads = read(instruction);
        keeps_ = kept_ != nothing();
    }
    static constexpr Turns kOfOne(false);
    static constexpr Turns kOfWide(true);
    const Turns& turns = instruction.passes > 1 ? kOfWide : kOfOne;
    double at = now;
    for (std::size_t bank = 0; bank < kBanks; ++bank) {
        if (!turns_[bank].empty() && reads[bank] > 0) give_to_requests(bank, now);
        at = latest(at, free_[bank] + turns.issue[reads[bank]]);
    }
    for (std::size_t bank = 0; bank < kBanks; ++bank) {
        if (!turns_[bank].empty() && reads[bank] > 0 && at > now) give_to_requests(bank, at);
        free_[bank] = latest(free_[bank] + reads[bank], at + turns.end[reads[bank]]);
    }
    if (instruction.control.yield && keeps_) forget();
    return at;
}

void RegisterPorts::give_to_requests(std::size_t bank, double until) {
    std::vector<double>& turns = turns_[bank];
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
