#include "gpu/simt/alignment.h"

#include <algorithm>
#include <bit>
#include <string_view>

namespace ws::simt {
namespace {

constexpr int kAll = 64;

// Which operands decide on the result of an instruction.
enum class Rule : std::uint8_t { copy, sum, product, sum_of_product, shift, conjunction, choice };
struct Row {
    std::string_view name;
    Rule rule;
};
constexpr Row kRows[]{
    {"mov", Rule::copy},  {"cvt", Rule::copy},    {"cvta", Rule::copy},       {"neg", Rule::copy},
    {"add", Rule::sum},   {"sub", Rule::sum},     {"or", Rule::sum},          {"xor", Rule::sum},
    {"min", Rule::sum},   {"max", Rule::sum},     {"mul", Rule::product},     {"mad", Rule::sum_of_product},
    {"shl", Rule::shift}, {"selp", Rule::choice}, {"and", Rule::conjunction},
};

const Row* row_of(std::string_view opcode) {
    const std::string_view name = opcode.substr(0, opcode.find('.'));
    const bool keeps_low_bits = opcode.find(".hi") == std::string_view::npos &&
                                opcode.find(".f") == std::string_view::npos &&
                                opcode.find(".sat") == std::string_view::npos;
    const auto row =
        std::find_if(std::begin(kRows), std::end(kRows), [name](const Row& one) { return one.name == name; });
    return row != std::end(kRows) && keeps_low_bits ? &*row : nullptr;
}

// An address or a number in the first place is read.
bool has_result(const PtxInstruction& instruction) {
    if (instruction.operands.empty()) return false;
    const PtxOperand::Kind kind = instruction.operands.front().kind;
    return kind == PtxOperand::Kind::name || kind == PtxOperand::Kind::vector;
}

std::size_t sources_of(Rule rule) {
    switch (rule) {
        case Rule::copy:
            return 1;
        case Rule::sum_of_product:
        case Rule::choice:
            return 3;
        default:
            return 2;
    }
}

}  // namespace

Alignment::Alignment(const PtxFunction& function, const std::map<std::string, std::uint64_t>& addresses)
    : addresses_(addresses) {
    // Every instruction is taken at its best, then at what its sources allow, until nothing changes.
    for (const PtxInstruction& instruction : function.body) {
        if (!has_result(instruction)) continue;
        const PtxOperand& to = instruction.operands.front();
        bits_[to.name] = kAll;
        for (const PtxOperand& part : to.parts) bits_[part.name] = 0;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (const PtxInstruction& instruction : function.body) {
            if (!has_result(instruction)) continue;
            int& bits = bits_[instruction.operands.front().name];
            const int made = made_by(instruction);
            if (made >= bits) continue;
            bits = made;
            changed = true;
        }
    }
}

int Alignment::zero_bits(const std::string& name) const {
    if (const auto variable = addresses_.find(name); variable != addresses_.end())
        return variable->second == 0 ? kAll : std::countr_zero(variable->second);
    const auto known = bits_.find(name);
    return known == bits_.end() ? 0 : known->second;
}

int Alignment::of(const PtxOperand& operand) const {
    if (operand.kind == PtxOperand::Kind::number)
        return operand.bits == 0 ? kAll : std::countr_zero(operand.bits);
    if (operand.kind != PtxOperand::Kind::name || operand.negated) return 0;
    const int bits = zero_bits(operand.name);
    return operand.offset == 0 ? bits : std::min(bits, std::countr_zero(std::uint64_t(operand.offset)));
}

int Alignment::made_by(const PtxInstruction& instruction) const {
    const Row* row = row_of(instruction.opcode);
    const std::vector<PtxOperand>& operands = instruction.operands;
    if (!row || operands.size() <= sources_of(row->rule)) return 0;
    const auto source = [&](std::size_t index) { return of(operands[index]); };
    switch (row->rule) {
        case Rule::copy:
            return source(1);
        case Rule::sum:
        case Rule::choice:
            return std::min(source(1), source(2));
        case Rule::product:
            return std::min(kAll, source(1) + source(2));
        case Rule::sum_of_product:
            return std::min({kAll, source(1) + source(2), source(3)});
        case Rule::shift:
            if (operands[2].kind != PtxOperand::Kind::number) return source(1);
            return int(std::min<std::uint64_t>(kAll, std::uint64_t(source(1)) + operands[2].bits));
        case Rule::conjunction:
            return std::max(source(1), source(2));
    }
    return 0;
}

}  // namespace ws::simt
