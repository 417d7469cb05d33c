#pragma once
// The register file of one scheduler: two banks, of even and of odd registers, that each give one register of
// a warp a clock. An instruction has two clocks from its issue on to read its operands, or as many as it
// reads from one bank; a product of 64 bits (IMAD.WIDE, IMAD.HI) one. If its banks cannot give them by then,
// it holds the scheduler until they can. What the assembler marks for reuse stays with the place of its
// operand until another one is marked there, a warp yields or another warp issues. Requests to the load/store
// unit read when it is their turn there, between two other instructions.
//
// Measured on an H200 with instructions whose registers were chosen: tools/register-ports.

#include <array>
#include <cstdint>
#include <vector>

#include "gpu/core/machine_code.h"

namespace ws {

class RegisterPorts {
  public:
    static constexpr int kBanks = 2;
    // Registers of each bank.
    using Reads = std::array<std::uint8_t, kBanks>;
    // Those that have to be read where nothing has stayed.
    [[nodiscard]] static Reads reads_of(const MachineInstruction& instruction);

    // An instruction of the warp, with its reads_of, has been chosen now, at a whole clock: when it is
    // issued. `warp`: any number of its own.
    double issue(const MachineInstruction& instruction, Reads reads, int warp, double now);
    // A request of the warp has been issued. What it reads, it reads one register after the other, each so
    // many clocks behind the last one, from `from` on; not before those of the request before.
    void read_later(const MachineInstruction& request, int warp, double from, double apart);

  private:
    static constexpr int kWindow = 2;        // clocks, at least
    static constexpr int kWindowOfWide = 1;  // of a product of 64 bits

    struct Turns;

    static constexpr int kNone = -1;
    using Kept = std::array<std::array<int, kBanks>, kOperands>;  // registers, by place and bank
    static constexpr Kept nothing() { return {{{kNone, kNone}, {kNone, kNone}, {kNone, kNone}}}; }

    // Those that have to be read; what is kept afterwards.
    Reads read(const MachineInstruction& instruction);
    void forget();

    // What requests want of the bank by then, of which some wait.
    void give_to_requests(std::size_t bank, double until);

    std::array<double, kBanks> free_{};              // from when on
    std::array<std::vector<double>, kBanks> turns_;  // of requests, in their order
    int warp_ = kNone;                               // that issued last
    Kept kept_ = nothing();
    bool keeps_ = false;  // something
};

}  // namespace ws
