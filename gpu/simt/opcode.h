#pragma once
// The parts of an instruction's name.

#include <string>
#include <string_view>
#include <vector>

#include "gpu/simt/instruction.h"
#include "gpu/simt/types.h"

namespace ws::simt {

// An opcode taken apart: "mad.lo.s32" is mad with the suffix lo and the type s32.
struct Opcode {
    std::string name;
    std::vector<std::string> parts;  // everything behind the name
    std::vector<Type> types;         // those parts that are types, in order
    std::string last_type;           // as written, "b32"
    Modifiers modifiers;
    [[nodiscard]] bool has(std::string_view part) const;
};
[[nodiscard]] Opcode take_apart(const std::string& opcode);
// The space of an access, generic if none is named.
[[nodiscard]] Space space_in(const Opcode& opcode);
// The width of a register for the type: '4', '8' or 'p'.
[[nodiscard]] char register_width(Type type);

}  // namespace ws::simt
