#pragma once
// Expressions of C++ as a person types them into a debugger: variables, registers (%r1), members, elements,
// casts, arithmetic; "part[0]@8" is eight elements from there on. Nothing can be assigned.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/debug/types.h"

namespace ws::debug {

// What a person asked for cannot be had; what goes on is not changed by it.
class DebugError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

struct Expression {
    enum class Kind : std::uint8_t { number, name, unary, binary, choice, element, member, cast, size_of };
    Kind kind = Kind::number;
    std::string text;        // the name, the operator, the member
    int type = 0;            // of a number, of a cast
    std::uint64_t bits = 0;  // of a number
    std::vector<Expression> parts;
};

// Throws DebugError for what is no expression. Types of casts are looked up, and made, in `types`.
[[nodiscard]] Expression parse_expression(std::string_view text, TypeTable& types);

}  // namespace ws::debug
