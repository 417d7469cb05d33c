#include "gpu/debug/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace ws::debug {
namespace {

using std::uint64_t;

constexpr uint64_t kMostElements = 1 << 20;  // of "a@n"

uint64_t trimmed_to(uint64_t bits, uint64_t bytes, bool is_signed) {
    if (bytes >= 8 || bytes == 0) return bits;
    const int unused = int(64 - 8 * bytes);
    return is_signed ? uint64_t(std::int64_t(bits << unused) >> unused) : bits << unused >> unused;
}

bool is_number(const Type& type) {
    return type.kind == TypeKind::integer || type.kind == TypeKind::character ||
           type.kind == TypeKind::boolean || type.kind == TypeKind::enumeration ||
           type.kind == TypeKind::floating;
}

class Evaluator {
  public:
    Evaluator(TypeTable& types, const Surroundings& around) : types_(types), around_(around) {}

    Value value(const Expression& expression) {
        switch (expression.kind) {
            case Expression::Kind::number:
                return {expression.type, expression.bits, {}, 0, 0};
            case Expression::Kind::name:
                return name(expression.text);
            case Expression::Kind::unary:
                return unary(expression);
            case Expression::Kind::binary:
                return binary(expression);
            case Expression::Kind::choice:
                return value(expression.parts[truth(expression.parts[0]) ? 1 : 2]);
            case Expression::Kind::element:
                return element(value(expression.parts[0]), value(expression.parts[1]));
            case Expression::Kind::member:
                return member(expression);
            case Expression::Kind::cast:
                return cast(value(expression.parts[0]), expression.type);
            case Expression::Kind::size_of: {
                const int type = expression.parts.empty() ? expression.type : value(expression.parts[0]).type;
                return {TypeTable::kUnsignedLong, types_[type].bytes, {}, 0, 0};
            }
        }
        return {};
    }

  private:
    Value name(const std::string& text) const {
        if (const std::optional<Value> found = around_.named(text)) return *found;
        throw DebugError(fmt::format("there is no \"{}\" here", text));
    }

    uint64_t load(const Value& value) const { return bits_of(value, types_, around_); }
    bool truth(const Expression& expression) { return is_true(value(expression), types_, around_); }

    [[noreturn]] void wrong(const std::string& sign, int type) const {
        throw DebugError(fmt::format("'{}' does not take a value of type {}", sign, types_.text_of(type)));
    }

    Value dereferenced(const Value& of) {
        const Type& type = types_[of.type];
        if (type.kind == TypeKind::array && of.address) return {type.target, 0, of.address, 0, 0};
        if (type.kind != TypeKind::pointer) wrong("*", of.type);
        if (type.target == TypeTable::kVoid)
            throw DebugError("a pointer to void points to nothing: cast it first");
        const int target = type.target;
        return {target, 0, load(of), 0, 0};
    }

    Value unary(const Expression& expression) {
        const Value of = value(expression.parts[0]);
        const std::string& sign = expression.text;
        if (sign == "*") return dereferenced(of);
        if (sign == "&") {
            if (!of.address) throw DebugError("it lies in a register and has no address");
            return {types_.pointer_to(of.type), *of.address, {}, 0, 0};
        }
        const Type& type = types_[of.type];
        if (sign == "!") return {TypeTable::kBool, is_true(of, types_, around_) ? 0u : 1u, {}, 0, 0};
        if (!is_number(type)) wrong(sign, of.type);
        if (type.kind == TypeKind::floating) {
            if (sign == "~") wrong(sign, of.type);
            const double number = as_double(load(of), type);
            return real(sign == "-" ? -number : number, of.type);
        }
        const int common = promoted(of.type);
        const uint64_t bits = load(of);
        return integer(sign == "-" ? 0 - bits : sign == "~" ? ~bits : bits, common);
    }

    // What arithmetic makes of small integers.
    [[nodiscard]] int promoted(int type) const { return types_[type].bytes < 4 ? TypeTable::kInt : type; }

