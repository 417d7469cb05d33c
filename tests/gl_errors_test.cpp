// OpenGL without a context: its functions are ours here.

#include <glad/gl.h>
#include <gtest/gtest.h>

#include "gpu/core/error.h"
#include "render/gl_objects.h"
#include "render/picture_texture.h"

namespace ws {
namespace {

int calls = 0;
GLenum lost() {
    ++calls;
    return 0x0507;  // GL_CONTEXT_LOST, for ever
}
GLenum memory_after_another() {
    return ++calls == 1 ? GL_INVALID_ENUM : calls == 2 ? GL_OUT_OF_MEMORY : GL_NO_ERROR;
}

TEST(GlErrors, OfALostContextEnd) {
    glad_glGetError = lost;
    clear_gl_errors();
    EXPECT_FALSE(gl_out_of_memory());
    EXPECT_LT(calls, 1000);
}

TEST(GlErrors, AnEarlierOneHidesNoFullMemory) {
    glad_glGetError = memory_after_another;
    calls = 0;
    EXPECT_TRUE(gl_out_of_memory());
}

TEST(GlErrors, ATextureOfALostContextIsRefused) {
    glad_glGetIntegerv = [](GLenum, GLint*) {};
    PictureTexture texture;
    EXPECT_THROW(texture.resize({100, 100}, PictureTexture::Format::gray), Error);
}

}  // namespace
}  // namespace ws
