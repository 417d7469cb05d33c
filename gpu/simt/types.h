#pragma once
// The types of PTX, and how floats are rounded.

#include <cstdint>
#include <optional>
#include <string_view>

namespace ws::simt {

// Of the last three, bf16 is bfloat16, and the others are two floats of 16 bits in a register.
enum class Type : std::uint8_t {
    pred,
    u8,
    s8,
    u16,
    s16,
    f16,
    u32,
    s32,
    f32,
    u64,
    s64,
    f64,
    bf16,
    f16x2,
    bf16x2
};

// "b32" reads as u32. None for what is no type.
[[nodiscard]] std::optional<Type> type_named(std::string_view name);
[[nodiscard]] constexpr int bits_of(Type type) {
    switch (type) {
        case Type::pred:
            return 1;
        case Type::u8:
        case Type::s8:
            return 8;
        case Type::u16:
        case Type::s16:
        case Type::f16:
        case Type::bf16:
            return 16;
        case Type::u32:
        case Type::s32:
        case Type::f32:
        case Type::f16x2:
        case Type::bf16x2:
            return 32;
        default:
            return 64;
    }
}
[[nodiscard]] constexpr bool is_signed(Type type) {
    return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}
// One or two floats of 16 bits, and which.
[[nodiscard]] constexpr bool is_small_float(Type type) {
    return type == Type::f16 || type >= Type::bf16;
}
[[nodiscard]] constexpr bool is_float(Type type) {
    return type == Type::f32 || type == Type::f64 || is_small_float(type);
}
[[nodiscard]] constexpr Type element_of(Type type) {
    return type == Type::f16x2 ? Type::f16 : type == Type::bf16x2 ? Type::bf16 : type;
}

enum class Rounding : std::uint8_t { nearest, zero, down, up };

// Rounds as asked for while it lives; then to nearest again.
class RoundingScope {
  public:
    explicit RoundingScope(Rounding rounding);
    ~RoundingScope();
    RoundingScope(const RoundingScope&) = delete;
    RoundingScope& operator=(const RoundingScope&) = delete;

  private:
    bool changed_;
    unsigned before_ = 0;
};

}  // namespace ws::simt
