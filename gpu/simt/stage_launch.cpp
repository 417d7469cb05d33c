#include "gpu/simt/stage_launch.h"

#include <algorithm>

namespace ws::simt {
namespace {

// Hundreds of times what a block of any version takes: a stage that takes more is in an endless loop.
constexpr std::uint64_t kStageSteps = 10'000'000;

}  // namespace

Result<std::shared_ptr<const Program>> ProgramCache::find(
    const std::shared_ptr<const CompiledKernel>& kernel) {
    std::erase_if(known_, [](const auto& entry) { return entry.first.expired(); });
    for (const auto& [known, program] : known_) {
        if (known.lock() == kernel) return program;
    }
    Result<std::shared_ptr<const Program>> program =
        load_program({kernel->binary.data(), kernel->binary.size()}, kernel->entry);
    if (program.ok()) known_.emplace_back(kernel, program.value());
    return program;
}

LaunchSetup stage_launch(std::shared_ptr<const Program> program, const Launch& launch, const GpuProfile& gpu,
                         Extent size, const std::uint8_t* source, int source_bytes, std::uint8_t* target) {
    LaunchSetup setup;
    setup.program = std::move(program);
    setup.grid = {launch.grid.width, launch.grid.height, 1};
    setup.block = {launch.block.x, launch.block.y, 1};
    setup.gpu = gpu;
    setup.banks = launch.banks;
    setup.step_limit = kStageSteps;
    // The kernel only reads its source.
    auto* readable = const_cast<std::byte*>(reinterpret_cast<const std::byte*>(source));
    const std::size_t bytes = size.pixels() * std::size_t(source_bytes);
    setup.buffers.push_back({readable, source_bytes == 4 ? readable_bytes(bytes) : bytes, true, false});
    setup.buffers.push_back({reinterpret_cast<std::byte*>(target), size.pixels(), false, true});
    set_parameter(setup, 0, buffer_address(setup, 0), 8);
    set_parameter(setup, 1, buffer_address(setup, 1), 8);
    set_parameter(setup, 2, std::uint64_t(size.width), 4);
    set_parameter(setup, 3, std::uint64_t(size.height), 4);
    return setup;
}

}  // namespace ws::simt
