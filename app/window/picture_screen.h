#pragma once
// The way of the picture from the engine's device to the screen, in one OpenGL context.

#include <memory>
#include <optional>
#include <string>

#include "app/views/picture_parts.h"
#include "app/window/notices.h"
#include "app/window/picture_a.h"
#include "app/window/reference_pictures.h"
#include "app/window/thumbnail_textures.h"
#include "gpu/core/job.h"
#include "gpu/core/snapshot.h"
#include "render/gl_target.h"
#include "render/picture_texture.h"
#include "render/viewer.h"

namespace ws {

class Engine;

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
    // Finds out what A is, before anything of the frame is drawn.
    void update_a(const Engine& engine, const ViewState& view) { a_.update(engine, view, references_); }
    [[nodiscard]] const PictureA& a() const { return a_; }
    // Draws a picture of the whole window over all of it, as large as it fits.
    void draw_frozen(const Picture& frozen, const ViewState& view, unsigned framebuffer, Extent size);
    // What draw() draws from.
    void update_textures(const Engine& engine, const ViewState& view);
    // Draws pictures where the parts say. B is what the kernels wrote, where that can be shown at once; else,
    // and until it is checked, what is defined.
    void draw(const Engine& engine, const PictureParts& parts, const ViewState& view, unsigned framebuffer,
              Extent size);
    // Of the open dialog.
    [[nodiscard]] ThumbnailTextures& thumbnails() { return thumbnails_; }
    // Another picture is on its way.
    [[nodiscard]] bool busy() const { return references_.busy() || a_.busy() || apart_.job.active(); }

    // It has what the engine's device drew last.
    [[nodiscard]] bool fresh() const { return shown_epoch_ && shown_epoch_ == target_epoch_; }
    // What the kernels wrote is known, to the last pixel.
    [[nodiscard]] bool has_result(const Engine& engine) const;
    [[nodiscard]] GrayImage result(const Engine& engine) const;
    // The gray value of B at a pixel of the picture.
    [[nodiscard]] int value_at(int column, int row) const;
    // How the picture reaches the screen, in words; a detour takes time that it need not.
    [[nodiscard]] const std::string& way() const { return way_; }
    [[nodiscard]] bool is_detour() const { return detour_; }

  private:
    void choose_target(const Engine& engine);
    [[nodiscard]] std::string take_interop_target(const Snapshot& snapshot);
    void run(Engine& engine);
    void show_wrong(const Engine& engine);
    void show_input(const Engine& engine);
    void show_defined(const Engine& engine);
    void show_a();
    void take_difference();
    void show_difference(const Engine& engine, int amplification);
    [[nodiscard]] const PictureTexture* input_texture(const Problem& problem) const;
    [[nodiscard]] const PictureTexture* texture_of(Side side, bool computed,
                                                   const PictureTexture* input) const;

    ScreenSetup setup_;
    Viewer viewer_;
    struct Textures {
        PictureTexture original, generated, defined, a, gray, difference, frozen;
    } textures_;
    ThumbnailTextures thumbnails_;
    ReferencePictures references_;
    SharedPicture defined_;
    PictureA a_;
    // Of a plan's result from A; from nothing: none.
    struct DifferenceOf {
        std::uint64_t generation = 0;
        SharedPicture from;
        int amplification = 0;
        friend bool operator==(const DifferenceOf&, const DifferenceOf&) = default;
    };
    // The picture of a difference, made beside the frames.
    struct ApartJob {
        DifferenceOf asked;
        Job<GrayImage> job;
    } apart_;
    // What the textures hold.
    struct Held {
        // The input; the one that the photograph's texture holds, and the one of the generated input's.
        std::shared_ptr<const PixelBytes> input, original, generated_of;
        SharedPicture generated;
        SharedPicture defined, a;
        Picture frozen;
        std::uint64_t wrong = 0;  // the plan whose wrong result the gray one holds
        DifferenceOf difference;
    } held_;
    std::optional<int> target_epoch_;  // the engine's device for which the target was made
    std::optional<int> shown_epoch_;   // the one that drew what the gray texture holds
    std::string way_;
    bool detour_ = false;
};

}  // namespace ws
