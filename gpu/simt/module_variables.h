#pragma once
// The __device__ and __constant__ variables of a module: where they lie, and what they hold.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/simt/addresses.h"
#include "gpu/simt/ptx.h"

namespace ws::simt {

struct ModuleVariable {
    Space space = Space::global;  // or constant
    std::uint64_t at = 0;         // in the bytes of the space
    std::uint64_t bytes = 0;
    [[nodiscard]] std::uint64_t address() const {
        return (space == Space::constant ? kConstantBase : kModuleBase) + at;
    }
};

// As the module's text has them; a GPU that runs one of its kernels takes a copy. Each module's begin anew at
// the same addresses: a launch sees those of its own module.
struct ModuleVariables {
    std::vector<std::byte> globals;
    std::vector<std::byte> constants;
    std::map<std::string, ModuleVariable> names;

    [[nodiscard]] std::vector<std::byte>& bytes_of(Space space) {
        return space == Space::constant ? constants : globals;
    }
};

// Throws DecodeError for what does not fit or points to what has no address.
[[nodiscard]] std::shared_ptr<const ModuleVariables> place_variables(const PtxModule& module);

}  // namespace ws::simt
