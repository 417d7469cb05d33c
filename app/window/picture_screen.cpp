#include "app/window/picture_screen.h"

#include <fmt/format.h>

#include "gpu/engine/matrix_picture.h"
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
        if (detour_ || !engine.snapshot().device.can.maps_gl) {
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
    if (!snapshot.device.can.measures_time) {
        way_ = fmt::format(
            "computed by {}, drawn by {}",
            snapshot.device.can.shows_progress ? "the kernels' own code on the CPU, warp by warp" : "the CPU",
            setup_.renderer);
    } else if (!setup_.interop) {
        way_ = fmt::format("computed by {}, through host memory (--no-interop), drawn by {}",
                           snapshot.device.name, setup_.renderer);
        detour_ = true;
    } else if (const std::string problem = take_interop_target(snapshot.shown_size); problem.empty()) {
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
    if (!engine.problem().lab->takes_picture()) return show_matrix(engine);
    // After a failure the target holds the last good picture still.
    if (!drawn || engine.snapshot().failure || before == 0 || engine.plan().launches.empty()) return;
    if (target_epoch_ != engine.device_epoch()) return;
    (*setup_.target)->present(gray_);
    viewer_.picture_changed();
    shown_epoch_ = target_epoch_;
}

// A matrix is looked at as gray values, once it is checked.
void PictureScreen::show_matrix(const Engine& engine) {
    const std::uint64_t generation = engine.plan().generation;
    if (engine.checked_result().empty() || matrix_shown_ == generation) return;
    const Extent size = engine.snapshot().shown_size;
    const GrayImage picture = gray_picture(size, engine.checked_result().data());
    gray_.resize(size, PictureTexture::Format::gray);
    gray_.upload(picture.bytes.data());
    viewer_.picture_changed();
    matrix_shown_ = generation;
    shown_epoch_ = target_epoch_;
}

void PictureScreen::show_original(const Engine& engine) {
    const Problem& problem = engine.problem();
    if (!problem || original_shown_ == problem.input) return;
    original_shown_ = problem.input;
    if (problem.lab->takes_picture()) {
        original_.resize(problem.size, PictureTexture::Format::rgba);
        original_.upload(problem.input->data());
    } else {
        original_.resize(problem.size, PictureTexture::Format::gray);
        original_.upload(gray_picture(problem.size, problem.input->data()).bytes.data());
    }
    // What was drawn before was of other work.
    matrix_shown_ = 0;
    viewer_.picture_changed();
}

void PictureScreen::draw(const Engine& engine, bool original, const Camera& camera, Area area,
                         unsigned framebuffer, Extent size) {
    original = original || !fresh();
    if (original) show_original(engine);
    viewer_.draw(original ? original_ : gray_, camera, area, framebuffer, size);
}

}  // namespace ws
