#pragma once
// A kernel's machine code as values: what the GPU executes, instruction by instruction. docs/machine-code.md
// has the sources of the encodings.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ws {

// What executes an instruction. `dispatch`: done where it is issued (NOP). `unknown`: no document says.
enum class MachinePipe : std::uint8_t {
    alu,
    fma,
    fma_heavy,
    fp16,
    fp64,
    tensor,
    xu,
    lsu,
    tma,
    texture,
    adu,
    cbu,
    uniform,
    dispatch,
    unknown
};
inline constexpr int kMachinePipes = int(MachinePipe::unknown) + 1;
// "fma heavy"
[[nodiscard]] std::string_view name_of(MachinePipe pipe);

enum class MachineKind : std::uint8_t {
    arithmetic,
    load,
    store,
    atomic,  // with or without a result
    copy,    // from global to shared memory, asynchronously
    constant_load,
    texture,  // and surfaces
    shuffle,
    barrier,  // of the block
    wait,     // for a scoreboard or a group of copies
    fence,
    branch,
    call,
    exit,      // and return
    converge,  // of a warp's threads
    nothing,
    unknown
};

enum class MemorySpace : std::uint8_t { none, generic, global, shared, local, constant, texture };
// "global"; empty for none.
[[nodiscard]] std::string_view name_of(MemorySpace space);

// Bits 105 to 125 of an instruction.
struct MachineControl {
    int stall = 0;           // cycles before the warp's next instruction
    bool yield = false;      // the scheduler is to prefer another warp
    int write_barrier = -1;  // scoreboard 0 to 5 that counts until the result is there; -1: none
    int read_barrier = -1;   // and until the operands are read
    std::uint8_t waits = 0;  // bit n: issued once scoreboard n is at 0
    std::uint8_t reuse = 0;  // operands kept in the reuse cache
    friend bool operator==(const MachineControl&, const MachineControl&) = default;
};

// A wait for all but the last `may_remain` of what a scoreboard counts.
struct AwaitedScoreboard {
    int number = -1;  // 0 to 5; -1: none
    int may_remain = 0;
    friend bool operator==(const AwaitedScoreboard&, const AwaitedScoreboard&) = default;
};

// Registers that are read as one operand: so many, from `first` on.
struct RegisterOperand {
    std::uint8_t first = 0, count = 0;
    friend bool operator==(const RegisterOperand&, const RegisterOperand&) = default;
};
inline constexpr int kOperands = 3;
inline constexpr int kZeroRegister = 255;  // RZ, which takes no place

struct MachineInstruction {
    int address = 0;        // in bytes from the kernel's begin; each takes 16
    int opcode = 0;         // bits 0 to 11
    std::string_view name;  // "LDG"; empty: this reader does not know the opcode
    MachinePipe pipe = MachinePipe::unknown;
    MachineKind kind = MachineKind::unknown;
    MemorySpace space = MemorySpace::none;
    int bytes = 0;              // of a thread's access; 0: none, or not known
    int offset = 0;             // in bytes, of local memory from the register that it names
    bool guarded = false;       // executed where a predicate says so
    bool if_diverged = false;   // a branch that is taken where the warp's threads have diverged
    AwaitedScoreboard awaited;  // of DEPBAR
    int target = -1;            // address of a branch; -1: none, or one that a register holds
    int line = 0;               // of the kernel's file, from 1; 0: not known
    int ptx_line = 0;           // of the PTX that it was assembled from
    int block = 0;              // index of its basic block
    int passes = 1;             // through its pipe: a product of 64 bits takes two
    bool elected = false;       // an atomic that one lane does for all, where they vote beside it
    // By the places that the reuse bits stand for; none of what is a constant, and of textures and tensors.
    std::array<RegisterOperand, kOperands> reads{};
    MachineControl control;
};

// Whether an instruction asks a memory.
[[nodiscard]] bool is_access(const MachineInstruction& instruction);

// Instructions that are executed one after the other.
struct MachineBlock {
    int first = 0, end = 0;  // indices of instructions
    std::vector<int> next;   // blocks that may follow
};

struct MachineCode {
    std::string kernel;    // its symbol
    int architecture = 0;  // 90
    std::vector<MachineInstruction> instructions;
    std::vector<MachineBlock> blocks;
};

inline constexpr int kMachineInstructionBytes = 16;

}  // namespace ws
