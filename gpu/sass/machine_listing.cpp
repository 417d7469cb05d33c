#include "gpu/sass/machine_listing.h"

#include <utility>

#include "gpu/sass/machine_code_reader.h"

namespace ws {

LocalAccesses local_accesses(const MachineCode& code) {
    LocalAccesses found;
    for (const MachineInstruction& one : code.instructions) {
        if (one.space != MemorySpace::local) continue;
        found.stores += one.kind == MachineKind::store ? 1 : 0;
        found.loads += one.kind == MachineKind::load ? 1 : 0;
    }
    return found;
}

int without_padding(const MachineCode& code) {
    auto count = int(code.instructions.size());
    while (count > 0 && code.instructions[std::size_t(count - 1)].name == "NOP") --count;
    return count;
}

const MachineListing* MachineReader::of(const std::shared_ptr<const CompiledKernel>& kernel) {
    if (kernel != kernel_) {
        kernel_ = kernel;
        listing_.reset();
        if (kernel && !kernel->is_ptx) {
            Result<MachineCode> code = read_machine_code(kernel->binary, kernel->entry);
            if (code.ok()) {
                InFlight flight = loads_in_flight(code.value());
                const LocalAccesses local = local_accesses(code.value());
                const int count = without_padding(code.value());
                listing_ = MachineListing{std::move(code.value()), std::move(flight), local, count};
            }
        }
    }
    return listing_ ? &*listing_ : nullptr;
}

}  // namespace ws
