#include "gpu/simt/calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/simt/addresses.h"
#include "gpu/simt/frame.h"

namespace ws::simt {

namespace {

constexpr std::uint64_t kApart = 16;

}  // namespace

std::uint64_t address_of(const PtxModule& module, const std::string& function) {
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
        if (module.functions[i].name == function && module.functions[i].has_body)
            return kCodeBase + kApart * (i + 1);
    }
    return 0;
}

const PtxFunction* function_at(const PtxModule& module, std::uint64_t address) {
    const std::uint64_t number = (address - kCodeBase) / kApart;
    if (address % kApart != 0 || number < 1 || number > module.functions.size()) return nullptr;
    const PtxFunction& function = module.functions[number - 1];
    return function.has_body ? &function : nullptr;
}

bool takes(const PtxFunction& callee, const PtxInstruction& from, const LaneParameters& caller) {
    const auto equal = [&](const std::vector<std::string>& given, const std::vector<PtxVariable>& wanted) {
        return std::equal(given.begin(), given.end(), wanted.begin(), wanted.end(),
                          [&](const std::string& name, const PtxVariable& variable) {
                              const auto found = caller.find(name);
                              return found != caller.end() && found->second.bytes == variable.bytes;
                          });
    };
    return equal(from.arguments, callee.params) && equal(from.results, callee.results);
}

void link(Call& call, const PtxInstruction& from, const LaneParameters& caller, const PtxFunction& callee,
          const LaneParameters& inner) {
    if (from.arguments.size() != callee.params.size() || from.results.size() != callee.results.size())
        throw DecodeError(
            fmt::format("the call of '{}' has other parameters than the function", callee.name));
    const auto copy = [&](const std::string& name, const PtxVariable& variable) {
        const auto given = caller.find(name);
        if (given == caller.end() || given->second.bytes != variable.bytes)
            throw DecodeError(fmt::format("'{}' in the call of '{}' is not a .param variable of {} bytes",
                                          name, callee.name, variable.bytes));
        return ParameterCopy{given->second.at, inner.at(variable.name).at, std::uint32_t(variable.bytes)};
    };
    for (std::size_t i = 0; i < callee.params.size(); ++i)
        call.arguments.push_back(copy(from.arguments[i], callee.params[i]));
    for (std::size_t i = 0; i < callee.results.size(); ++i)
        call.results.push_back(copy(from.results[i], callee.results[i]));
}

}  // namespace ws::simt
