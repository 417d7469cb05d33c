#include "gpu/simt/launch_memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace ws::simt {

LaunchMemory::LaunchMemory(DeviceMemory& memory, ModuleVariables& variables, const Program& program,
                           const LaunchOptions& options)
    : memory_(memory) {
    for (const DeviceBuffer& buffer : memory.buffers()) {
        Region region{buffer.address, buffer.bytes,    buffer.data, nullptr,
                      nullptr,        buffer.writable, buffer.index};
        if (options.check && buffer.writable) watch(region, &buffer, program.has_fences);
        if (options.track_touched)
            region.touched = marks_.emplace_back(buffer.bytes / 32 + 1, std::uint8_t(0)).data();
        regions_.push_back(region);
    }
    const auto region_of = [](std::uint64_t base, std::vector<std::byte>& bytes, bool writable) {
        return Region{base, bytes.size(), bytes.data(), nullptr, nullptr, writable, -1};
    };
    if (!variables.globals.empty()) {
        Region region = region_of(kModuleBase, variables.globals, true);
        if (options.check) watch(region, nullptr, program.has_fences);
        regions_.push_back(region);
    }
    constants_ = region_of(kConstantBase, variables.constants, false);
}

// Gives each byte a mark; variables are given.
void LaunchMemory::watch(Region& region, const DeviceBuffer* buffer, bool with_records) {
    const bool unwritten = buffer && buffer->content == Content::unwritten;
    std::vector<std::uint16_t>& shadow = shadows_.emplace_back(region.size, unwritten ? kUnwritten : kGiven);
    for (std::size_t i = 0; buffer && i < buffer->written.size(); ++i) {
        if (!buffer->written[i]) shadow[i] = kUnwritten;
    }
    region.shadow = shadow.data();
    if (with_records) region.records = records_.emplace_back(region.size).data();
}

std::uint64_t LaunchMemory::unique_bytes() const {
    std::uint64_t sectors = 0;
    for (const Region& region : regions_) {
        if (region.touched)
            sectors += std::uint64_t(std::count(region.touched, region.touched + region.size / 32 + 1, 1));
    }
    return sectors * 32;
}

void LaunchMemory::find_unwritten(FindingLog& findings) const {
    const std::vector<DeviceBuffer>& buffers = memory_.buffers();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const Region& region = regions_[i];
        if (!region.shadow || buffers[i].content != Content::unwritten) continue;
        const std::uint16_t* end = region.shadow + region.size;
        const std::uint16_t* begin = region.shadow;
        const std::uint16_t* first = std::find(begin, end, kUnwritten);
        if (first == end) continue;
        const auto missing = std::uint64_t(std::count(first, end, kUnwritten));
        if (missing == region.size) continue;  // no output of this kernel
        findings.add(Finding::Kind::unwritten, 0, ~0ull - 1,
                     fmt::format("{} of {} bytes of buffer {} are never written, the first at offset {}",
                                 missing, region.size, region.index, first - begin));
    }
}

void LaunchMemory::keep_written() const {
    std::vector<DeviceBuffer>& buffers = memory_.buffers();
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        DeviceBuffer& buffer = buffers[i];
        if (!buffer.writable || buffer.content == Content::given) continue;
        const std::uint16_t* shadow = regions_[i].shadow;
        buffer.written.clear();
        // Without marks nobody knows, and an alarm would be a false one.
        const auto missing =
            shadow ? std::uint64_t(std::count(shadow, shadow + buffer.bytes, kUnwritten)) : 0;
        buffer.content = missing == 0              ? Content::given
                         : missing == buffer.bytes ? Content::unwritten
                                                   : Content::partly;
        if (buffer.content != Content::partly) continue;
        buffer.written.resize(buffer.bytes);
        for (std::size_t k = 0; k < buffer.written.size(); ++k) buffer.written[k] = shadow[k] != kUnwritten;
    }
}

}  // namespace ws::simt