    Value integer(uint64_t bits, int type) const {
        return {type, trimmed_to(bits, types_[type].bytes, types_[type].is_signed), {}, 0, 0};
    }
    Value real(double number, int type) const {
        const uint64_t bits = types_[type].bytes == 4 ? std::bit_cast<std::uint32_t>(float(number))
                                                      : std::bit_cast<uint64_t>(number);
        return {type, bits, {}, 0, 0};
    }

    int common_type(int a, int b) const {
        const Type& left = types_[a];
        const Type& right = types_[b];
        const bool floats = left.kind == TypeKind::floating || right.kind == TypeKind::floating;
        if (floats) {
            const bool wide = (left.kind == TypeKind::floating && left.bytes == 8) ||
                              (right.kind == TypeKind::floating && right.bytes == 8);
            return wide ? TypeTable::kDouble : TypeTable::kFloat;
        }
        const uint64_t bytes = std::max<uint64_t>({4, left.bytes, right.bytes});
        const auto counts = [&](const Type& type) { return type.bytes == bytes && !type.is_signed; };
        const bool is_unsigned = counts(left) || counts(right);
        if (bytes == 8) return is_unsigned ? TypeTable::kUnsignedLong : TypeTable::kLong;
        return is_unsigned ? TypeTable::kUnsigned : TypeTable::kInt;
    }

    Value binary(const Expression& expression) {
        const std::string& sign = expression.text;
        if (sign == "&&" || sign == "||") {
            const bool left = truth(expression.parts[0]);
            const bool decided = left == (sign == "||");
            const bool answer = decided ? left : truth(expression.parts[1]);
            return {TypeTable::kBool, answer ? 1u : 0u, {}, 0, 0};
        }
        const Value a = value(expression.parts[0]);
        const Value b = value(expression.parts[1]);
        if (sign == "@") return several(a, b);
        const auto points = [&](const Value& one) {
            return types_[one.type].kind == TypeKind::pointer || types_[one.type].kind == TypeKind::array;
        };
        if (points(a) || points(b)) return of_pointers(sign, a, b, points(a), points(b));
        if (!is_number(types_[a.type])) wrong(sign, a.type);
        if (!is_number(types_[b.type])) wrong(sign, b.type);
        const bool shift = sign == "<<" || sign == ">>";
        const int type = shift ? promoted(a.type) : common_type(a.type, b.type);
        if (types_[type].kind == TypeKind::floating) return of_floats(sign, a, b, type);
        return of_integers(sign, load(a), load(b), type);
    }

    Value answer(bool holds) const { return {TypeTable::kBool, holds ? 1u : 0u, {}, 0, 0}; }

    template <typename T>
    std::optional<bool> compared(const std::string& sign, T a, T b) const {
        if (sign == "==") return a == b;
        if (sign == "!=") return a != b;
        if (sign == "<") return a < b;
        if (sign == ">") return a > b;
        if (sign == "<=") return a <= b;
        if (sign == ">=") return a >= b;
        return std::nullopt;
    }

    Value of_floats(const std::string& sign, const Value& left, const Value& right, int type) const {
        const auto number = [&](const Value& value) { return as_double(load(value), types_[value.type]); };
        double a = number(left);
        double b = number(right);
        if (type == TypeTable::kFloat) {
            a = double(float(a));
            b = double(float(b));
        }
        if (const std::optional<bool> holds = compared(sign, a, b)) return answer(*holds);
        if (sign == "+") return real(a + b, type);
        if (sign == "-") return real(a - b, type);
        if (sign == "*") return real(a * b, type);
        if (sign == "/") return real(a / b, type);
        wrong(sign, type);
    }

