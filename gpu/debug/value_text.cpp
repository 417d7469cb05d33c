#include "gpu/debug/value_text.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>

namespace ws::debug {
namespace {

using std::uint64_t;

constexpr uint64_t kMostElementsShown = 200;
constexpr int kFewestRepeats = 8;  // from which on they are counted
constexpr int kDeepestText = 8;

std::string float_text(double value, bool single) {
    if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    return single ? fmt::format("{}", float(value)) : fmt::format("{}", value);
}

std::string character_text(uint64_t bits) {
    const auto c = static_cast<unsigned char>(bits);
    return c >= 32 && c < 127 ? fmt::format(" '{}'", char(c)) : "";
}

uint64_t low_bits(uint64_t bits, uint64_t bytes) {
    return bytes >= 8 || bytes == 0 ? bits : bits & ((uint64_t(1) << (8 * bytes)) - 1);
}

std::string lettered_text(uint64_t bits, const Type& type, char letter) {
    switch (letter) {
        case 'x':
            return fmt::format("{:#x}", low_bits(bits, type.bytes));
        case 't':
            return fmt::format("{:b}", low_bits(bits, type.bytes));
        case 'u':
            return fmt::format("{}", low_bits(bits, type.bytes));
        case 'c':
            return fmt::format("{}{}", std::int64_t(std::int8_t(bits)), character_text(bits));
        case 'f':
            if (type.bytes == 4) return float_text(double(std::bit_cast<float>(std::uint32_t(bits))), true);
            if (type.bytes == 8) return float_text(std::bit_cast<double>(bits), false);
            return fmt::format("{}", std::int64_t(bits));
        default:
            return type.kind == TypeKind::floating ? fmt::format("{}", std::int64_t(as_double(bits, type)))
                                                   : fmt::format("{}", std::int64_t(bits));
    }
}

std::string number_text(uint64_t bits, const Type& type) {
    switch (type.kind) {
        case TypeKind::boolean:
            return bits != 0 ? "true" : "false";
        case TypeKind::floating:
            return float_text(as_double(bits, type), type.bytes == 4);
        case TypeKind::character:
            return (type.is_signed ? fmt::format("{}", std::int64_t(bits)) : fmt::format("{}", bits)) +
                   character_text(bits);
        case TypeKind::pointer:
            return fmt::format("{:#x}", bits);
        case TypeKind::enumeration:
            for (const auto& [name, number] : type.names) {
                if (number == std::int64_t(bits)) return name;
            }
            return fmt::format("{}", std::int64_t(bits));
        default:
            return type.is_signed ? fmt::format("{}", std::int64_t(bits)) : fmt::format("{}", bits);
    }
}

class ValueWriter {
  public:
    ValueWriter(const TypeTable& types, const Surroundings& around, char letter)
        : types_(types), around_(around), letter_(letter) {}

    std::string text(const Value& value) {
        const Type& type = types_[value.type];
        if (type.kind == TypeKind::array && value.address) return array(value, type);
        if (type.kind == TypeKind::structure && value.address) return structure(value, type);
        if (type.kind == TypeKind::nothing) return "void";
        const uint64_t bits = bits_of(value, types_, around_);
        return letter_ != 0 ? lettered_text(bits, type, letter_) : number_text(bits, type);
    }

  private:
    std::string array(const Value& value, const Type& type) {
        if (++depth_ > kDeepestText) return "{...}";
        std::string made;
        std::string last;
        int repeats = 0;
        uint64_t shown = 0;
        const auto put = [&] {
            if (repeats == 0) return;
            const bool counted = repeats >= kFewestRepeats;
            for (int i = 0; i < (counted ? 1 : repeats); ++i) made += (made.empty() ? "" : ", ") + last;
            if (counted) made += fmt::format(" <repeats {} times>", repeats);
            shown += counted ? 1 : uint64_t(repeats);
        };
        const uint64_t step = types_[type.target].bytes;
        uint64_t i = 0;
        for (; i < type.count && shown < kMostElementsShown && made.size() < 4000; ++i) {
            const std::string one = text({type.target, 0, *value.address + i * step, 0, 0});
            if (repeats > 0 && one == last) {
                ++repeats;
                continue;
            }
            put();
            last = one;
            repeats = 1;
        }
        put();
        --depth_;
        return "{" + made + (i < type.count ? ", ..." : "") + "}";
    }

    std::string structure(const Value& value, const Type& type) {
        if (++depth_ > kDeepestText) return "{...}";
        std::string made;
        for (const Member& member : type.members) {
            const Value one{member.type, 0, *value.address + member.offset, member.bits, member.shift};
            made += fmt::format("{}{} = {}", made.empty() ? "" : ", ", member.name, text(one));
        }
        --depth_;
        return "{" + made + "}";
    }

    const TypeTable& types_;
    const Surroundings& around_;
    char letter_;
    int depth_ = 0;
};

}  // namespace

std::string text_of(const Value& value, const TypeTable& types, const Surroundings& around, char letter) {
    return ValueWriter(types, around, letter).text(value);
}

}  // namespace ws::debug
