// Thumbnails as ImGui draws them: in their colours.

#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "app/window/offscreen_session.h"
#include "app/window/thumbnail_textures.h"
#include "gpu/core/error.h"
#include "render/gl_objects.h"

namespace ws {
namespace {

TEST(ThumbnailTextures, AreSeen) {
    std::unique_ptr<OffscreenSession> session;
    try {
        session = std::make_unique<OffscreenSession>(Extent{64, 64});
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    RgbaImage orange(Extent{16, 12});
    for (std::size_t i = 0; i < orange.bytes.size(); i += 4) {
        const std::uint8_t pixel[] = {230, 120, 10, 255};
        std::copy(std::begin(pixel), std::end(pixel), orange.bytes.data() + i);
    }
    ThumbnailTextures textures;
    session->begin_frame(Theme::light, 1);
    const unsigned texture = textures.find({"orange", 1, 1}, orange);
    EXPECT_EQ(textures.find({"orange", 1, 1}, orange), texture) << "it is made once";
    ImGui::GetForegroundDrawList()->AddImage(reinterpret_cast<ImTextureID>(std::intptr_t(texture)), {0, 0},
                                             {64, 64});
    ImGui::Render();
    clear_framebuffer(session->framebuffer(), session->size(), {});
    session->end_frame();
    const RgbaImage seen = session->read();
    const std::uint8_t* middle = seen.bytes.data() + 4 * (32 * 64 + 32);
    EXPECT_EQ(int(middle[0]), 230);
    EXPECT_EQ(int(middle[1]), 120);
    EXPECT_EQ(int(middle[2]), 10);
}

}  // namespace
}  // namespace ws