    Value of_integers(const std::string& sign, uint64_t a, uint64_t b, int type) const {
        const bool is_signed = types_[type].is_signed;
        const uint64_t bytes = types_[type].bytes;
        const bool shift = sign == "<<" || sign == ">>";
        a = trimmed_to(a, bytes, is_signed);
        if (!shift) b = trimmed_to(b, bytes, is_signed);
        const std::optional<bool> holds =
            is_signed ? compared(sign, std::int64_t(a), std::int64_t(b)) : compared(sign, a, b);
        if (holds) return answer(*holds);
        if (sign == "+") return integer(a + b, type);
        if (sign == "-") return integer(a - b, type);
        if (sign == "*") return integer(a * b, type);
        if (sign == "&") return integer(a & b, type);
        if (sign == "|") return integer(a | b, type);
        if (sign == "^") return integer(a ^ b, type);
        if (shift && b >= 8 * bytes) throw DebugError("the shift is as wide as the number, or wider");
        if (sign == "<<") return integer(a << b, type);
        if (sign == ">>") return integer(is_signed ? uint64_t(std::int64_t(a) >> b) : a >> b, type);
        if (b == 0) throw DebugError("a division by zero");
        if (is_signed && b == ~uint64_t(0)) return integer(sign == "/" ? 0 - a : 0, type);  // by -1
        if (sign == "/")
            return integer(is_signed ? uint64_t(std::int64_t(a) / std::int64_t(b)) : a / b, type);
        if (sign == "%")
            return integer(is_signed ? uint64_t(std::int64_t(a) % std::int64_t(b)) : a % b, type);
        wrong(sign, type);
    }

    // The address that a pointer holds, or that an array has.
    uint64_t address_of(const Value& value) const {
        if (types_[value.type].kind == TypeKind::array && !value.address)
            throw DebugError("the array has no address");
        return load(value);
    }

    Value of_pointers(const std::string& sign, const Value& a, const Value& b, bool left, bool right) {
        const Value& pointer = left ? a : b;
        const int target = types_[pointer.type].target;
        const uint64_t step = std::max<uint64_t>(1, types_[target].bytes);
        if (left && right) {
            const uint64_t one = address_of(a);
            const uint64_t other = address_of(b);
            if (const std::optional<bool> holds = compared(sign, one, other)) return answer(*holds);
            if (sign == "-")
                return {TypeTable::kLong, uint64_t(std::int64_t(one - other) / std::int64_t(step)), {}, 0, 0};
            wrong(sign, b.type);
        }
        const Value& number = left ? b : a;
        const Type& type = types_[number.type];
        if (!is_number(type) || type.kind == TypeKind::floating) wrong(sign, number.type);
        if (const std::optional<bool> holds =
                compared(sign, left ? address_of(a) : load(a), left ? load(b) : address_of(b)))
            return answer(*holds);
        const uint64_t bytes = load(number) * step;
        if (sign == "+") return {types_.pointer_to(target), address_of(pointer) + bytes, {}, 0, 0};
        if (sign == "-" && left) return {types_.pointer_to(target), address_of(pointer) - bytes, {}, 0, 0};
        wrong(sign, pointer.type);
    }

    Value several(const Value& first, const Value& count) {
        if (!first.address) throw DebugError("'@' goes on from what lies in memory");
        const uint64_t most = load(count);
        if (most < 1 || most > kMostElements)
            throw DebugError(fmt::format("'@' takes 1 to {} elements", kMostElements));
        return {types_.array_of(first.type, most), 0, first.address, 0, 0};
    }

    Value element(const Value& of, const Value& index) {
        const Type& type = types_[of.type];
        if (type.kind != TypeKind::array && type.kind != TypeKind::pointer) wrong("[]", of.type);
        const Type& number = types_[index.type];
        if (!is_number(number) || number.kind == TypeKind::floating) wrong("[]", index.type);
        if (type.target == TypeTable::kVoid)
            throw DebugError("a pointer to void points to nothing: cast it first");
        return {type.target, 0, address_of(of) + load(index) * types_[type.target].bytes, 0, 0};
    }

