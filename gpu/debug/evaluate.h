#pragma once
// The values of expressions in one lane.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "gpu/debug/expression.h"
#include "gpu/debug/types.h"

namespace ws::debug {

// A number, or what lies at an address (then the bits are not read yet).
struct Value {
    int type = 0;
    std::uint64_t bits = 0;
    std::optional<std::uint64_t> address;  // generic
    int field_bits = 0;                    // of a bit field
    int field_shift = 0;
};

// What names stand for, and what memory holds.
class Surroundings {
  public:
    virtual ~Surroundings() = default;
    // Nothing for a name that is not known. Throws DebugError for one that has no value here.
    [[nodiscard]] virtual std::optional<Value> named(std::string_view name) const = 0;
    // Empty where no memory holds them all.
    [[nodiscard]] virtual std::span<const std::byte> memory(std::uint64_t address,
                                                            std::uint64_t bytes) const = 0;
};

// Throws DebugError for what has no value.
[[nodiscard]] Value evaluate(const Expression& expression, TypeTable& types, const Surroundings& around);
// The bits of a number, a pointer or a character, extended by its sign to 64; of an array its address.
[[nodiscard]] std::uint64_t bits_of(const Value& value, const TypeTable& types, const Surroundings& around);
[[nodiscard]] bool is_true(const Value& value, const TypeTable& types, const Surroundings& around);
// Of a number: what it is as a double.
[[nodiscard]] double as_double(std::uint64_t bits, const Type& type);

}  // namespace ws::debug
