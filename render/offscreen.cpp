#include "render/offscreen.h"

#include <glad/egl.h>
#include <glad/gl.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/core/error.h"
#include "render/gl_objects.h"
#include "render/window.h"

namespace ws {
namespace {

// Owns a context that was made current, and the display that it was made on.
class EglContext {
  public:
    EglContext(EGLDisplay display, EGLContext context) : display_(display), context_(context) {}
    EglContext(EglContext&& other) noexcept
        : display_(std::exchange(other.display_, EGL_NO_DISPLAY)), context_(other.context_) {}
    EglContext& operator=(EglContext&&) = delete;
    ~EglContext() {
        if (display_ == EGL_NO_DISPLAY) return;
        eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display_, context_);
        eglTerminate(display_);
    }

  private:
    EGLDisplay display_;
    EGLContext context_;
};

// A current OpenGL 3.3 context without a surface on this display, if it can have one.
std::optional<EglContext> context_on(EGLDisplay display) {
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) return std::nullopt;
    gladLoaderLoadEGL(display);  // only now are the functions beyond EGL 1.0 known
    const EGLint config_wish[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                  EGL_NONE};
    const EGLint context_wish[] = {EGL_CONTEXT_MAJOR_VERSION,
                                   3,
                                   EGL_CONTEXT_MINOR_VERSION,
                                   3,
                                   EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                   EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                   EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (eglBindAPI(EGL_OPENGL_API) && eglChooseConfig(display, config_wish, &config, 1, &count) &&
        count == 1) {
        const EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wish);
        if (context != EGL_NO_CONTEXT) {
            if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
                return EglContext{display, context};
            eglDestroyContext(display, context);
        }
    }
    eglTerminate(display);
    return std::nullopt;
}

// GPUs first, then Mesa's software renderer.
std::optional<EglContext> find_context() {
    if (!gladLoaderLoadEGL(EGL_NO_DISPLAY)) return std::nullopt;
    if (eglQueryDevicesEXT && eglGetPlatformDisplayEXT) {
        EGLint count = 0;
        std::vector<EGLDeviceEXT> devices(16);
        eglQueryDevicesEXT(EGLint(devices.size()), devices.data(), &count);
        for (int i = 0; i < count; ++i) {
            const EGLDisplay display =
                eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[std::size_t(i)], nullptr);
            if (auto context = context_on(display)) return context;
        }
    }
    if (eglGetPlatformDisplayEXT) {
        const EGLDisplay display =
            eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr);
        if (auto context = context_on(display)) return context;
    }
    return context_on(eglGetDisplay(EGL_DEFAULT_DISPLAY));
}

}  // namespace

struct Offscreen::State {
    std::optional<EglContext> egl;
    std::optional<Glfw> glfw;  // where EGL cannot do it but there is a display
    std::optional<Window> hidden;
    GlName framebuffer;
    GlName texture;
};

Offscreen::Offscreen(Extent size) : size_(size), state_(std::make_unique<State>()) {
    if (auto context = find_context()) state_->egl.emplace(std::move(*context));
    if (state_->egl) {
        if (!gladLoadGL(eglGetProcAddress)) throw Error("the OpenGL functions cannot be loaded off screen");
    } else if (why_no_display().empty()) {
        state_->glfw.emplace();
        state_->hidden.emplace(*state_->glfw, WindowStart{{64, 64}, "warpscope"});
    } else {
        throw Error("OpenGL cannot draw off screen here (no EGL and no display)", "",
                    "install libegl1 and Mesa (libgl1-mesa-dri), or a GPU driver");
    }
    state_->texture = make_texture();
    glBindTexture(GL_TEXTURE_2D, state_->texture.get());
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, size.width, size.height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    state_->framebuffer = make_framebuffer();
    glBindFramebuffer(GL_FRAMEBUFFER, state_->framebuffer.get());
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, state_->texture.get(), 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        throw Error("a picture of this size cannot be drawn off screen", "", "choose a smaller --size");
    }
}

Offscreen::~Offscreen() = default;

unsigned Offscreen::framebuffer() const {
    return state_->framebuffer.get();
}

void Offscreen::finish() {
    glFinish();
}

RgbaImage Offscreen::read() const {
    return read_framebuffer(state_->framebuffer.get(), size_);
}

}  // namespace ws
