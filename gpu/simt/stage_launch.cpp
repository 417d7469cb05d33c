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

KernelLaunch stage_launch(Gpu& gpu, std::shared_ptr<const Program> program, const Launch& launch, Extent size,
                          const std::uint8_t* source, int source_bytes, std::uint8_t* target) {
    KernelLaunch made;
    made.program = std::move(program);
    made.grid = {launch.grid.width, launch.grid.height, 1};
    made.block = {launch.block.x, launch.block.y, 1};
    made.banks = launch.banks;
    const std::size_t bytes = size.pixels() * std::size_t(source_bytes);
    const std::size_t readable = source_bytes == 4 ? readable_bytes(bytes) : bytes;
    set_parameter(made, 0, gpu.map_read_only(std::as_bytes(std::span(source, readable))), 8);
    set_parameter(made, 1,
                  gpu.map(std::as_writable_bytes(std::span(target, size.pixels())), Content::unwritten), 8);
    set_parameter(made, 2, std::uint64_t(size.width), 4);
    set_parameter(made, 3, std::uint64_t(size.height), 4);
    return made;
}

LaunchOptions stage_options() {
    LaunchOptions options;
    options.step_limit = kStageSteps;
    return options;
}

}  // namespace ws::simt
