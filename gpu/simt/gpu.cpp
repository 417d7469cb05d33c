#include "gpu/simt/gpu.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/error.h"
#include "gpu/simt/addresses.h"
#include "gpu/simt/device_launches.h"
#include "gpu/simt/grid_runner.h"
#include "gpu/simt/launch_limits.h"
#include "gpu/simt/launch_memory.h"

namespace ws::simt {

std::uint64_t Gpu::allocate(std::uint64_t bytes) {
    refuse_memory(profile_, memory_.size_bytes() + bytes);
    return memory_.allocate(bytes);
}

std::uint64_t Gpu::map(std::span<std::byte> memory, Content content, std::optional<std::uint64_t> place) {
    refuse_memory(profile_, memory_.size_bytes() + memory.size());
    return memory_.map(memory.data(), memory.size(), content, true, place);
}

std::uint64_t Gpu::map_read_only(std::span<const std::byte> memory, std::optional<std::uint64_t> place) {
    refuse_memory(profile_, memory_.size_bytes() + memory.size());
    // Nothing writes to a buffer that is not writable.
    return memory_.map(const_cast<std::byte*>(memory.data()), memory.size(), Content::given, false, place);
}

void Gpu::copy_in(std::uint64_t to, std::span<const std::byte> from) {
    const std::span<std::byte> bytes = memory_.given(to, from.size());
    std::copy(from.begin(), from.end(), bytes.begin());
}

void Gpu::copy_out(std::span<std::byte> to, std::uint64_t from) {
    const std::span<std::byte> bytes = memory_.at(from, to.size());
    std::copy(bytes.begin(), bytes.end(), to.begin());
}

ModuleVariables& Gpu::variables_of(const Program& program) {
    return variables_.try_emplace(program.variables, *program.variables).first->second;
}

std::span<std::byte> Gpu::variable(const Program& program, const std::string& name) {
    ModuleVariables& variables = variables_of(program);
    const auto found = variables.names.find(name);
    if (found == variables.names.end()) throw Error(fmt::format("the module has no variable '{}'", name));
    const ModuleVariable& variable = found->second;
    return {variables.bytes_of(variable.space).data() + variable.at, variable.bytes};
}

std::uint64_t Gpu::bind(const Texture& texture) {
    const std::uint64_t base =
        textures_.empty() ? kTextureBase : textures_.back().base + bytes_of(textures_.back());
    textures_.push_back(texture);
    textures_.back().base = base;
    return textures_.size();
}

LaunchOutcome Gpu::launch(const KernelLaunch& launch, const LaunchOptions& options) {
    refuse_impossible(profile_, launch);
    // What some of the blocks make of variables and heap is not what the launch makes of them.
    const bool whole = options.blocks.empty();
    ModuleVariables& kept = variables_of(*launch.program);
    ModuleVariables scratch = whole ? ModuleVariables{} : kept;
    const bool with_heap = launch.program->uses_heap || heap_.is_used();
    DeviceHeap scratch_heap = whole || !with_heap ? DeviceHeap{} : heap_;
    LaunchMemory memory(memory_, whole ? kept : scratch, whole ? heap_ : scratch_heap, with_heap);
    DeviceLaunches launches(profile_, whole);
    LaunchOutcome outcome =
        launches.run({profile_, launch, options, textures_, translate_, &launches}, memory);
    if (whole && !options.check) memory_.assume_written();
    return outcome;
}

}  // namespace ws::simt
