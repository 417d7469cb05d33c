#include "gpu/simt/x86_translator.h"

#include <functional>
#include <optional>
#include <utility>

#include "gpu/simt/known_constants.h"
#include "gpu/simt/liveness.h"
#include "gpu/simt/x86_accesses.h"
#include "gpu/simt/x86_copies.h"
#include "gpu/simt/x86_frame.h"
#include "gpu/simt/x86_instructions.h"
#include "gpu/simt/x86_operations.h"
#include "gpu/simt/x86_places.h"
#include "gpu/simt/x86_ways.h"

namespace ws::simt {
namespace {

namespace x86 = asmjit::x86;
using asmjit::Label;

class Translator {
  public:
    Translator(const Program& program, const std::vector<int>& first_block, asmjit::CodeHolder& holder)
        : program_(program),
          first_block_(first_block),
          code_(&holder),
          constants_(code_),
          places_(code_, constants_, program.memory_instructions),
          accesses_(code_, constants_, later_, places_),
          copies_(code_, constants_, later_, places_, accesses_),
          liveness_(program, [this](const Instruction& instruction) { return ways_.has(instruction); }),
          frame_(code_, liveness_),
          instructions_(code_, constants_, frame_) {}

    std::array<TranslatedEntries, 2> run();

  private:
    struct Edge {
        Label from;  // code for this edge
        Registers registers;
    };

    // ---- what is translated
    [[nodiscard]] bool is_left(const Instruction& i);

    // ---- blocks
    void translate_function(int index);
    void translate_block(int block);
    void begin_instruction(int instruction);
    void begin_block(int block);
    void end_block(int block);
    void branch(int block);
    void go_on(int block, int target);
    void go_back(const Registers& registers, int target);
    void stop_where_lanes_meet(int block);
    void meet_again(int block);
    void change_lanes(ForLanes to);
    [[nodiscard]] int side_of_some(const BasicBlock& ending) const;
    void go_apart(int block, const Held& predicate);
    void count_pass(int block);
    void interpret(int instruction);
    void enter();
    void leave_at(std::uint32_t instruction, int block);
    [[nodiscard]] Label resume_at(int instruction);
    void later(std::function<void()> emit) { later_.add(std::move(emit)); }
    [[nodiscard]] const Function& function() const { return program_.functions[std::size_t(function_)]; }
    [[nodiscard]] const BasicBlock& block_at(int block) const {
        return function().blocks[std::size_t(block)];
    }
    [[nodiscard]] const Label& within(ForLanes lanes, int block) const {
        return within_[std::size_t(lanes)][std::size_t(first_block_[std::size_t(function_)] + block)];
    }
    [[nodiscard]] bool for_some() const { return lanes_ == ForLanes::some; }
    [[nodiscard]] TranslatedEntries& entries() { return entries_[std::size_t(lanes_)]; }

    // ---- instructions
    void translate(const Instruction& i);
    void access(const Instruction& i, const TranslatedWay& way);
    void copy(const Instruction& i);
    void commit();
    void may_bail(const Label& bail, const Registers& before);

    const Program& program_;
    const std::vector<int>& first_block_;
    x86::Assembler code_;
    ConstantPool constants_;
    LaterCode later_;
    PlaceCode places_;
    AccessCode accesses_;
    CopyCode copies_;
    TranslatedWays ways_;
    Liveness liveness_;
    FrameCode frame_;
    InstructionCode instructions_;
    std::array<TranslatedEntries, 2> entries_;
    std::array<std::vector<Label>, 2>
        within_;  // by lanes and number of the block: its begin, from other code
    Label exit_;

