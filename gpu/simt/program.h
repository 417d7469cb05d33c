#pragma once
// A kernel decoded for execution: basic blocks of instructions, with the reconvergence point of each
// divergent branch.

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/simt/details.h"
#include "gpu/simt/instruction.h"
#include "gpu/simt/ptx.h"
#include "gpu/simt/translation.h"

namespace ws::simt {

// Special registers lie at the beginning of every frame, one slot of 32-bit lanes each.
enum class Special : std::uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    smid,
    nsmid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    dynamic_smem,
    total_smem,
    zero
};
inline constexpr int kSpecials = 25;
inline constexpr int kSlot = 4 * kLanes;  // bytes of a slot of 32-bit lanes
[[nodiscard]] constexpr std::int32_t offset_of(Special special) {
    return int(special) * kSlot;
}

enum class Flow : std::uint8_t { next, branch, list, call, leave, exit, trap, barrier };

// The longest chain of arithmetic in a block, each instruction of which needs the result of the one before.
struct Chain {
    std::uint32_t links = 0;
    std::int32_t line = 0;  // of its last one
};

struct BasicBlock {
    int first = 0, last = 0;  // plain instructions [first, last)
    Flow flow = Flow::next;
    int control = -1;          // the instruction that ends the block, -1 if it just runs on
    int target = -1;           // block of a branch
    int call = -1;             // index among the function's calls: of the only one,
    int calls = 1;             // or of the first of those that a pointer may mean
    std::vector<int> targets;  // of a list
    int next = -1;             // block that follows
    int reconverge = -1;       // where the lanes of a divergent branch meet
    std::uint32_t weight = 0;  // counted instructions, the one at the end included
    Chain chain;
};

struct SlotConstant {
    std::int32_t offset = 0;
    std::uint64_t bits = 0;
    bool wide = false;
};
// A slot filled with a parameter of the kernel.
struct SlotParameter {
    std::int32_t offset = 0;
    std::uint32_t at = 0;  // in the bytes of the parameters
    std::uint8_t bytes = 4;
    bool is_signed = false;
    bool wide = false;
};
// Copies between the parameter bytes of a caller's and a callee's frames, for each lane.
struct ParameterCopy {
    std::int32_t caller = 0, callee = 0;
    std::uint32_t bytes = 0;
};
struct Call {
    int function = -1;
    std::vector<ParameterCopy> arguments;
    std::vector<ParameterCopy> results;
    std::uint64_t address = 0;  // of the function, where a pointer chooses; 0: it is called by name, or never
};

// What people call the registers and variables of a function.
struct NamedRegister {
    std::int32_t offset = 0;  // in the frame
    std::string type;         // as the PTX declares it: "b32", "pred"
};
struct NamedVariable {
    Space space = Space::global;
    std::uint64_t address = 0;  // of shared and local ones the offset
    std::uint64_t bytes = 0;    // 0: as many as the launch gives
};
struct FunctionNames {
    std::map<std::string, NamedRegister, std::less<>> registers;
    std::map<std::string, NamedVariable, std::less<>> variables;
};

struct Function {
    std::string name;
    std::vector<BasicBlock> blocks;
    int exit_block = -1;  // where every path of a device function ends
    std::int32_t frame_bytes = 0;
    std::int32_t lane_area = 0;    // parameter bytes of lane 0...
    std::int32_t lane_stride = 0;  // ...and from lane to lane
    std::vector<SlotConstant> constants;
    std::vector<SlotParameter> parameters;
    std::vector<Call> calls;
    FunctionNames names;
};

struct ModuleVariables;

struct KernelParameter {
    std::string name;
    std::uint32_t at = 0;
    std::uint32_t bytes = 0;
    std::uint32_t align = 1;
};

// What a kernel says of its block.
struct BlockBounds {
    std::uint64_t threads_at_most = 0;  // .maxntid, of __launch_bounds__; 0 without it
    std::array<int, 3> required{};      // .reqntid; 0 without it
};

struct Program {
    std::string kernel;
    std::vector<Instruction> code;
    std::vector<std::int32_t> ptx_lines;  // of the PTX text, from 1, by instruction
    DetailPools details;                  // of the instructions
    std::size_t memory_instructions = 0;  // among them
    std::map<std::string, int> opcodes;   // as the PTX has them, with the first source line of each
    std::vector<Function> functions;      // the kernel is the first
    std::vector<KernelParameter> parameters;
    std::uint32_t parameter_bytes = 0;
    BlockBounds block;
    std::uint64_t static_shared_bytes = 0;
    std::uint64_t shared_align = 16;
    std::uint64_t local_bytes = 0;
    bool has_fences = false;                           // or releases
    bool uses_heap = false;                            // calls malloc or free, or launches kernels...
    std::shared_ptr<const PtxModule> launches_from;    // ...of this module; null: launches none
    std::shared_ptr<const ModuleVariables> variables;  // as they are before the first launch
    TranslationOnDemand translation;
};

// A module whose kernels share its variables.
class Module {
  public:
    // The failure names the line of the PTX text, or the variable.
    [[nodiscard]] static Result<Module> load(std::string_view ptx);
    // Decodes a kernel. The failure names the instruction that is not known, the kernel and the line.
    [[nodiscard]] Result<std::shared_ptr<const Program>> kernel(const std::string& name) const;

  private:
    std::shared_ptr<const PtxModule> text_;
    std::shared_ptr<const ModuleVariables> variables_;
};
// A kernel of a module of its own.
[[nodiscard]] Result<std::shared_ptr<const Program>> load_program(std::string_view ptx,
                                                                  const std::string& kernel);

}  // namespace ws::simt
