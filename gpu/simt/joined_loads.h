#pragma once
// Loads of neighbouring words of shared memory that the assembler joins into a wider one, which PTX does not
// show. The program executes them one by one, as it says; counted is what the machine does.

#include <cstdint>
#include <map>
#include <string>

#include "gpu/simt/details.h"
#include "gpu/simt/ptx.h"

namespace ws::simt {

// By index into the function's body; loads that stand alone are not in it. `shared` holds where the shared
// variables lie.
//
// The rule is what ptxas 13.0 makes for 7.5 and 9.0: of the four words of an aligned unit of 16 bytes three
// or four are loaded as 16 bytes, else both of an aligned half as 8. Nothing that may write shared memory and
// no barrier lies between, and the alignment follows from how the address is computed.
[[nodiscard]] std::map<int, JoinedLoad> joined_loads(const PtxFunction& function,
                                                     const std::map<std::string, std::uint64_t>& shared);

}  // namespace ws::simt
