#include "render/context.h"

#include <glad/gl.h>

namespace ws {

GlFacts read_gl_facts() {
    const auto text = [](GLenum what) {
        const auto* value = reinterpret_cast<const char*>(glGetString(what));
        return std::string(value ? value : "unknown");
    };
    GlFacts facts{text(GL_RENDERER), text(GL_VENDOR), text(GL_VERSION), false};
    for (const char* name : {"llvmpipe", "softpipe", "SwiftShader", "GDI Generic"}) {
        facts.software |= facts.renderer.find(name) != std::string::npos;
    }
    return facts;
}

bool gl_context_lost() {
    if (glGetGraphicsResetStatus) return glGetGraphicsResetStatus() != GL_NO_ERROR;
    if (glGetGraphicsResetStatusARB) return glGetGraphicsResetStatusARB() != GL_NO_ERROR;
    return false;
}

}  // namespace ws
