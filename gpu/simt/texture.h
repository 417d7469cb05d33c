#pragma once
// A texture of the simulated GPU: one dimension or two, one to four channels of float or byte.

#include <array>
#include <cstddef>
#include <cstdint>

namespace ws::simt {

struct Texture {
    enum class Address : std::uint8_t { clamp, wrap, border };
    const std::byte* data = nullptr;
    int width = 0, height = 1;  // in texels; a texture of one dimension has the height 1
    int channels = 1;
    bool bytes = false;            // channels are bytes instead of floats
    bool normalised_read = false;  // bytes are read as 0 to 1
    bool linear = false;           // filtering
    bool normalised_coordinates = false;
    Address address = Address::clamp;
};

// The four channels at (x, y), missing ones 0 (alpha 1 is not added: hardware returns 0). Bytes that are not
// normalised come as integers in float form up to 255.
[[nodiscard]] std::array<float, 4> sample(const Texture& texture, float x, float y);
// Along one dimension, in the first row.
[[nodiscard]] std::array<float, 4> sample(const Texture& texture, float x);
// The texel itself: whole coordinates are neither normalised nor filtered.
[[nodiscard]] std::array<float, 4> texel(const Texture& texture, int x, int y);

}  // namespace ws::simt
