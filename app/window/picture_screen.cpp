#include "app/window/picture_screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/engine/engine.h"
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
                           shown_name(snapshot.device), setup_.renderer);
        detour_ = true;
    } else if (const std::string problem = take_interop_target(snapshot); problem.empty()) {
        way_ = fmt::format("{} computes and draws: kernels write straight into the OpenGL buffer",
                           shown_name(snapshot.device));
    } else {
        way_ = "through host memory: " + problem;
        detour_ = true;
    }
    if (!*setup_.target) *setup_.target = make_host_target(setup_.path);
}

// Returns why there is none.
std::string PictureScreen::take_interop_target(const Snapshot& snapshot) {
    const InteropChoice choice = cuda_device_of_gl(setup_.renderer);
    if (choice.cuda_index < 0) return choice.reason;
    if (choice.cuda_index != snapshot.device.place.number)
        return fmt::format("OpenGL draws on cuda:{}, {} computes: they cannot share a buffer",
                           choice.cuda_index, shown_name(snapshot.device));
    Result<std::unique_ptr<GlTarget>> made = make_interop_target(snapshot.shown_size, setup_.path);
    if (!made.ok()) return made.message();
    *setup_.target = std::move(made.value());
    return "";
}

void PictureScreen::run(Engine& engine) {
    const std::uint64_t before = engine.plan().generation;
    if (!fresh()) engine.redraw();
    const bool drawn = engine.run(**setup_.target);
    if (!engine.snapshot().problem.lab->takes_picture() || engine.snapshot().device.can.shows_progress) {
        // A matrix, and what a simulated GPU computes, is looked at as it is defined; what is not as defined,
        // as it is.
        show_wrong(engine);
        return;
    }
    // After a failure the target holds the last good picture still.
    if (!drawn || engine.snapshot().run.failure || before == 0 || engine.plan().launches.empty()) return;
    if (target_epoch_ != engine.device_epoch()) return;
    (*setup_.target)->present(textures_.gray);
    viewer_.picture_changed();
    shown_epoch_ = target_epoch_;
}

void PictureScreen::show_wrong(const Engine& engine) {
    if (engine.snapshot().result.check.state != Check::State::different || engine.checked_result().empty()) {
        if (held_.wrong != 0) shown_epoch_.reset();
        held_.wrong = 0;
        return;
    }
    const std::uint64_t generation = engine.plan().generation;
    if (held_.wrong == generation) return;
    held_.wrong = generation;
    const Extent size = engine.snapshot().shown_size;
    const HostBytes& result = engine.checked_result();
    textures_.gray.resize(size, PictureTexture::Format::gray);
    const Element element = engine.plan().lab->buffers[std::size_t(engine.plan().shows)].element;
    if (element == Element::gray)
        textures_.gray.upload(result.data());
    else
        textures_.gray.upload(gray_picture(element, size, result.data()).bytes.data());
    viewer_.picture_changed();
    shown_epoch_ = target_epoch_;
}

void PictureScreen::show_input(const Engine& engine) {
    const Problem& problem = engine.snapshot().problem;
    if (!problem) return;
    if (held_.input != problem.input) held_.wrong = 0;  // what was drawn before was of other work
    held_.input = problem.input;
    if (problem.lab->takes_picture()) {
        if (held_.original == problem.input) return;
        held_.original = problem.input;
        textures_.original.resize(problem.size, PictureTexture::Format::rgba);
        textures_.original.upload(problem.input->data());
    } else {
        const SharedPicture made = references_.find(problem, 0);
        if (!made || held_.generated == made) return;
        held_.generated = made;
        held_.generated_of = problem.input;
        textures_.generated.resize(made->gray.size, PictureTexture::Format::gray);
        textures_.generated.upload(made->gray.bytes.data());
    }
    viewer_.picture_changed();
}

// Null while the picture of an input that a lab generates is being made.
const PictureTexture* PictureScreen::input_texture(const Problem& problem) const {
    if (!problem || problem.lab->takes_picture()) return &textures_.original;
    return held_.generated_of == problem.input ? &textures_.generated : nullptr;
}

void PictureScreen::show_defined(const Engine& engine) {
    const Work& work = engine.snapshot().work;
    if (!work.lab || !runs_anything(work) || !engine.snapshot().problem) return;
    const View& view = work.lab->views[std::size_t(work.view)];
    defined_ =
        references_.find(engine.snapshot().problem, shown_buffer(view, version_of(*work.lab, work.version)));
    if (!defined_ || held_.defined == defined_) return;
    held_.defined = defined_;
    textures_.defined.resize(defined_->gray.size, PictureTexture::Format::gray);
    textures_.defined.upload(defined_->gray.bytes.data());
    viewer_.picture_changed();
}

// A where it is no input.
void PictureScreen::show_a() {
    if (!a_.picture() || held_.a == a_.picture()) return;
    held_.a = a_.picture();
    textures_.a.resize(held_.a->gray.size, PictureTexture::Format::gray);
    textures_.a.upload(held_.a->gray.bytes.data());
    viewer_.picture_changed();
}

