#pragma once
// The memory of a simulated GPU between its launches: buffers, and what is known of their bytes.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gpu/simt/addresses.h"
#include "gpu/simt/buffer_places.h"

namespace ws::simt {

// Whether a buffer's bytes mean something: reading unwritten ones is a finding, and so is a launch that
// writes a part of an unwritten buffer alone.
enum class Content : std::uint8_t { unwritten, given, partly };

struct DeviceBuffer {
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::byte* data = nullptr;
    bool writable = true;
    Content content = Content::given;
    std::vector<bool> written;    // of a buffer that is partly written, by byte
    std::vector<std::byte> room;  // of a buffer that is not the host's
    int index = 0;                // among all that there have been, as messages name it
};

class DeviceMemory {
  public:
    // Room of the GPU's own, filled with a pattern and unwritten; its address.
    std::uint64_t allocate(std::uint64_t bytes);
    // Memory of the host's, which must outlive the buffer. It begins so many bytes behind a multiple of 2
    // MiB; none: behind the buffers before it, as BufferPlaces says.
    std::uint64_t map(std::byte* data, std::uint64_t bytes, Content content, bool writable,
                      std::optional<std::uint64_t> place = std::nullopt);
    // Throws Error if no buffer begins there. No address is given twice.
    void release(std::uint64_t address);

    // The bytes at an address, for the host. Throws Error if no buffer holds them all.
    [[nodiscard]] std::span<std::byte> at(std::uint64_t address, std::uint64_t bytes);
    // The same, which the host has written.
    [[nodiscard]] std::span<std::byte> given(std::uint64_t address, std::uint64_t bytes);

    // After a launch that nobody checked: all that it might have written counts as given.
    void assume_written();

    [[nodiscard]] std::vector<DeviceBuffer>& buffers() { return buffers_; }
    [[nodiscard]] std::uint64_t size_bytes() const;

  private:
    [[nodiscard]] DeviceBuffer& holding(std::uint64_t address, std::uint64_t bytes);

    std::vector<DeviceBuffer> buffers_;
    BufferPlaces places_;
    std::uint64_t next_ =
        kGlobalBase;  // chunk: each buffer has its own, so that its end has nothing beside it
    int count_ = 0;
};

}  // namespace ws::simt
