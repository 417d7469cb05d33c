#include "gpu/simt/device_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/simt/fresh_memory.h"

namespace ws::simt {
namespace {

constexpr std::uint64_t kGap = 1 << 20;  // so that running over an end meets nothing

}  // namespace

std::uint64_t DeviceMemory::allocate(std::uint64_t bytes) {
    std::vector<std::byte> room(bytes, kFresh);
    const std::uint64_t address = map(room.data(), bytes, Content::unwritten, true);
    buffers_.back().room = std::move(room);  // which stays where it is
    return address;
}

std::uint64_t DeviceMemory::map(std::byte* data, std::uint64_t bytes, Content content, bool writable,
                                std::optional<std::uint64_t> place) {
    constexpr std::uint64_t kChunk = BufferPlaces::kChunk;
    const std::uint64_t address = next_ + (place ? *place : places_.next(bytes));
    buffers_.push_back({address, bytes, data, writable, content, {}, {}, count_++});
    next_ = (address + bytes + kGap + kChunk - 1) / kChunk * kChunk;
    return address;
}

void DeviceMemory::release(std::uint64_t address) {
    const auto found = std::find_if(buffers_.begin(), buffers_.end(), [address](const DeviceBuffer& buffer) {
        return buffer.address == address;
    });
    if (found == buffers_.end()) throw Error(fmt::format("no buffer begins at address {:#x}", address));
    buffers_.erase(found);
}

DeviceBuffer& DeviceMemory::holding(std::uint64_t address, std::uint64_t bytes) {
    for (DeviceBuffer& buffer : buffers_) {
        if (address >= buffer.address && address - buffer.address <= buffer.bytes &&
            bytes <= buffer.bytes - (address - buffer.address))
            return buffer;
    }
    throw Error(fmt::format("no buffer holds {} bytes at address {:#x}", bytes, address));
}

std::span<std::byte> DeviceMemory::at(std::uint64_t address, std::uint64_t bytes) {
    DeviceBuffer& buffer = holding(address, bytes);
    return {buffer.data + (address - buffer.address), bytes};
}

std::span<std::byte> DeviceMemory::given(std::uint64_t address, std::uint64_t bytes) {
    DeviceBuffer& buffer = holding(address, bytes);
    if (!buffer.writable) throw Error(fmt::format("the buffer {} is read-only", buffer.index));
    if (buffer.content != Content::given) {
        if (buffer.content == Content::unwritten) buffer.written.assign(buffer.bytes, false);
        buffer.content = Content::partly;
        std::fill_n(buffer.written.begin() + std::ptrdiff_t(address - buffer.address), bytes, true);
        if (std::find(buffer.written.begin(), buffer.written.end(), false) == buffer.written.end()) {
            buffer.content = Content::given;
            buffer.written.clear();
        }
    }
    return {buffer.data + (address - buffer.address), bytes};
}

void DeviceMemory::assume_written() {
    for (DeviceBuffer& buffer : buffers_) {
        if (!buffer.writable) continue;
        buffer.content = Content::given;
        buffer.written.clear();
    }
}

std::uint64_t DeviceMemory::size_bytes() const {
    std::uint64_t sum = 0;
    for (const DeviceBuffer& buffer : buffers_) sum += buffer.bytes;
    return sum;
}

}  // namespace ws::simt