    Value member(const Expression& expression) {
        const Expression& whole = expression.parts[0];
        if (whole.kind == Expression::Kind::name) {
            // threadIdx.x is a name as a whole.
            if (const auto found = around_.named(whole.text + "." + expression.text)) return *found;
        }
        const Value of = value(whole);
        const Type& type = types_[of.type];
        if (type.kind == TypeKind::pointer)
            throw DebugError(fmt::format("it is a pointer: write ->{}", expression.text));
        for (const Member& one : type.members) {
            if (one.name != expression.text) continue;
            if (!of.address) throw DebugError("it has no address");
            return {one.type, 0, *of.address + one.offset, one.bits, one.shift};
        }
        throw DebugError(fmt::format("{} has no member \"{}\"", types_.text_of(of.type), expression.text));
    }

    Value cast(const Value& of, int type) {
        const Type& to = types_[type];
        const Type& from = types_[of.type];
        if (to.kind == TypeKind::structure || to.kind == TypeKind::array ||
            from.kind == TypeKind::structure || to.kind == TypeKind::nothing)
            throw DebugError(
                fmt::format("{} cannot become {}", types_.text_of(of.type), types_.text_of(type)));
        const uint64_t bits = load(of);
        if (from.kind == TypeKind::floating) {
            const double number = as_double(bits, from);
            if (to.kind == TypeKind::floating) return real(number, type);
            if (to.kind == TypeKind::boolean) return answer(number != 0);
            if (to.kind == TypeKind::pointer) wrong("a cast to a pointer", of.type);
            if (!(std::abs(number) < 9e18)) throw DebugError("the number does not fit");
            return integer(uint64_t(std::int64_t(number)), type);
        }
        if (to.kind == TypeKind::boolean) return answer(bits != 0);
        if (to.kind == TypeKind::floating)
            return real(from.is_signed ? double(std::int64_t(bits)) : double(bits), type);
        return integer(bits, type);
    }

    TypeTable& types_;
    const Surroundings& around_;
};

}  // namespace

double as_double(uint64_t bits, const Type& type) {
    if (type.kind == TypeKind::floating)
        return type.bytes == 4 ? double(std::bit_cast<float>(std::uint32_t(bits)))
                               : std::bit_cast<double>(bits);
    return type.is_signed ? double(std::int64_t(bits)) : double(bits);
}

uint64_t bits_of(const Value& value, const TypeTable& types, const Surroundings& around) {
    const Type& type = types[value.type];
    if (type.kind == TypeKind::array && value.address) return *value.address;
    if (type.kind == TypeKind::structure || type.kind == TypeKind::nothing || type.kind == TypeKind::array)
        throw DebugError(fmt::format("a value of type {} is no number", types.text_of(value.type)));
    const bool is_signed = type.is_signed && type.kind != TypeKind::floating;
    if (!value.address) return trimmed_to(value.bits, type.bytes, is_signed);
    const std::span<const std::byte> bytes = around.memory(*value.address, type.bytes);
    if (bytes.empty()) throw DebugError(fmt::format("no memory at address {:#x}", *value.address));
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data(), std::min<std::size_t>(sizeof bits, bytes.size()));
    if (value.field_bits > 0 && value.field_shift >= 0 && value.field_shift < 64) {
        const int unused = 64 - value.field_bits;
        bits = bits >> value.field_shift << unused;
        return is_signed ? uint64_t(std::int64_t(bits) >> unused) : bits >> unused;
    }
    return trimmed_to(bits, type.bytes, is_signed);
}

bool is_true(const Value& value, const TypeTable& types, const Surroundings& around) {
    const Type& type = types[value.type];
    const uint64_t bits = bits_of(value, types, around);
    return type.kind == TypeKind::floating ? as_double(bits, type) != 0 : bits != 0;
}

Value evaluate(const Expression& expression, TypeTable& types, const Surroundings& around) {
    return Evaluator(types, around).value(expression);
}

}  // namespace ws::debug
