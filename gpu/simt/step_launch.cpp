#include "gpu/simt/step_launch.h"

#include <algorithm>
#include <array>

namespace ws::simt {
namespace {

// Hundreds of times what a block of any version takes: a step that takes more is in an endless loop.
constexpr std::uint64_t kMostInstructions = 10'000'000;

Texture texture_of(const ws::Buffer& buffer, Extent size, const Sampling& sampling,
                   const std::uint8_t* data) {
    using Address = Texture::Address;
    constexpr std::array kAddresses{Address::clamp, Address::wrap, Address::border, Address::mirror};
    const Extent extent = extent_of(buffer, size);
    Texture texture;
    texture.data = reinterpret_cast<const std::byte*>(data);
    texture.width = extent.width;
    texture.height = extent.height;
    texture.channels = texture_channels(buffer);
    texture.bytes = buffer.element != Element::float32;
    texture.normalised_read = texture.bytes && sampling.linear;
    texture.linear = sampling.linear;
    texture.normalised_coordinates = true;
    texture.address = kAddresses.at(std::size_t(sampling.address));
    return texture;
}

// Where the lab's buffers begin on a GPU on which its versions have run one after the other: all are
// allocated then, in their order.
std::vector<std::uint64_t> places_of_buffers(const Lab& lab, Extent size) {
    BufferPlaces places;
    std::vector<std::uint64_t> made;
    for (const ws::Buffer& buffer : lab.buffers)
        made.push_back(places.next(readable_bytes(bytes_of(buffer, size))));
    return made;
}

}  // namespace

std::shared_ptr<const Program> ProgramCache::known(const std::shared_ptr<const CompiledKernel>& kernel) {
    const std::lock_guard lock(mutex_);
    std::erase_if(known_, [](const auto& entry) { return entry.first.expired(); });
    for (const auto& [known, program] : known_) {
        if (known.lock() == kernel) return program;
    }
    return nullptr;
}

Result<std::shared_ptr<const Program>> ProgramCache::find(
    const std::shared_ptr<const CompiledKernel>& kernel) {
    if (auto program = known(kernel)) return program;
    Result<std::shared_ptr<const Program>> program =
        load_program({kernel->binary.data(), kernel->binary.size()}, kernel->entry);
    if (!program.ok()) return program;
    const std::lock_guard lock(mutex_);
    known_.emplace_back(kernel, program.value());
    return program;
}

KernelLaunch step_launch(Gpu& gpu, std::shared_ptr<const Program> program, const Launch& launch,
                         const Lab& lab, Extent size, const std::vector<std::uint8_t*>& buffers) {
    KernelLaunch made;
    made.program = std::move(program);
    made.grid = launch.blocks();
    made.block = launch.threads();
    made.dynamic_shared_bytes = launch.dynamic_shared_bytes();
    made.cache = launch.cache;
    made.banks = launch.banks;
    const std::vector<std::uint64_t> begins = places_of_buffers(lab, size);
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
        const Argument& argument = launch.arguments[i];
        if (argument.buffer < 0) {
            const bool across = argument.kind == Argument::Kind::width;
            if (argument.kind == Argument::Kind::value)
                set_parameter(made, i, argument.bits, std::uint32_t(argument.bytes));
            else
                set_parameter(made, i, std::uint64_t(across ? size.width : size.height), 4);
            continue;
        }
        const auto place = std::size_t(argument.buffer);
        if (argument.kind == Argument::Kind::texture) {
            const Texture texture = texture_of(lab.buffers[place], size, argument.sampling, buffers[place]);
            set_parameter(made, i, gpu.bind(texture), 8);
            continue;
        }
        const std::size_t bytes = bytes_of(lab.buffers[place], size);
        const std::size_t readable = place == 0 ? readable_bytes(bytes) : bytes;
        const auto content =
            argument.kind == Argument::Kind::output ? simt::Content::unwritten : simt::Content::given;
        set_parameter(
            made, i,
            argument.writes()
                ? gpu.map(std::as_writable_bytes(std::span(buffers[place], bytes)), content, begins[place])
                : gpu.map_read_only(std::as_bytes(std::span(buffers[place], readable)), begins[place]),
            8);
    }
    return made;
}

LaunchOptions step_options() {
    LaunchOptions options;
    options.step_limit = kMostInstructions;
    return options;
}

}  // namespace ws::simt
