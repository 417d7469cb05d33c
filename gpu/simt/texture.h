#pragma once
// A texture of the simulated GPU: one dimension or two, one to four channels of float or byte; how it is
// sampled, and where its texels lie.

#include <array>
#include <cstddef>
#include <cstdint>

namespace ws::simt {

struct Texture {
    enum class Address : std::uint8_t { clamp, wrap, border, mirror };
    const std::byte* data = nullptr;
    int width = 0, height = 1;  // in texels; a texture of one dimension has the height 1
    int channels = 1;
    bool bytes = false;            // channels are bytes instead of floats
    bool normalised_read = false;  // bytes are read as 0 to 1
    bool linear = false;           // filtering
    bool normalised_coordinates = false;
    Address address = Address::clamp;
    std::uint64_t base = 0;  // of its texels in the GPU's memory, as Gpu::bind() places them
    [[nodiscard]] int texel_bytes() const { return channels * (bytes ? 1 : 4); }
};

// The texels that a fetch reads, with their weights; those of the border are not there.
struct Footprint {
    struct Texel {
        int x = 0, y = 0;
        float weight = 1;
    };
    std::array<Texel, 4> texels{};
    std::size_t count = 0;
};
[[nodiscard]] Footprint footprint(const Texture& texture, float x, float y);
// Along one dimension, in the first row.
[[nodiscard]] Footprint footprint(const Texture& texture, float x);
// Whole coordinates are neither normalised nor filtered.
[[nodiscard]] Footprint footprint(const Texture& texture, int x, int y);

// The four channels, missing ones 0 (alpha 1 is not added: hardware returns 0). Bytes that are not normalised
// come as integers in float form up to 255.
[[nodiscard]] std::array<float, 4> fetched(const Texture& texture, const Footprint& from);

// Where a texel lies. Two dimensions are laid out in tiles, so that neighbours in a column are near, too: the
// sectors of 32 bytes hold 16 bytes of 2 rows, the lines of 128 bytes 32 bytes of 4 rows, and a tile of 512
// bytes 64 bytes of 8 rows. So NVIDIA describes the block-linear surfaces of its GPUs (Tegra X1 Technical
// Reference Manual, pixel memory formats); that tiles follow each other row by row is ours. One dimension is
// linear memory.
[[nodiscard]] std::uint64_t address_of(const Texture& texture, int x, int y);
// Of all its tiles.
[[nodiscard]] std::uint64_t bytes_of(const Texture& texture);

}  // namespace ws::simt
