#include "gpu/sass/decode.h"

#include <algorithm>
#include <array>

#include "gpu/sass/opcodes.h"

namespace ws {
namespace {

constexpr unsigned kAlways = 7;  // the predicate PT
constexpr unsigned kNoBarrier = 7;
constexpr int kSplitTargets = 90;  // capability from which a target has its lowest byte in bits 16 to 23

MachineControl control_of(const InstructionWord& word) {
    const auto barrier = [&](int first) {
        const auto number = unsigned(word.bits(first, 3));
        return number == kNoBarrier ? -1 : int(number);
    };
    MachineControl control;
    control.stall = int(word.bits(105, 4));
    control.yield = word.bits(109, 1) == 0;
    control.write_barrier = barrier(110);
    control.read_barrier = barrier(113);
    control.waits = std::uint8_t(word.bits(116, 6));
    control.reuse = std::uint8_t(word.bits(122, 4));
    return control;
}

int width_of(const InstructionWord& word, WidthCode code, int architecture) {
    constexpr std::array kMemory{1, 1, 2, 2, 4, 8, 16, 0};
    // u32, s32, u64, f32, two f16, s64, f64
    constexpr std::array kAtomic{4, 4, 8, 4, 4, 8, 8, 0};
    // u32, s32, u64, s64
    constexpr std::array kAtomic90{4, 4, 8, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    // f16 x 2, x 4, x 8, bf16 x 2, x 4, x 8, f32 flushing denormals x 1, x 2, x 4, f32 x 1, x 2, x 4, f64
    constexpr std::array kFloat90{4, 8, 16, 4, 8, 16, 0, 0, 0, 4, 8, 16, 4, 8, 16, 8};
    switch (code) {
        case WidthCode::none:
            return 0;
        case WidthCode::memory:
            return kMemory[word.bits(73, 3)];
        case WidthCode::copy:
            return kMemory[word.bits(architecture < 100 ? 73 : 74, 3)];
        case WidthCode::atomic:
            return architecture < 90 ? kAtomic[word.bits(73, 3)] : kAtomic90[word.bits(73, 4)];
        case WidthCode::atomic_float:
            return kFloat90[word.bits(73, 4)];
    }
    return 0;
}

// Targets are relative to the next instruction, in units of 4 bytes. -1 without one.
std::int64_t target_of(const InstructionWord& word, const OpcodeRow& row, int address, int architecture) {
    const bool convergence = row.name == "BSSY";
    const bool relative = row.name == "BRA" || (row.name == "CALL" && row.base == 0x144);
    if (!convergence && !relative) return -1;
    constexpr int kBits = 48;
    const auto offset = std::int64_t(word.bits(34, kBits) << (64 - kBits)) >> (64 - kBits);
    const std::int64_t next = std::int64_t(address) + kMachineInstructionBytes;
    if (convergence) return next + 4 * (std::int64_t(word.bits(34, 30) << 34) >> 34);
    return next + 4 * (architecture < kSplitTargets ? offset : offset * 256 + std::int64_t(word.bits(16, 8)));
}

// Bits 32 and 33 of a branch: when it is taken.
enum class BranchKind : std::uint8_t { by_predicate, by_uniform_predicate, if_diverged, if_converged };
BranchKind kind_of_branch(const InstructionWord& word) {
    return BranchKind(word.bits(32, 2));
}

// Of what S2R reads, by its number in bits 72 to 79: special registers that tell lanes and warps apart come
// from the load/store unit, all others from the unit of constants. Measured on an H200 for each number up to
// 127 (docs/machine-code.md); assumed of larger ones and of other GPUs.
bool is_register_of_lanes(const InstructionWord& word) {
    constexpr std::array kOfLanes{0x00, 0x03,                     // LANEID, VIRTID
                                  0x11, 0x13, 0x1d,               // of graphics
                                  0x20, 0x21, 0x22, 0x23,         // TID, TID.X, .Y, .Z
                                  0x38, 0x39, 0x3a, 0x3b, 0x3c};  // EQMASK to GEMASK
    return std::find(kOfLanes.begin(), kOfLanes.end(), int(word.bits(72, 8))) != kOfLanes.end();
}

enum class Operand : std::uint8_t { a, b, c };

// Reads registers where their numbers stand.
class OperandReader {
  public:
    OperandReader(const InstructionWord& word, const OpcodeRow& row) : word_(word), row_(row) {}

    [[nodiscard]] std::array<RegisterOperand, kOperands> all() const {
        const auto form = word_.bits(9, 3);
        const bool constant_last = form == 2 || form == 3 || form == 7;
        std::array<RegisterOperand, kOperands> made;
        const auto put = [&](Operand operand, int first_bit) {
            made[std::size_t(operand)] = at(first_bit, is_wide(operand) ? 2 : 1);
        };
        if (row_.reads != OperandPlaces::b) put(Operand::a, kA);
        if (row_.reads == OperandPlaces::shuffle) {
            if (form == 1 || form == 2) put(Operand::b, kB);
            if (form == 1 || form == 4) put(Operand::c, kC);
        } else if (form == 1) {
            if (row_.reads != OperandPlaces::ac) put(Operand::b, kB);
            if (row_.reads == OperandPlaces::ac || row_.reads == OperandPlaces::abc) put(Operand::c, kC);
        } else if (row_.reads == OperandPlaces::abc) {
            put(constant_last ? Operand::b : Operand::c, kC);
        }
        return made;
    }

    // The address, then what is written or combined.
    [[nodiscard]] std::array<RegisterOperand, kOperands> of_access(int bytes) const {
        const bool wide_address = row_.space == MemorySpace::global || row_.space == MemorySpace::generic;
        std::array<RegisterOperand, kOperands> made;
        made[0] = at(kA, wide_address ? 2 : 1);
        const bool writes = row_.kind == MachineKind::store || row_.kind == MachineKind::atomic;
        const bool last = row_.name == "ST" && word_.bits(9, 3) == 1;
        if (writes) made[1] = at(last ? kC : kB, std::max(1, bytes / 4));
        return made;
    }

  private:
    static constexpr int kA = 24;
    static constexpr int kB = 32;
    static constexpr int kC = 64;

    [[nodiscard]] bool is_wide(Operand operand) const {
        return row_.wide == WideOperands::all || (row_.wide == WideOperands::c && operand == Operand::c);
    }
    [[nodiscard]] RegisterOperand at(int first_bit, int count) const {
        const auto first = std::uint8_t(word_.bits(first_bit, 8));
        if (first == kZeroRegister) return {};
        return {first, std::uint8_t(count)};
    }

    const InstructionWord& word_;
    const OpcodeRow& row_;
};

std::array<RegisterOperand, kOperands> operands_of(const InstructionWord& word, const OpcodeRow& row,
                                                   int bytes) {
    const OperandReader reader(word, row);
    if (row.reads != OperandPlaces::none) return reader.all();
    const bool access =
        row.kind == MachineKind::load || row.kind == MachineKind::store || row.kind == MachineKind::atomic;
    return access && row.pipe == MachinePipe::lsu ? reader.of_access(bytes)
                                                  : std::array<RegisterOperand, kOperands>{};
}

}  // namespace

std::uint64_t InstructionWord::bits(int first, int count) const {
    const std::uint64_t mask = count >= 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << count) - 1;
    if (first >= 64) return (high >> (first - 64)) & mask;
    const std::uint64_t above = first == 0 ? 0 : high << (64 - first);
    return ((low >> first) | above) & mask;
}

MachineInstruction decode_instruction(const InstructionWord& word, int address, int architecture) {
    MachineInstruction made;
    made.address = address;
    made.opcode = int(word.bits(0, 12));
    made.guarded = word.bits(12, 4) != kAlways;
    made.control = control_of(word);
    const OpcodeRow* row = opcode_row(made.opcode, architecture);
    if (!row) return made;
    made.name = row->name;
    const bool of_blocks = row->name == "S2R" && !is_register_of_lanes(word);
    made.pipe = of_blocks ? MachinePipe::adu : pipe_of(*row, architecture);
    made.kind = row->kind;
    made.space = row->space;
    made.bytes = width_of(word, row->width, architecture);
    made.passes = row->passes;
    made.reads = operands_of(word, *row, made.bytes);
    if (made.space == MemorySpace::local) made.offset = int(std::int64_t(word.bits(40, 24) << 40) >> 40);
    const std::int64_t target = target_of(word, *row, address, architecture);
    if (row->name == "DEPBAR") made.awaited = {int(word.bits(44, 3)), int(word.bits(38, 6))};
    made.if_diverged = row->name == "BRA" && kind_of_branch(word) == BranchKind::if_diverged;
    made.target = target >= 0 && target < std::int64_t(1) << 30 ? int(target) : -1;
    return made;
}

bool may_fall_through(const InstructionWord& word, const MachineInstruction& instruction) {
    if (instruction.kind != MachineKind::branch && instruction.kind != MachineKind::exit) return true;
    if (instruction.guarded || instruction.name != "BRA") return instruction.guarded;
    switch (kind_of_branch(word)) {
        case BranchKind::by_predicate:  // of its own, beside that of any instruction
            return word.bits(87, 4) != kAlways;
        case BranchKind::by_uniform_predicate:
            return word.bits(24, 4) != kAlways;
        case BranchKind::if_diverged:
        case BranchKind::if_converged:
            return true;
    }
    return true;
}

}  // namespace ws
