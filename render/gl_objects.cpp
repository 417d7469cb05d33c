#include "render/gl_objects.h"

#include <glad/gl.h>

#include <algorithm>
#include <cstddef>

#include <string>

#include "gpu/core/error.h"

namespace ws {
namespace {

GLuint compile(GLenum kind, std::string_view text) {
    const GLuint shader = glCreateShader(kind);
    const char* source = text.data();
    const auto length = static_cast<GLint>(text.size());
    glShaderSource(shader, 1, &source, &length);
    glCompileShader(shader);
    GLint compiled = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &compiled);
    if (compiled) return shader;
    char log[2048] = "";
    glGetShaderInfoLog(shader, sizeof log, nullptr, log);
    glDeleteShader(shader);
    throw Error("a shader does not compile", log, "update the graphics driver");
}

}  // namespace

GlName make_texture() {
    GLuint name = 0;
    glGenTextures(1, &name);
    return {name, [](unsigned n) { glDeleteTextures(1, &n); }};
}

GlName make_buffer() {
    GLuint name = 0;
    glGenBuffers(1, &name);
    return {name, [](unsigned n) { glDeleteBuffers(1, &n); }};
}

GlName make_vertex_array() {
    GLuint name = 0;
    glGenVertexArrays(1, &name);
    return {name, [](unsigned n) { glDeleteVertexArrays(1, &n); }};
}

GlName make_framebuffer() {
    GLuint name = 0;
    glGenFramebuffers(1, &name);
    return {name, [](unsigned n) { glDeleteFramebuffers(1, &n); }};
}

GlName make_program(std::string_view vertex_shader, std::string_view fragment_shader) {
    const GLuint vertex = compile(GL_VERTEX_SHADER, vertex_shader);
    const GLuint fragment = compile(GL_FRAGMENT_SHADER, fragment_shader);
    GlName program(glCreateProgram(), [](unsigned n) { glDeleteProgram(n); });
    glAttachShader(program.get(), vertex);
    glAttachShader(program.get(), fragment);
    glLinkProgram(program.get());
    glDeleteShader(vertex);
    glDeleteShader(fragment);
    GLint linked = 0;
    glGetProgramiv(program.get(), GL_LINK_STATUS, &linked);
    if (linked) return program;
    char log[2048] = "";
    glGetProgramInfoLog(program.get(), sizeof log, nullptr, log);
    throw Error("the shaders do not link", log, "update the graphics driver");
}

namespace {

// A distributed context keeps one error for each of its parts, others one in all.
constexpr int kMostGlErrors = 64;

}  // namespace

void clear_framebuffer(unsigned framebuffer, Extent size, const std::array<float, 3>& color) {
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glDisable(GL_SCISSOR_TEST);
    glViewport(0, 0, size.width, size.height);
    glClearColor(color[0], color[1], color[2], 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

RgbaImage read_framebuffer(unsigned framebuffer, Extent size) {
    RgbaImage image(size);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, size.width, size.height, GL_RGBA, GL_UNSIGNED_BYTE, image.bytes.data());
    // OpenGL's first row is the lowest.
    const std::ptrdiff_t row = 4 * std::ptrdiff_t(size.width);
    for (int top = 0, bottom = size.height - 1; top < bottom; ++top, --bottom)
        std::swap_ranges(image.bytes.begin() + top * row, image.bytes.begin() + (top + 1) * row,
                         image.bytes.begin() + bottom * row);
    for (std::size_t i = 3; i < image.bytes.size(); i += 4) image.bytes[i] = 255;
    return image;
}

void clear_gl_errors() {
    for (int i = 0; i < kMostGlErrors && glGetError() != GL_NO_ERROR; ++i) {
    }
}

bool gl_out_of_memory() {
    bool full = false;
    for (int i = 0; i < kMostGlErrors; ++i) {
        const GLenum error = glGetError();
        if (error == GL_NO_ERROR) break;
        full |= error == GL_OUT_OF_MEMORY;
    }
    return full;
}

}  // namespace ws
