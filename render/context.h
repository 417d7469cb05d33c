#pragma once
// What is common to a window and to drawing off screen: OpenGL 3.3 or newer, loaded and current.

#include <string>

namespace ws {

struct GlFacts {
    std::string renderer;  // "NVIDIA H200/PCIe/SSE2"
    std::string vendor;
    std::string version;
    bool software = false;  // Mesa's llvmpipe and the like
};

// Of the current context.
[[nodiscard]] GlFacts read_gl_facts();

// Whether the current context was lost (driver reset). Cheap.
[[nodiscard]] bool gl_context_lost();

}  // namespace ws
