#include "gpu/simt/ptx_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "gpu/simt/types.h"

namespace ws::simt {
namespace {

// No memory of a GPU holds an array of this size.
constexpr std::uint64_t kMostBytes = 1ull << 40;
constexpr std::uint64_t kLargestAlignment = 4096;

}  // namespace

void PtxReader::fail(const std::string& what) const {
    throw SyntaxError(fmt::format("line {} of the PTX: {}", peek().line, what));
}

bool PtxReader::accept(std::string_view text) {
    if (!at(text)) return false;
    lexer_.next();
    return true;
}

void PtxReader::expect(std::string_view text) {
    if (accept(text)) return;
    if (at_end()) fail(fmt::format("'{}' expected, the text ends here", text));
    fail(fmt::format("'{}' expected, '{}' found", text, peek().text));
}

std::string PtxReader::word() {
    if (at_end()) fail("a name expected, the text ends here");
    if (peek().kind != Token::Kind::word) fail(fmt::format("a name expected, '{}' found", peek().text));
    return std::string(lexer_.next().text);
}

void PtxReader::skip_past(std::string_view text) {
    while (!accept(text)) {
        if (at_end()) fail(fmt::format("'{}' expected, the text ends here", text));
        lexer_.next();
    }
}

// ---- numbers

PtxOperand PtxReader::number() {
    PtxOperand operand;
    operand.kind = PtxOperand::Kind::number;
    const bool minus = accept("-");
    if (peek().kind != Token::Kind::number) fail(fmt::format("a number expected, '{}' found", peek().text));
    const std::string whole(peek().text);
    std::string_view text = whole;
    if (text.find_first_not_of("0123456789U") != std::string_view::npos &&
        text.find_first_not_of("0123456789.eE+-") == std::string_view::npos) {
        char* end = nullptr;
        const double value = std::strtod(whole.c_str(), &end);
        if (*end != '\0') fail(fmt::format("'{}' is not a number", whole));
        lexer_.next();
        operand.number = PtxOperand::Number::f64;
        operand.bits = std::bit_cast<std::uint64_t>(minus ? -value : value);
        return operand;
    }
    int base = 10;
    std::size_t digits = 0;  // that a float has to have
    if (text.size() > 1 && text.back() == 'U') text.remove_suffix(1);
    if (text.size() > 1 && text[0] == '0') {
        const char kind = char(text[1] | 0x20);  // in lower case
        if (kind == 'f' || kind == 'd') {
            operand.number = kind == 'f' ? PtxOperand::Number::f32 : PtxOperand::Number::f64;
            digits = kind == 'f' ? 8 : 16;
        }
        base = kind == 'b' ? 2 : kind == 'x' || digits > 0 ? 16 : 8;
        text.remove_prefix(base == 8 ? 1 : 2);
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), operand.bits, base);
    if (error != std::errc() || end != text.data() + text.size() || (digits > 0 && text.size() != digits))
        fail(fmt::format("'{}' is not a number", whole));
    lexer_.next();
    if (!minus) return operand;
    if (operand.number == PtxOperand::Number::f32) operand.bits ^= 0x80000000u;
    if (operand.number == PtxOperand::Number::f64) operand.bits ^= 1ull << 63;
    if (operand.number == PtxOperand::Number::integer) operand.bits = ~operand.bits + 1;
    return operand;
}

std::int64_t PtxReader::integer() {
    const PtxOperand made = number();
    if (made.number != PtxOperand::Number::integer) fail("an integer expected, a float found");
    return std::int64_t(made.bits);
}

// ---- variables

std::uint64_t PtxReader::alignment() {
    const auto align = std::uint64_t(integer());
    if (!std::has_single_bit(align) || align > kLargestAlignment)
        fail(fmt::format("the alignment {} is not a power of two up to {}", align, kLargestAlignment));
    return align;
}