    // Of the function.
    ForLanes lanes_ = ForLanes::all;
    int function_ = 0;
    std::vector<Label> body_;  // by block
    std::vector<bool> is_loop_;
    std::optional<KnownConstants> known_;
    std::vector<bool> is_meeting_;          // lanes that diverged may meet there
    std::vector<std::vector<Edge>> edges_;  // forward ones, by the block where they lead
    bool falls_ = false;                    // the code of the block before runs on into the next
    // Of the instruction.
    int block_ = 0;
    int instruction_ = 0;
};

// ---- what is translated

// What is only translated of all lanes; of shuffles, if their masks leave none out.
bool Translator::is_left(const Instruction& i) {
    const TranslatedWay way = ways_.of(i);
    if (way.commits) return for_some();
    if (way.copies) return for_some() || detail_of<AsyncCopy>(i).wide_target;
    if (!way.shuffles) return false;
    const std::int32_t members = detail_of<Shuffle>(i).members;
    return for_some() || (members >= 0 && instructions_.constant_at(members) != kAllLanes);
}

void Translator::translate(const Instruction& i) {
    const TranslatedWay way = ways_.of(i);
    if (way.loads || way.stores) return access(i, way);
    if (way.copies) return copy(i);
    if (way.commits) return commit();
    if (way.halves) return instructions_.halve(i);
    if (way.shuffles) return instructions_.shuffle(i);
    if (way.lanes && instructions_.with_constants(i)) return;
    if (way.lanes) return instructions_.lanes(i, *way.lanes);
    if (way.floats) return instructions_.floats(i, *way.floats);
    instructions_.predicate(i, *way.predicate);
}

// ---- memory

void Translator::access(const Instruction& i, const TranslatedWay& way) {
    const MemoryAccess& m = memory_of(i);
    const int parts = way.wide ? 4 : 2;
    const Held base = frame_.use(i.a, m.wide_address ? 4 : 2);
    std::vector<Held> values;  // by element
    for (std::size_t e = 0; e < m.count && way.stores; ++e)
        values.push_back(frame_.use(m.elements[e], parts));
    const Registers before = frame_.registers;
    for (std::size_t e = 0; e < m.count && way.loads; ++e)
        values.push_back(frame_.make(m.elements[e], parts));
    const Label bail = code_.newLabel();
    if (way.loads)
        accesses_.load(m, lanes_, base, values, way.is_signed, bail);
    else
        accesses_.store(m, lanes_, base, values, bail);
    may_bail(bail, before);
}

void Translator::copy(const Instruction& i) {
    const Held source = frame_.use(i.a, 4);
    const Held target = frame_.use(i.b, 2);
    const Held sizes = i.c >= 0 ? frame_.use(i.c, 2) : Held{};
    const Label bail = code_.newLabel();
    copies_.begin(detail_of<AsyncCopy>(i), source, target, sizes, bail);
    may_bail(bail, frame_.registers);
}

void Translator::commit() {
    const Label bail = code_.newLabel();
    copies_.commit(bail);
    may_bail(bail, frame_.registers);
}

// The code before it may leave the instruction to the interpreter, with what the registers held before it.
void Translator::may_bail(const Label& bail, const Registers& before) {
    const int here = instruction_;
    const int block = block_;
    later([=, this] {
        code_.bind(bail);
        frame_.flush(before, block, here);
        leave_at(std::uint32_t(here), block);
    });
    const Label go_on = code_.newLabel();
    const Label resume = resume_at(here + 1);
    code_.bind(go_on);
    later([=, this, after = frame_.registers] {
        code_.bind(resume);
        enter();
        frame_.load_all(after, block, here + 1);
        code_.jmp(go_on);
    });
}

// ---- blocks

void Translator::enter() {
    code_.mov(kFrame, x86::ptr(kState, offsetof(TranslatedState, frame)));
    if (!for_some()) code_.mov(kPatterns, x86::ptr(kState, offsetof(TranslatedState, patterns)));
    code_.mov(kPasses, x86::ptr(kState, offsetof(TranslatedState, passes)));
    code_.mov(kSteps, x86::ptr(kState, offsetof(TranslatedState, steps_left)));
    if (for_some()) code_.mov(kActive, x86::ptr(kState, offsetof(TranslatedState, mask)));
}

void Translator::leave_at(std::uint32_t instruction, int block) {
    code_.mov(x86::rax, std::uint64_t(block) << 32 | instruction);
    code_.jmp(exit_);
}

Label Translator::resume_at(int instruction) {
    const Label made = code_.newLabel();
    entries().instructions[std::size_t(instruction)] = made.id();
    return made;
}

// Leaves an instruction to the interpreter.
void Translator::interpret(int instruction) {
    frame_.flush(frame_.registers, block_, instruction);
    leave_at(std::uint32_t(instruction), block_);
    frame_.registers = {};
    code_.bind(resume_at(instruction + 1));
    enter();
}

// Where several ways meet, what all of them hold in the same registers stays there.
void Translator::begin_block(int block) {
    const int first = block_at(block).first;
    const std::vector<Edge>& edges = edges_[std::size_t(block)];
    Registers met;
    const bool reached = falls_ || !edges.empty();
    if (reached && !is_loop_[std::size_t(block)]) {
        const Registers& some = falls_ ? frame_.registers : edges.front().registers;
        for (Held one : some.held()) {
            bool everywhere = frame_.live_at(block, first, one);
            for (const Edge& edge : edges) {
                everywhere = everywhere && edge.registers.holds_like(one);
                for (const Held& other : edge.registers.held())
                    one.dirty |= other.is_where(one) && other.dirty;
            }
            if (everywhere) met.keep(one);
        }
    }
    if (falls_) frame_.flush(frame_.registers, block, first, met);
    for (const Edge& edge : edges) {
        later([=, this] {
            code_.bind(edge.from);
            frame_.flush(edge.registers, block, first, met);
            code_.jmp(body_[std::size_t(block)]);
        });
    }
    frame_.registers = met;
    const Label begin = code_.newLabel();
    entries().blocks[std::size_t(first_block_[std::size_t(function_)] + block)] = begin.id();
    later([=, this] {
        code_.bind(begin);
        enter();
        code_.bind(within(lanes_, block));
        frame_.load_all(met, block, first);
        code_.jmp(body_[std::size_t(block)]);
    });
    code_.bind(body_[std::size_t(block)]);
    if (for_some()) stop_where_lanes_meet(block);
    code_.sub(kSteps, int(block_at(block).weight) + 1);
    count_pass(block);
}

// Some lanes wait where they meet with the others.
void Translator::stop_where_lanes_meet(int block) {
    if (!is_meeting_[std::size_t(block)]) return;
    const Label meet = code_.newLabel();
    code_.cmp(x86::dword_ptr(kState, offsetof(TranslatedState, reconverge)), block);
    code_.je(meet);
    later([=, this, registers = frame_.registers] {
        code_.bind(meet);
        frame_.flush(registers, block, block_at(block).first);
        meet_again(block);
        leave_at(Stop::kBlock, block);
    });
}

// Where code for all lanes led some here, it goes on.
void Translator::meet_again(int block) {
    const Label others_wait = code_.newLabel();
    code_.cmp(x86::dword_ptr(kState, offsetof(TranslatedState, apart)), 0);
    code_.je(others_wait);
    code_.mov(x86::dword_ptr(kState, offsetof(TranslatedState, apart)), 0);
    change_lanes(ForLanes::all);
    code_.jmp(within(ForLanes::all, block));
    code_.bind(others_wait);
}

void Translator::change_lanes(ForLanes to) {
    if (to == ForLanes::some)
        places_.choose_patterns();
    else
        code_.mov(kPatterns, x86::ptr(kState, offsetof(TranslatedState, patterns)));
    code_.mov(kPasses, x86::ptr(kState, int(offsetof(TranslatedState, passes_of) +
                                            sizeof(BlockPasses*) * std::size_t(to))));
    code_.mov(x86::ptr(kState, offsetof(TranslatedState, passes)), kPasses);
}

// The block to which a branch leads some lanes while the others are already where all meet; -1 where it is
// not so, or the kernel ends for one of them.
int Translator::side_of_some(const BasicBlock& ending) const {
    if (for_some() || ending.flow != Flow::branch) return -1;
    const int meeting = ending.reconverge;
    const bool one_side = (ending.target == meeting) != (ending.next == meeting);
    if (!one_side || meeting == function().exit_block) return -1;
    const int side = ending.target == meeting ? ending.next : ending.target;
    if (side == function().exit_block) return -1;
    const BasicBlock& where = block_at(meeting);
    const bool may_end_there = where.first == where.last && where.flow != Flow::next;
    return may_end_there ? -1 : side;
}

// What is live is in the frame.
void Translator::go_apart(int block, const Held& predicate) {
    const BasicBlock& ending = block_at(block);
    const int side = side_of_some(ending);
    const Instruction& control = program_.code[std::size_t(ending.control)];
    const int at = int(sizeof(BlockPasses)) * (first_block_[std::size_t(function_)] + block);
    code_.inc(x86::qword_ptr(kPasses, at + int(offsetof(BlockPasses, divergent))));
    code_.kmovd(kActive, predicate.k());
    if (control.guard_negated != (side == ending.next)) code_.not_(kActive);
    code_.mov(x86::dword_ptr(kState, offsetof(TranslatedState, mask)), kActive);
    code_.mov(x86::dword_ptr(kState, offsetof(TranslatedState, reconverge)), ending.reconverge);
    code_.mov(x86::dword_ptr(kState, offsetof(TranslatedState, apart)), 1);
    change_lanes(ForLanes::some);
    code_.jmp(within(ForLanes::some, side));
}

void Translator::count_pass(int block) {
    const int at = int(sizeof(BlockPasses)) * (first_block_[std::size_t(function_)] + block);
    code_.inc(x86::qword_ptr(kPasses, at + int(offsetof(BlockPasses, times))));
    if (!for_some()) return;
    code_.popcnt(x86::eax, kActive);
    code_.add(x86::qword_ptr(kPasses, at + int(offsetof(BlockPasses, lanes))), x86::rax);
}

// To a loop's begin, from which the interpreter goes on once the steps are used up.
void Translator::go_back(const Registers& registers, int target) {
    frame_.flush(registers, target, block_at(target).first);
    code_.test(kSteps, kSteps);
    code_.jg(body_[std::size_t(target)]);
    leave_at(Stop::kBlock, target);
}

void Translator::go_on(int block, int target) {
    falls_ = target == block + 1;
    if (falls_) return;
    if (target <= block) return go_back(frame_.registers, target);
    const Label edge = code_.newLabel();
    code_.jmp(edge);
    edges_[std::size_t(target)].push_back({edge, frame_.registers});
}

void Translator::branch(int block) {
    const BasicBlock& ending = block_at(block);
    const Instruction& control = program_.code[std::size_t(ending.control)];
    if (control.guard < 0) return go_on(block, ending.target);
    const Held predicate = frame_.use(control.guard, 1);
    const Label taken = code_.newLabel();
    const Label mixed = code_.newLabel();
    // Carry: for all lanes; zero: for none.
    if (for_some()) {
        code_.kmovd(x86::k1, kActive);
        code_.ktestd(predicate.k(), x86::k1);
    } else {
        code_.kortestd(predicate.k(), predicate.k());
    }
    if (control.guard_negated) {
        code_.jz(taken);
        code_.jnc(mixed);
    } else {
        code_.jc(taken);
        code_.jnz(mixed);
    }
    if (ending.target > block) {
        edges_[std::size_t(ending.target)].push_back({taken, frame_.registers});
    } else {
        later([=, this, registers = frame_.registers, target = ending.target] {
            code_.bind(taken);
            go_back(registers, target);
        });
    }
    later([=, this, registers = frame_.registers, end = ending.last] {
        code_.bind(mixed);
        frame_.flush(registers, block, end);
        if (side_of_some(block_at(block)) >= 0) return go_apart(block, predicate);
        leave_at(std::uint32_t(end), block);
    });
    go_on(block, ending.next);
}

void Translator::end_block(int block) {
    const BasicBlock& ending = block_at(block);
    if (ending.flow == Flow::next) return go_on(block, ending.next);
    if (ending.flow == Flow::branch || (ending.flow == Flow::leave && ending.control >= 0))
        return branch(block);
    frame_.flush(frame_.registers, block, ending.last);
    leave_at(std::uint32_t(ending.last), block);
    falls_ = false;
}

void Translator::begin_instruction(int instruction) {
    instruction_ = instruction;
    frame_.begin_instruction(block_, instruction);
    instructions_.begin_instruction(*known_, block_, instruction);
}

void Translator::translate_block(int block) {
    begin_block(block);
    block_ = block;
    for (int i = block_at(block).first; i < block_at(block).last; ++i) {
        begin_instruction(i);
        const Instruction& instruction = program_.code[std::size_t(i)];
        if (ways_.has(instruction) && !is_left(instruction))
            translate(instruction);
        else
            interpret(i);
    }
    begin_instruction(block_at(block).control);
    end_block(block);
}

void Translator::translate_function(int index) {
    function_ = index;
    frame_.begin_function(function(), lanes_);
    known_.emplace(program_, liveness_, function());
    const std::size_t count = function().blocks.size();
    is_loop_.assign(count, false);
    is_meeting_.assign(count, false);
    edges_.assign(count, {});
    body_.clear();
    for (std::size_t block = 0; block < count; ++block) {
        body_.push_back(code_.newLabel());
        for (const int next : successors_of(function().blocks[block])) {
            if (next <= int(block)) is_loop_[std::size_t(next)] = true;
        }
        const int meeting = function().blocks[block].reconverge;
        if (meeting >= 0) is_meeting_[std::size_t(meeting)] = true;
    }
    falls_ = false;
    for (int block = 0; block < int(count); ++block) translate_block(block);
    later_.emit();
}

std::array<TranslatedEntries, 2> Translator::run() {
    std::size_t blocks = 0;
    for (const Function& one : program_.functions) blocks += one.blocks.size();
    for (TranslatedEntries& of : entries_) {
        of.instructions.assign(program_.code.size() + 1, TranslatedEntries::kNone);
        of.blocks.assign(blocks, TranslatedEntries::kNone);
    }
    for (std::vector<Label>& of : within_) {
        for (std::size_t block = 0; block < blocks; ++block) of.push_back(code_.newLabel());
    }
    exit_ = code_.newLabel();
    code_.bind(exit_);
    code_.mov(x86::ptr(kState, offsetof(TranslatedState, steps_left)), kSteps);
    code_.vzeroupper();
    code_.ret();
    for (const ForLanes lanes : {ForLanes::all, ForLanes::some}) {
        lanes_ = lanes;
        for (std::size_t i = 0; i < program_.functions.size(); ++i) translate_function(int(i));
    }
    accesses_.emit_subroutines();
    constants_.emit();
    return std::move(entries_);
}

}  // namespace

bool has_translated_instructions() {
    const auto& features = asmjit::CpuInfo::host().features().x86();
    return features.hasAVX512_F() && features.hasAVX512_BW() && features.hasAVX512_DQ() &&
           features.hasAVX512_VL();
}

std::array<TranslatedEntries, 2> translate(const Program& program, const std::vector<int>& first_block,
                                           asmjit::CodeHolder& holder) {
    return Translator(program, first_block, holder).run();
}

}  // namespace ws::simt
