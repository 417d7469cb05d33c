#include "gpu/simt/module_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "gpu/simt/calls.h"
#include "gpu/simt/frame.h"

namespace ws::simt {
namespace {

constexpr std::uint64_t kMostModuleBytes = 1 << 30;  // no GPU has more

bool is_placed(const PtxVariable& variable) {
    return variable.space == Space::global || variable.space == Space::constant;
}

void place(const PtxVariable& variable, ModuleVariables& made) {
    std::vector<std::byte>& bytes = made.bytes_of(variable.space);
    const std::uint64_t at = (bytes.size() + variable.align - 1) / variable.align * variable.align;
    check_size(at + variable.bytes, kMostModuleBytes, variable);
    made.names[variable.name] = {variable.space, at, variable.bytes};
    bytes.resize(at + variable.bytes);
    if (!variable.initial.empty())
        std::memcpy(bytes.data() + at, variable.initial.data(),
                    std::min<std::size_t>(variable.initial.size(), variable.bytes));
}

// Adds the addresses of the variables that it points to.
void link(const PtxVariable& variable, const PtxModule& module, ModuleVariables& made) {
    std::byte* bytes = made.bytes_of(variable.space).data() + made.names.at(variable.name).at;
    for (const auto& [offset, name] : variable.pointers) {
        const auto known = made.names.find(name);
        const std::uint64_t address =
            known != made.names.end() ? known->second.address() : address_of(module, name);
        if (address == 0) throw DecodeError(fmt::format("a pointer to '{}' is not supported", name));
        std::uint64_t value = 0;
        std::memcpy(&value, bytes + offset, sizeof value);
        value += address;
        std::memcpy(bytes + offset, &value, sizeof value);
    }
}

}  // namespace

std::shared_ptr<const ModuleVariables> place_variables(const PtxModule& module) {
    auto made = std::make_shared<ModuleVariables>();
    for (const PtxVariable& variable : module.variables) {
        if (is_placed(variable)) place(variable, *made);
    }
    for (const PtxVariable& variable : module.variables) {
        if (is_placed(variable)) link(variable, module, *made);
    }
    return made;
}

}  // namespace ws::simt