// What follows ".ptr": the space and the alignment of what the parameter points to.
void PtxReader::pointed_to() {
    for (const char* space : {".global", ".const", ".shared", ".local"}) {
        if (accept(space)) break;
    }
    if (accept(".align")) alignment();
}

PtxReader::Element PtxReader::types_of_variable(PtxVariable& variable) {
    Element element;
    std::uint64_t repeat = 1;
    while (peek().kind == Token::Kind::word && peek().text[0] == '.') {
        const std::string part = word();
        const std::optional<Type> type = type_named(std::string_view(part).substr(1));
        if (part == ".align") {
            variable.align = alignment();
        } else if (part == ".v2" || part == ".v4") {
            repeat = std::uint64_t(part[2] - '0');
        } else if (part == ".attribute") {
            expect("(");
            skip_past(")");
        } else if (part == ".ptr" && variable.space == Space::param) {
            pointed_to();
        } else if (part == ".texref" || part == ".samplerref" || part == ".surfref") {
            fail("texture references are not supported; use texture objects");
        } else if (part == ".b128") {
            element = {16, false};
        } else if (type && *type != Type::pred) {
            element = {std::uint64_t(bits_of(*type) / 8), is_float(*type)};
        } else {
            fail(fmt::format("'{}' is not known in a declaration", part));
        }
    }
    if (element.bytes == 0) fail("a type expected in the declaration");
    variable.align = std::max(variable.align, element.bytes);
    variable.bytes = element.bytes * repeat;
    return element;
}

PtxVariable PtxReader::variable(Space space) {
    PtxVariable made;
    made.space = space;
    const Element element = types_of_variable(made);
    made.name = word();
    bool sized = true;
    while (accept("[")) {
        if (accept("]")) {
            sized = false;
            continue;
        }
        const auto count = std::uint64_t(integer());
        if (count > kMostBytes / made.bytes) fail(fmt::format("the array '{}' is too large", made.name));
        if (count == 0) fail(fmt::format("the array '{}' has no elements", made.name));
        made.bytes *= count;
        expect("]");
    }
    if (at("=") && space != Space::global && space != Space::constant)
        fail(fmt::format("'{}' cannot have initial values there", made.name));
    const bool initialised = accept("=");
    if (initialised) initial_values(made, element, sized);
    if (!sized) made.bytes = initialised ? made.initial.size() : 0;
    return made;
}

void PtxReader::initial_values(PtxVariable& variable, const Element& element, bool sized) {
    int depth = 0;
    do {
        if (accept("{")) {
            ++depth;
        } else if (accept("}")) {
            if (--depth < 0) fail("'}' without '{' in initial values");
        } else if (!accept(",")) {
            initial_value(variable, element);
        }
        if (sized && variable.initial.size() > variable.bytes)
            fail(
                fmt::format("'{}' has more initial values than its {} bytes", variable.name, variable.bytes));
        if (at_end()) fail("the initial values have no end");
    } while (depth > 0 || !at(";"));
}

void PtxReader::initial_value(PtxVariable& variable, const Element& element) {
    std::uint64_t bits = 0;
    if (peek().kind == Token::Kind::word) {
        std::string name = word();
        if (name == "generic") {
            expect("(");
            name = word();
            expect(")");
        }
        if (element.bytes != 8) fail(fmt::format("the address of '{}' needs 64 bits", name));
        variable.pointers.emplace_back(variable.initial.size(), name);
        bits = accept("+") ? std::uint64_t(integer()) : 0;
    } else {
        const PtxOperand value = number();
        bits = value.bits;
        if (value.number == PtxOperand::Number::f64 && element.bytes < 8) {
            if (!element.is_float || element.bytes != 4) fail("a number of 64 bits does not fit in");
            bits = std::bit_cast<std::uint32_t>(float(std::bit_cast<double>(bits)));
        }
    }
    for (std::uint64_t i = 0; i < element.bytes; ++i)
        variable.initial.push_back(i < 8 ? std::uint8_t(bits >> (8 * i)) : std::uint8_t(0));
}

}  // namespace ws::simt
