#include "gpu/core/machine_code.h"

#include <array>

namespace ws {

std::string_view name_of(MachinePipe pipe) {
    constexpr std::array<std::string_view, kMachinePipes> kNames{
        "ALU", "FMA", "FMA heavy", "FP16", "FP64",    "tensor",   "XU",     "LSU",
        "TMA", "TEX", "ADU",       "CBU",  "uniform", "dispatch", "unknown"};
    return kNames[std::size_t(pipe)];
}

std::string_view name_of(MemorySpace space) {
    constexpr std::array<std::string_view, 7> kNames{"",      "generic",  "global", "shared",
                                                     "local", "constant", "texture"};
    return kNames[std::size_t(space)];
}

bool is_access(const MachineInstruction& instruction) {
    switch (instruction.kind) {
        case MachineKind::load:
        case MachineKind::store:
        case MachineKind::atomic:
        case MachineKind::copy:
        case MachineKind::texture:
        case MachineKind::constant_load:
            return true;
        default:
            return false;
    }
}

}  // namespace ws
