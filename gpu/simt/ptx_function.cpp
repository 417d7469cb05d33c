#include "gpu/simt/ptx_function.h"

#include <fmt/format.h>

#include <utility>

namespace ws::simt {
namespace {

// A text that declares more registers than this for one function is no kernel of a GPU.
constexpr std::size_t kMostRegisters = 1 << 17;
constexpr std::int64_t kMostThreads = 1 << 16;  // of a side of a block, in a directive

}  // namespace

Space space_named(std::string_view directive) {
    if (directive == ".global") return Space::global;
    if (directive == ".const") return Space::constant;
    if (directive == ".shared") return Space::shared;
    if (directive == ".local") return Space::local;
    return Space::param;
}

std::vector<PtxVariable> PtxFunctionReader::parameters() {
    std::vector<PtxVariable> list;
    reader_.expect("(");
    if (reader_.accept(")")) return list;
    do {
        reader_.expect(".param");
        list.push_back(reader_.variable(Space::param));
        scopes_.declare(list.back().name);
    } while (reader_.accept(","));
    reader_.expect(")");
    return list;
}

// ".maxntid 128, 1, 1", ".reqntid 64", and others, which say nothing about a launch.
void PtxFunctionReader::performance_directives() {
    while (!reader_.at("{") && !reader_.at(";")) {
        if (reader_.at_end()) reader_.fail(fmt::format("the function '{}' has no body", function_.name));
        const std::string text(reader_.next().text);
        if (text != ".maxntid" && text != ".reqntid") continue;
        std::array<int, 3>& sides = text == ".maxntid" ? function_.most_threads : function_.required_threads;
        sides = {1, 1, 1};
        std::size_t i = 0;
        do {
            const std::int64_t side = reader_.integer();
            if (i == sides.size() || side < 1 || side > kMostThreads)
                reader_.fail("one to three numbers of threads expected");
            sides[i++] = int(side);
        } while (reader_.accept(","));
    }
}

PtxFunction PtxFunctionReader::read(bool is_entry) {
    function_ = {};
    function_.is_entry = is_entry;
    scopes_.begin_function();
    branches_.clear();
    if (!is_entry && reader_.at("(")) function_.results = parameters();
    function_.name = reader_.word();
    if (reader_.at("(")) function_.params = parameters();
    performance_directives();
    if (!reader_.accept(";")) body();
    return std::move(function_);
}

void PtxFunctionReader::body() {
    reader_.expect("{");
    function_.has_body = true;
    lines_.begin_function();
    while (!scopes_.ended()) statement();
    for (const Branch& branch : branches_) resolve_label(branch);
}

void PtxFunctionReader::statement() {
    if (reader_.at_end()) reader_.fail(fmt::format("the function '{}' has no end", function_.name));
    if (reader_.accept("{")) return scopes_.open();
    if (reader_.accept("}")) return scopes_.close();
    if (reader_.accept(";")) return;
    PtxInstruction instruction;
    instruction.ptx_line = reader_.peek().line;
    if (reader_.accept("@")) {
        instruction.guard_negated = reader_.accept("!");
        instruction.guard = scopes_.resolve(reader_.word());
    }
    const std::string first = reader_.word();
    if (!instruction.guard.empty()) return operation(instruction, first);
    if (reader_.accept(":")) return label(first);
    if (first[0] == '.') return body_directive(first);
    operation(instruction, first);
}

void PtxFunctionReader::operation(PtxInstruction& instruction, const std::string& opcode) {
    if (opcode[0] == '.' || opcode[0] == '%')
        reader_.fail(fmt::format("an instruction expected, '{}' found", opcode));
    instruction.opcode = opcode;
    while (reader_.peek().kind == Token::Kind::word && reader_.peek().text[0] == '.')
        instruction.opcode += reader_.word();  // "ld .global .u32"
    const std::string name = instruction.opcode.substr(0, instruction.opcode.find('.'));
    if (name == "call") {
        call(instruction);
    } else {
        operands(instruction);
    }
    instruction.line = lines_.line();
    instruction.inlined = lines_.inlined();
    if (name == "bra" || name == "brx") {
        branches_.push_back({function_.body.size(), scopes_.open_scopes()});
    }
    function_.body.push_back(std::move(instruction));
}

void PtxFunctionReader::label(const std::string& name) {
    const std::string kept = scopes_.label(name);
    bool is_new = true;
    if (reader_.accept(".branchtargets")) {
        std::vector<std::string> list;
        do list.push_back(scopes_.label(reader_.word()));
        while (reader_.accept(","));
        reader_.expect(";");
        is_new = function_.branch_lists.emplace(kept, std::move(list)).second;
    } else if (reader_.accept(".callprototype") || reader_.accept(".calltargets")) {
        reader_.skip_past(";");
    } else {
        is_new = function_.labels.emplace(kept, int(function_.body.size())).second;
    }
    if (!is_new) reader_.fail(fmt::format("the label '{}' is declared twice", name));
}

// The innermost scope that has the label, or the list of labels, is meant.
void PtxFunctionReader::resolve_label(const Branch& branch) {
    PtxInstruction& instruction = function_.body[branch.instruction];
    if (instruction.operands.empty()) return;
    std::string& name = instruction.operands.back().name;
    for (auto scope = branch.scopes.rbegin(); scope != branch.scopes.rend(); ++scope) {
        const std::string kept = PtxScopes::in(name, *scope);
        if (function_.labels.count(kept) == 0 && function_.branch_lists.count(kept) == 0) continue;
        name = kept;
        return;
    }
}

void PtxFunctionReader::body_directive(const std::string& directive) {
    if (directive == ".reg") {
        registers();
    } else if (directive == ".loc") {
        lines_.read(reader_);
    } else if (directive == ".pragma") {
        reader_.skip_past(";");
    } else if (directive == ".shared" || directive == ".local" || directive == ".param") {
        PtxVariable variable = reader_.variable(space_named(directive));
        variable.name = scopes_.declare(variable.name);
        function_.variables.push_back(std::move(variable));
        reader_.expect(";");
    } else {
        reader_.fail(fmt::format("'{}' is not known inside a function", directive));
    }
}

void PtxFunctionReader::add_register(const std::string& name, const std::string& type) {
    if (function_.registers.size() >= kMostRegisters)
        reader_.fail(fmt::format("a function may have {} registers", kMostRegisters));
    function_.registers[scopes_.declare(name)] = type;
}

void PtxFunctionReader::registers() {
    std::string type = reader_.word();
    if (type == ".v2" || type == ".v4") reader_.fail("vector registers are not supported");
    if (type[0] != '.') reader_.fail(fmt::format("a type expected, '{}' found", type));
    type.erase(0, 1);
    do {
        const std::string name = reader_.word();
        if (reader_.accept("<")) {
            const std::int64_t count = reader_.integer();
            reader_.expect(">");
            if (count < 0) reader_.fail(fmt::format("'{}' is not a number of registers", count));
            for (std::int64_t i = 0; i < count; ++i) add_register(name + std::to_string(i), type);
        } else {
            add_register(name, type);
        }
    } while (reader_.accept(","));
    reader_.expect(";");
}

// ---- operands

void PtxFunctionReader::operands(PtxInstruction& instruction) {
    if (reader_.accept(";")) return;
    do instruction.operands.push_back(operand());
    while (reader_.accept(","));
    reader_.expect(";");
}

PtxOperand PtxFunctionReader::operand() {
    if (reader_.at("{")) return vector();
    if (reader_.at("[")) return address();
    return scalar();
}

bool PtxFunctionReader::at_number() const {
    return reader_.peek().kind == Token::Kind::number || reader_.at("-");
}

PtxOperand PtxFunctionReader::scalar() {
    if (at_number()) return reader_.number();
    PtxOperand made;
    made.negated = reader_.accept("!");
    made.name = scopes_.resolve(reader_.word());
    if (reader_.accept("|")) made.pair = scopes_.resolve(reader_.word());
    if (reader_.accept("+")) made.offset = reader_.integer();
    return made;
}

// "{%f1, %f2}".
PtxOperand PtxFunctionReader::vector() {
    PtxOperand made;
    made.kind = PtxOperand::Kind::vector;
    reader_.expect("{");
    do made.parts.push_back(scalar());
    while (reader_.accept(","));
    reader_.expect("}");
    return made;
}

// "[%rd1+4]", "[symbol]", "[%rd1, {%f1, %f2}]".
PtxOperand PtxFunctionReader::address() {
    PtxOperand made;
    made.kind = PtxOperand::Kind::address;
    reader_.expect("[");
    if (at_number()) {
        made.offset = reader_.integer();
    } else {
        made.name = scopes_.resolve(reader_.word());
        if (reader_.accept("+") || reader_.at("-")) made.offset = reader_.integer();
    }
    if (reader_.accept(",")) made.parts = vector().parts;
    reader_.expect("]");
    return made;
}

std::vector<std::string> PtxFunctionReader::names_in_parentheses() {
    std::vector<std::string> names;
    reader_.expect("(");
    if (reader_.accept(")")) return names;
    do names.push_back(scopes_.resolve(reader_.word()));
    while (reader_.accept(","));
    reader_.expect(")");
    return names;
}

void PtxFunctionReader::call(PtxInstruction& instruction) {
    if (reader_.at("(")) {
        instruction.results = names_in_parentheses();
        reader_.expect(",");
    }
    instruction.callee = scopes_.resolve(reader_.word());
    if (reader_.accept(",")) {
        if (reader_.at("(")) {
            instruction.arguments = names_in_parentheses();
            if (reader_.accept(",")) reader_.word();  // the prototype of an indirect call
        } else {
            reader_.word();
        }
    }
    reader_.expect(";");
}

}  // namespace ws::simt
