#pragma once
// Textures: a photograph turned by an angle, through global loads and through textures. To add a version: its
// .cu file here and a row in texture.cpp.

#include "gpu/core/lab.h"

namespace ws::texture {

// Places in the lab's lists.
namespace step {
enum Step : int { nearest, fetched, linear, filtered };
}
namespace buffer {
enum Buffer : int { picture, nearest, linear, filtered };
}

[[nodiscard]] const Lab& lab();

}  // namespace ws::texture
