// Lowering of calls of functions that the GPU's system has.

#include <fmt/format.h>

#include "gpu/simt/built_in_calls.h"
#include "gpu/simt/lower.h"

namespace ws::simt {

void Lowering::call_built_in(const Opcode& opcode) {
    opcode.has("uni");
    const BuiltInCall& call = *built_in_named(from_->callee);
    const auto place = [&](const std::string& name, std::uint64_t bytes) {
        const auto found = lane_params_.find(name);
        if (found == lane_params_.end() || found->second.bytes != bytes)
            unknown(fmt::format("'{}' is not a .param variable of {} bytes", name, bytes));
        return found->second.at;
    };
    Instruction made = with(*call.handlers, Pipe::control);
    SystemCall places;
    std::size_t count = 0;
    while (count < call.parameters.size() && call.parameters[count] != 0) ++count;
    if (from_->arguments.size() != count || from_->results.size() != (call.result ? 1u : 0u))
        unknown(fmt::format("'{}' has other parameters", call.name));
    for (std::size_t k = 0; k < count; ++k)
        places.arguments[k] = place(from_->arguments[k], call.parameters[k]);
    if (call.result) places.result = place(from_->results[0], call.result);
    attach(made, places);  // the area is set once the frame is laid out
    emit(made);
}

}  // namespace ws::simt
