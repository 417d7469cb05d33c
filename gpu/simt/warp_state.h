#pragma once
// A warp of the block that is executed: its registers, and which of its lanes are where.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu/simt/grid_runner.h"
#include "gpu/simt/program.h"
#include "gpu/simt/warp.h"

namespace ws::simt {

// A kernel with the handlers that tell the launch's observers.
struct BoundProgram {
    const Program& program;
    std::vector<Instruction> code;  // as in the program

    [[nodiscard]] const Instruction& control_of(const BasicBlock& block) const {
        return code[std::size_t(block.control)];
    }
};

// Lanes that execute together, and where they wait for others.
struct Path {
    int function = 0;
    int block = 0;
    int reconverge = -1;
    std::uint32_t mask = 0;
    int call = -1;                  // index of the call that began this path, -1 if none did
    std::int64_t caller_frame = 0;  // of that call: offset of the caller's frame
};

struct WarpState {
    enum class State : std::uint8_t { ready, waiting, done };
    Warp warp;
    std::vector<Path> paths;
    State state = State::ready;
    int at = 0;  // instructions of the basic block that are done, where they are executed one by one
    std::int64_t frame = 0;  // offset of the current frame
    std::vector<std::byte> frames;
    std::vector<std::byte> local;
};

[[nodiscard]] inline std::uint32_t guarded(const Warp& warp, const Instruction& instruction,
                                           std::uint32_t mask) {
    if (instruction.guard < 0) return mask;
    const std::uint32_t predicate = *slot<std::uint32_t>(warp, instruction.guard);
    return mask & (instruction.guard_negated ? ~predicate : predicate);
}

// ---- frames

void set_frame(WarpState& warp, std::int64_t offset);
// Registers, constants and special registers of warp `index`, as far as they are the same in every block.
void prepare_frames(const LaunchContext& context, std::uint64_t shared_bytes, WarpState& warp, int index);
void fill_constants(const KernelLaunch& launch, const Function& function, std::byte* frame);
void fill_slot(std::byte* frame, std::int32_t offset, std::uint64_t bits, bool wide);

// ---- divergence

// The lanes that go to each block of a branch.
using Sides = std::vector<std::pair<int, std::uint32_t>>;
// Of a branch by a list, with the lanes' indices in the instruction's operand.
[[nodiscard]] Sides sides_of_list(const Warp& warp, const BasicBlock& block, std::int32_t indices,
                                  std::uint32_t mask);
void diverge(const BoundProgram& bound, WarpState& warp, const BasicBlock& block, const Sides& sides);
// These lanes of a path without a reconvergence point are on their own until they reach that one, where it
// waits.
void push_side(WarpState& warp, int reconverge, std::uint32_t lanes);
// Leaves paths that have reached their reconvergence point or whose lanes are gone; the warp may be done.
void settle(const BoundProgram& bound, WarpState& warp);

// ---- calls

// The lanes that call through a pointer by what they call: each side calls at the same block again.
[[nodiscard]] Sides sides_of_call(const Warp& warp, std::int32_t pointers, int block, std::uint32_t calling);
// The lanes call the function of that block; through a pointer, all of them the same. Empty, or what is
// wrong.
[[nodiscard]] std::string enter_call(const KernelLaunch& launch, const BoundProgram& bound, WarpState& warp,
                                     const BasicBlock& block, std::uint32_t mask);
// The end of a function: of the kernel, its lanes are done; of a device function, they return.
void leave_function(const Program& program, WarpState& warp, std::uint32_t mask);

}  // namespace ws::simt
