#pragma once
// PNG as bytes.

#include <cstdint>
#include <string>

#include "gpu/core/image.h"

namespace ws {

// 8 bits a channel: 1 channel is gray, 4 are RGBA. Empty if there is too little memory.
[[nodiscard]] std::string encode_png(Extent size, int channels, const std::uint8_t* pixels);
[[nodiscard]] std::string png_library();  // that compresses it, with its version

}  // namespace ws
