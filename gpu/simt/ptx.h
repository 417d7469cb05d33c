#pragma once
// PTX as read from the compiler's text: names are resolved to their scopes, nothing is interpreted yet.

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/core/error.h"

namespace ws::simt {

enum class Space : std::uint8_t { generic, global, shared, local, constant, param };

struct PtxOperand {
    enum class Kind : std::uint8_t { name, number, address, vector };
    Kind kind = Kind::name;
    std::string name;  // register, special register, symbol or label; of an address its base, or empty
    std::string pair;  // the predicate of "%r1|%p1"
    enum class Number : std::uint8_t { integer, f32, f64 };
    Number number = Number::integer;  // as it is written: 12, 0f3F800000, 0d3FF0000000000000 or 1.5
    std::uint64_t bits = 0;           // of a number; floats as their bit pattern
    std::int64_t offset = 0;          // of an address
    bool negated = false;             // "!%p1"
    std::vector<PtxOperand> parts;    // of a vector; of an address [handle, {coordinates}] the coordinates
};

struct PtxInstruction {
    std::string guard;  // predicate register, empty if there is none
    bool guard_negated = false;
    std::string opcode;  // "ld.global.nc.u8"
    std::vector<PtxOperand> operands;
    // A call: the function, what it returns into and the arguments; all of them names of .param variables.
    std::string callee;
    std::vector<std::string> results;
    std::vector<std::string> arguments;
    int line = 0;          // in the kernel's source, 0 if not known
    int ptx_line = 0;      // in the PTX text, from 1
    bool inlined = false;  // the line stands in a function of another file
};

struct PtxVariable {
    std::string name;
    Space space = Space::global;
    std::uint64_t align = 1;
    std::uint64_t bytes = 0;            // 0 for an array whose size the launch gives
    std::vector<std::uint8_t> initial;  // shorter than `bytes`: the rest is 0
    // Addresses of other variables to be stored at these offsets.
    std::vector<std::pair<std::uint64_t, std::string>> pointers;
    bool is_extern = false;
};

struct PtxFunction {
    std::string name;
    bool is_entry = false;
    bool has_body = false;
    // .maxntid and .reqntid, with 1 for the sides that are left out; 0 without the directive.
    std::array<int, 3> most_threads{}, required_threads{};
    std::vector<PtxVariable> params;
    std::vector<PtxVariable> results;
    std::unordered_map<std::string, std::string> registers;  // name to type: "b32", "pred"
    std::vector<PtxVariable> variables;                      // .shared, .local and .param of the body
    std::vector<PtxInstruction> body;
    std::map<std::string, int> labels;                             // to an index into body
    std::map<std::string, std::vector<std::string>> branch_lists;  // .branchtargets
};

struct PtxModule {
    std::string target;                  // "sm_75"
    std::vector<PtxVariable> variables;  // .global, .const and .shared of the module
    std::vector<PtxFunction> functions;
    std::map<int, std::string> files;
};

// The failure names the line of the PTX text and what was expected there.
[[nodiscard]] Result<PtxModule> parse_ptx(std::string_view text);

}  // namespace ws::simt