// Also where it is not looked at any more.
void PictureScreen::take_difference() {
    std::optional<Result<GrayImage>> made = apart_.job.poll();
    if (!made || !made->ok()) return;
    textures_.difference.resize(made->value().size, PictureTexture::Format::gray);
    textures_.difference.upload(made->value().bytes.data());
    held_.difference = apart_.asked;
    viewer_.picture_changed();
}

// What the kernels wrote and A, apart; times the amplification.
void PictureScreen::show_difference(const Engine& engine, int amplification) {
    const SharedPicture& a = a_.picture();
    const Apart::State state = a_.shown().apart.state;
    if (!a || state == Apart::State::waiting) return;
    const DifferenceOf wanted{engine.plan().generation, a, amplification};
    if (apart_.job.active() || apart_.asked == wanted || !engine.shared_result()) return;
    apart_.asked = wanted;
    apart_.job = Job<GrayImage>([a, amplification, result = engine.shared_result()](const std::stop_token&) {
        return apart_picture(*a, *result, amplification);
    });
}

const PictureTexture* PictureScreen::texture_of(Side side, bool computed, const PictureTexture* input) const {
    // Of the same A the last one stands until the next is there.
    if (side == Side::difference) {
        return held_.difference.from && held_.difference.from == a_.picture() ? &textures_.difference
                                                                              : nullptr;
    }
    if (side == Side::a && a_.shown().side.kind != SideA::Kind::input)
        return a_.picture() && held_.a == a_.picture() ? &textures_.a : nullptr;
    if (side == Side::a || !computed) return input;
    if (fresh()) return &textures_.gray;
    return held_.defined && held_.defined == defined_ ? &textures_.defined : nullptr;
}

bool PictureScreen::has_result(const Engine& engine) const {
    const Snapshot& snapshot = engine.snapshot();
    if (!snapshot.device.can.shows_progress) return fresh();
    return snapshot.result.check.state == Check::State::equal
               ? defined_ != nullptr
               : snapshot.result.check.state == Check::State::different;
}

GrayImage PictureScreen::result(const Engine& engine) const {
    const Snapshot& snapshot = engine.snapshot();
    if (!snapshot.device.can.shows_progress) return (*setup_.target)->read_back();
    if (snapshot.result.check.state == Check::State::equal) return defined_->gray;
    GrayImage picture(snapshot.shown_size);
    picture.bytes = engine.checked_result();
    return picture;
}

int PictureScreen::value_at(int column, int row) const {
    if (fresh()) return textures_.gray.read_pixel(column, row);
    if (!defined_) return 0;
    const GrayImage& gray = defined_->gray;
    if (column >= gray.size.width || row >= gray.size.height) return 0;
    return gray.bytes[std::size_t(row) * std::size_t(gray.size.width) + std::size_t(column)];
}

void PictureScreen::update_textures(const Engine& engine, const ViewState& view) {
    show_input(engine);
    show_defined(engine);
    show_a();
    take_difference();
    if (shows_difference(view, engine.snapshot().work))
        show_difference(engine, view.preferences.comparison.amplification);
}

void PictureScreen::draw(const Engine& engine, const PictureParts& parts, const ViewState& view,
                         unsigned framebuffer, Extent size) {
    const Work& work = engine.snapshot().work;
    const bool computed = runs_anything(work);
    const Rgba ground = palette(view.preferences.theme)[std::size_t(Ink::context_soft)];
    for (int i = 0; i < parts.count; ++i) {
        const PicturePart& part = parts.parts[std::size_t(i)];
        const PictureTexture* const input = input_texture(engine.snapshot().problem);
        const PictureTexture* texture = texture_of(part.side, computed, input);
        // For the moment until the definition is there. A difference is never something else.
        if (!texture && part.side != Side::difference) texture = input;
        if (!texture) continue;
        const int of = part.side == Side::a ? a_.shown().side.view : work.view;
        const bool lines = texture != input && work.lab->views[std::size_t(of)].lines;
        viewer_.draw(std::size_t(i),
                     {texture,
                      view.preferences.camera,
                      part.area,
                      lines ? Reduction::largest : Reduction::mean,
                      lines && view.slide.on && view.preferences.ink,
                      {float(ground.r) / 255, float(ground.g) / 255, float(ground.b) / 255}},
                     part.clip, framebuffer, size);
    }
}

void PictureScreen::draw_frozen(const Picture& frozen, const ViewState& view, unsigned framebuffer,
                                Extent size) {
    if (held_.frozen != frozen) {
        held_.frozen = frozen;
        textures_.frozen.resize(frozen->size, PictureTexture::Format::rgba);
        textures_.frozen.upload(frozen->bytes.data());
        viewer_.picture_changed();
    }
    const Rgba ground = palette(view.preferences.theme)[std::size_t(Ink::ground)];
    const Area all{0, 0, size.width, size.height};
    viewer_.draw(0,
                 {&textures_.frozen,
                  {Framing::whole},
                  all,
                  Reduction::mean,
                  false,
                  {float(ground.r) / 255, float(ground.g) / 255, float(ground.b) / 255}},
                 all, framebuffer, size);
}

}  // namespace ws
