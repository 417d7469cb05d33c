#pragma once
// The way of the picture from the engine's device to the screen, in one OpenGL context.

#include <memory>
#include <optional>
#include <string>

#include "app/window/notices.h"
#include "gpu/engine/engine.h"
#include "render/gl_target.h"
#include "render/picture_texture.h"
#include "render/viewer.h"

namespace ws {

// The frame target that kernels write into. The engine empties it before everything on a lost GPU is
// forgotten, the screen when its OpenGL context goes.
using TargetSlot = std::shared_ptr<std::unique_ptr<GlTarget>>;

struct ScreenSetup {
    PicturePath path = PicturePath::image;
    bool interop = true;   // CUDA may write into OpenGL's buffers
    std::string renderer;  // OpenGL's name of itself
    TargetSlot target;
};

class PictureScreen {
  public:
    // In the current OpenGL context, which must outlive it.
    explicit PictureScreen(ScreenSetup setup);
    ~PictureScreen();
    PictureScreen(const PictureScreen&) = delete;
    PictureScreen& operator=(const PictureScreen&) = delete;

    // Has the engine, which is prepared, draw into a frame target that fits its device, if there is anything
    // new to draw.
    void update(Engine& engine, Notices& notices);
    // Draws what the engine drew last, or its original picture: that is asked for, or nothing was drawn yet.
    void draw(const Engine& engine, bool original, const Camera& camera, Area area, unsigned framebuffer,
              Extent size);

    // It has what the engine's device drew last.
    [[nodiscard]] bool fresh() const { return shown_epoch_ && shown_epoch_ == target_epoch_; }
    // The picture that the kernels wrote last.
    [[nodiscard]] GrayImage read_back() const { return (*setup_.target)->read_back(); }
    // The gray value that is shown at a pixel of the picture.
    [[nodiscard]] int value_at(int column, int row) const { return gray_.read_pixel(column, row); }
    // How the picture reaches the screen, in words; a detour takes time that it need not.
    [[nodiscard]] const std::string& way() const { return way_; }
    [[nodiscard]] bool is_detour() const { return detour_; }

  private:
    void choose_target(const Engine& engine);
    [[nodiscard]] std::string take_interop_target(Extent picture);
    void run(Engine& engine);
    void show_matrix(const Engine& engine);
    void show_original(const Engine& engine);

    ScreenSetup setup_;
    Viewer viewer_;
    PictureTexture original_;
    PictureTexture gray_;
    std::shared_ptr<const PixelBytes> original_shown_;  // what the original's texture holds
    std::uint64_t matrix_shown_ = 0;                    // the plan whose matrix the gray texture holds
    std::optional<int> target_epoch_;                   // the engine's device for which the target was made
    std::optional<int> shown_epoch_;                    // the one that drew what the gray texture holds
    std::string way_;
    bool detour_ = false;
};

}  // namespace ws
