#include "app/window/picture_screen.h"

#include <fmt/format.h>

#include "render/interop_target.h"

namespace ws {

PictureScreen::PictureScreen(ScreenSetup setup) : setup_(std::move(setup)) {}

PictureScreen::~PictureScreen() {
    setup_.target->reset();
}

void PictureScreen::update(Engine& engine, Notices& notices) {
    if (target_epoch_ != engine.device_epoch()) choose_target(engine);
    // A new context, target or picture needs a run whatever the engine thinks.
    if (!engine.wants_run() && fresh()) return;
    try {
        run(engine);
    } catch (const Error& error) {
        if (detour_ || engine.snapshot().device.kind != DeviceKind::cuda) {
            notices.tell(error.what(), true);
            return;
        }
        way_ = std::string("through host memory: ") + error.what();
        detour_ = true;
        *setup_.target = make_host_target(setup_.path);
    }
}

// The frame target that fits the device: a buffer that CUDA and OpenGL share, else host memory.
void PictureScreen::choose_target(const Engine& engine) {
    target_epoch_ = engine.device_epoch();
    shown_epoch_.reset();
    setup_.target->reset();
    detour_ = false;
    const Snapshot& snapshot = engine.snapshot();
    if (snapshot.device.kind != DeviceKind::cuda) {
        way_ = fmt::format("computed by {}, drawn by {}",
                           snapshot.device.kind == DeviceKind::simt
                               ? "the kernels' own code on the CPU, warp by warp"
                               : "the CPU",
                           setup_.renderer);
    } else if (!setup_.interop) {
        way_ = fmt::format("computed by {}, through host memory (--no-interop), drawn by {}",
                           snapshot.device.name, setup_.renderer);
        detour_ = true;
    } else if (const std::string problem = take_interop_target(snapshot.picture); problem.empty()) {
        way_ = fmt::format("{} computes and draws: kernels write straight into the OpenGL buffer",
                           snapshot.device.name);
    } else {
        way_ = "through host memory: " + problem;
        detour_ = true;
    }
    if (!*setup_.target) *setup_.target = make_host_target(setup_.path);
}

// Returns why there is none.
std::string PictureScreen::take_interop_target(Extent picture) {
    const InteropChoice choice = cuda_device_of_gl(setup_.renderer);
    if (choice.cuda_index < 0) return choice.reason;
    Result<std::unique_ptr<GlTarget>> made = make_interop_target(picture, setup_.path);
    if (!made.ok()) return made.message();
    *setup_.target = std::move(made.value());
    return "";
}

void PictureScreen::run(Engine& engine) {
    const std::uint64_t before = engine.plan().generation;
    if (!fresh()) engine.redraw();
    const bool drawn = engine.run(**setup_.target);
    // After a failure the target holds the last good picture still.
    if (!drawn || engine.snapshot().failure || before == 0 || engine.plan().launches.empty()) return;
    if (target_epoch_ != engine.device_epoch()) return;
    (*setup_.target)->present(gray_);
    viewer_.picture_changed();
    shown_epoch_ = target_epoch_;
}

void PictureScreen::draw(const Engine& engine, bool original, const Camera& camera, Area area,
                         unsigned framebuffer, Extent size) {
    original = original || !fresh();
    if (original && original_shown_ != engine.picture()) {
        original_shown_ = engine.picture();
        original_.resize(original_shown_->size, PictureTexture::Format::rgba);
        original_.upload(original_shown_->bytes.data());
        viewer_.picture_changed();
    }
    viewer_.draw(original ? original_ : gray_, camera, area, framebuffer, size);
}

}  // namespace ws
