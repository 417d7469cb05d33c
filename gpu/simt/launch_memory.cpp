#include "gpu/simt/launch_memory.h"

namespace ws::simt {

LaunchMemory::LaunchMemory(DeviceMemory& memory, ModuleVariables& variables) : memory_(memory) {
    for (const DeviceBuffer& buffer : memory.buffers())
        regions_.push_back({buffer.address, buffer.bytes, buffer.data, buffer.writable, buffer.index});
    const auto region_of = [](std::uint64_t base, std::vector<std::byte>& bytes, bool writable) {
        return Region{base, bytes.size(), bytes.data(), writable, -1};
    };
    if (!variables.globals.empty()) regions_.push_back(region_of(kModuleBase, variables.globals, true));
    constants_ = region_of(kConstantBase, variables.constants, false);
}

}  // namespace ws::simt
