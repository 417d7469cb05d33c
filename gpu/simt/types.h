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
[[nodiscard]] int bits_of(Type type);
[[nodiscard]] bool is_float(Type type);
[[nodiscard]] bool is_signed(Type type);
// One or two floats of 16 bits, and which.
[[nodiscard]] bool is_small_float(Type type);
[[nodiscard]] Type element_of(Type type);

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
