#include "gpu/simt/launch_memory.h"

namespace ws::simt {

LaunchMemory::LaunchMemory(DeviceMemory& memory, ModuleVariables& variables, DeviceHeap& heap, bool with_heap)
    : memory_(memory), heap_(heap) {
    for (const DeviceBuffer& buffer : memory.buffers())
        regions_.push_back({buffer.address, buffer.bytes, buffer.data, buffer.writable, buffer.index});
    const auto region_of = [](std::uint64_t base, std::vector<std::byte>& bytes, bool writable) {
        return Region{base, bytes.size(), bytes.data(), writable, Region::kVariables};
    };
    if (!variables.globals.empty()) regions_.push_back(region_of(kModuleBase, variables.globals, true));
    if (with_heap) heap_region_ = {kHeapBase, DeviceHeap::kBytes, nullptr, true, Region::kHeap};
    constants_ = region_of(kConstantBase, variables.constants, false);
}

}  // namespace ws::simt
