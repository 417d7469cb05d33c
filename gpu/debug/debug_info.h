#pragma once
// Where the variables of a kernel are and of which types: DWARF 2 out of its PTX, where the compiler was
// asked for it (--device-debug). A register is named as in the PTX; addresses of code are lines of the PTX.

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gpu/debug/ptx_text.h"
#include "gpu/debug/types.h"

namespace ws::debug {

struct Where {
    enum class Kind : std::uint8_t { nowhere, in_register, at_symbol };
    Kind kind = Kind::nowhere;
    std::string name;         // of the register or the symbol
    std::int64_t offset = 0;  // from the symbol
};

// Code lines [from, to) of the PTX.
struct CodeRange {
    int from = 0;
    int to = std::numeric_limits<int>::max();
    [[nodiscard]] bool holds(int line) const { return line >= from && line < to; }
};

struct Variable {
    std::string name;
    int type = 0;
    bool is_parameter = false;
    struct Part {
        CodeRange range;
        Where where;
    };
    std::vector<Part> parts;
};

// A function, a block of it, or a function that is inlined there.
struct Scope {
    int parent = -1;
    CodeRange range;
    std::string function;  // its name; of a block empty
    bool inlined = false;
    int call_line = 0;  // of an inlined function, where known
    std::vector<Variable> variables;
};

struct DebugInfo {
    TypeTable types;
    std::vector<Variable> globals;
    std::vector<Scope> scopes;  // outer ones before inner ones

    // The scopes that hold the line, the innermost first.
    [[nodiscard]] std::vector<const Scope*> scopes_at(int ptx_line) const;
};

// Of PTX without such sections it is empty; what cannot be read of them is left out.
[[nodiscard]] DebugInfo read_debug_info(const PtxText& text);

}  // namespace ws::debug
