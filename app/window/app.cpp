#include "app/window/app.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/widgets/text.h"
#include "app/window/theme.h"
#include "gpu/core/background.h"
#include "gpu/core/files.h"
#include "render/interop_target.h"

namespace ws {
namespace {

// As measured (docs/measurements.md), a texture that CUDA fills is the fastest way on an H200.
PicturePath picture_path(const Options& options) {
    if (options.picture_path == "buffer") return PicturePath::buffer;
    return options.picture_path == "texture" ? PicturePath::texture : PicturePath::image;
}

}  // namespace

// Everything that dies with an OpenGL context.
struct App::Gl {
    GlFacts facts;
    Viewer viewer;
    PictureTexture original;
    PictureTexture gray;
    std::unique_ptr<GlTarget> target;
};

Job<Picture> App::reading(std::string path) {
    return Job<Picture>([path = std::move(path)](const std::stop_token&) { return load_picture(path); });
}

App::App(const Options& options, SavedState state, const std::string& problem)
    : options_(options),
      state_(std::move(state)),
      saved_(state_),
      persist_(options.command == Command::window) {
    ImGui::CreateContext();
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().ConfigWindowsMoveFromTitleBarOnly = true;
    if (!problem.empty()) tell(problem, true);
    state_.settings = apply(options_, state_.settings);
    good_settings_ = state_.settings;
    EngineOptions engine = engine_options(options_);
    engine.release_targets = [this] {
        if (gl_) gl_->target.reset();
    };
    starting_ = Job<std::unique_ptr<Engine>>([engine, settings = state_.settings](const std::stop_token&) {
        auto started = std::make_unique<Engine>(engine);
        started->warm_up(settings);
        return started;
    });
    first_picture_ = reading(options_.image);
}

App::~App() {
    engine_.reset();
    ImGui::DestroyContext();
}

void App::tell(std::string text, bool error) {
    constexpr double kSecondsOfANotice = 8;
    constexpr std::size_t kMost = 4;
    for (const Notice& notice : notices_) {
        if (notice.text == text) return;
    }
    notices_.push_back({std::move(text), error, error ? 0 : ImGui::GetTime() + kSecondsOfANotice});
    if (notices_.size() > kMost) notices_.erase(notices_.begin());
}

void App::attach_gl(bool lost) {
    gl_ = std::make_unique<Gl>();
    gl_->facts = read_gl_facts();
    text_pixels_ = 0;
    original_fresh_ = false;
    gray_fresh_ = false;
    ImGui_ImplOpenGL3_Init("#version 330 core");
    if (!engine_) start_engine();
    target_epoch_ = -1;
    if (lost) tell("the OpenGL context was lost and created again; nothing else was lost", true);
}

void App::start_engine() {
    engine_ = starting_.get();
    const InteropChoice choice = cuda_device_of_gl(gl_->facts.renderer);
    if (choice.cuda_index >= 0) engine_->use_cuda_device(choice.cuda_index, "it draws this window too");
    try {
        engine_->set_picture(first_picture_.get(), picture_label(options_.image));
    } catch (...) {
        // The window opens all the same: the built-in picture stands in.
        tell(caught_message(), true);
        engine_->set_picture(load_picture({}), picture_label({}));
    }
}

void App::detach_gl() {
    ImGui_ImplOpenGL3_Shutdown();
    gl_.reset();
}

bool App::busy() const {
    return engine_->busy() || capture_.busy() || opening_.active() || state_.settings.measure_all ||
           ImGui::GetIO().MouseDown[0] || changed_at_ >= 0;
}

bool App::waits_for_simulation() const {
    return engine_->simulating();
}

bool App::at_rest() const {
    const auto passes = [](const Notice& notice) { return notice.until > 0; };
    return !busy() && !waits_for_simulation() && !engine_->wants_run() && !engine_->watches_files() &&
           !ImGui::GetIO().WantTextInput && std::none_of(notices_.begin(), notices_.end(), passes);
}

bool App::settled() const {
    const Snapshot& snapshot = engine_->snapshot();
    if (snapshot.compiling > 0) return false;
    if (state_.settings.view == View::original) return true;
    if (snapshot.stale) {
        const auto failed = [](const StageSnapshot& stage) { return stage.state == CompileState::failed; };
        return snapshot.failure || std::any_of(snapshot.stages.begin(), snapshot.stages.end(), failed);
    }
    if (snapshot.simulation) return !engine_->busy() && !engine_->simulating();
    constexpr int kSamples = 30;
    return snapshot.total_ms.samples >= kSamples && snapshot.check.state != Check::State::pending;
}

void App::frame(unsigned framebuffer, Extent size) {
    surface_ = size;
    const float pixels = text_pixels(size.height, state_.preferences.font_scale);
    if (pixels != text_pixels_) {
        load_fonts(pixels);
        apply_theme(pixels);
        // The first time the backend makes the texture itself, with everything else of its own.
        if (text_pixels_ > 0) {
            ImGui_ImplOpenGL3_DestroyFontsTexture();
            ImGui_ImplOpenGL3_CreateFontsTexture();
        }
        text_pixels_ = pixels;
    }
    ImGui_ImplOpenGL3_NewFrame();
    hold_tapped_enter();
    ImGui::NewFrame();
    begin_frame_texts();
    take_opened_picture();
    handle_keys();
    step_tour();
    prepare_engine();
    choose_target();
    run_engine();
    draw_interface();
    save_when_ready();
    if (const auto outcome = capture_.poll()) tell(outcome->message, outcome->failed);
    save_settings_when_changed();

    ImGui::Render();
    const bool original = state_.settings.view == View::original || !gray_fresh_;
    if (original && !original_fresh_) {
        gl_->original.resize(engine_->picture()->size, PictureTexture::Format::rgba);
        gl_->original.upload(engine_->picture()->bytes.data());
        original_fresh_ = true;
        gl_->viewer.picture_changed();
    }
    gl_->viewer.draw(original ? gl_->original : gl_->gray, camera_, area_, framebuffer, size);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

// A key that is tapped between two frames is up again before ImGui 1.86 looks: Enter stays down for the next
// frame. (Newer versions keep a queue, and no key map.)
void App::hold_tapped_enter() {
    ImGuiIO& io = ImGui::GetIO();
    const int enter = io.KeyMap[ImGuiKey_Enter];
    if (enter < 0) return;
    if (std::exchange(holding_enter_, false)) io.KeysDown[enter] = false;
    for (const KeyPress& key : keys_) {
        if (key.key == KeyPress::Key::enter) io.KeysDown[enter] = holding_enter_ = true;
    }
}

void App::handle_keys() {
    Commands commands;
    for (const KeyPress& key : std::exchange(keys_, {})) {
        // While text is typed, its characters are not commands.
        const bool typing = ImGui::GetIO().WantTextInput && key.key == KeyPress::Key::character;
        if (!typing) handle_key(key, state_.settings, commands);
    }
    apply_commands(commands);
}

void App::apply_commands(const Commands& commands) {
    if (commands.quit) quit_ = true;
    if (commands.escape) {
        if (open_dialog_.visible())
            open_dialog_.hide();
        else if (key_sheet_)
            key_sheet_ = false;
        else if (ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId))
            ImGui::SetWindowFocus(nullptr);
        else if (!notices_.empty())
            notices_.pop_back();
        else
            quit_ = true;
    }
    if (commands.toggle_full_screen) toggle_full_screen_ = true;
    if (commands.save) save_before_after();
    if (commands.open_dialog) open_dialog_.show(pictures_folder());
    if (commands.toggle_key_sheet) key_sheet_ = !key_sheet_;
    if (commands.fit) camera_ = {};
    if (commands.one_to_one) {
        const Extent picture = engine_->snapshot().picture;
        camera_ = {false, 1, float(picture.width) / 2, float(picture.height) / 2};
    }
    float& scale = state_.preferences.font_scale;
    if (commands.font_steps != 0)
        scale = std::clamp(scale + 0.1f * float(commands.font_steps), kLeastFontScale, kMostFontScale);
    if (commands.font_reset) scale = 1;
}

void App::prepare_engine() {
    try {
        engine_->prepare(state_.settings);
        good_settings_ = state_.settings;
    } catch (const Error& error) {
        tell(error.what(), true);
        if (state_.settings == good_settings_) {
            // Even what it took before fails now: the CPU always works.
            good_settings_.device = DeviceKind::cpu;
            good_settings_.target_gpu.clear();
        }
        state_.settings = good_settings_;
        engine_->prepare(state_.settings);
    }
    const Snapshot& snapshot = engine_->snapshot();
    if (!snapshot.device_loss.empty()) tell(snapshot.device_loss, true);
}

// The frame target that fits the device: a buffer that CUDA and OpenGL share, else host memory.
void App::choose_target() {
    if (target_epoch_ == engine_->device_epoch()) return;
    target_epoch_ = engine_->device_epoch();
    gl_->target.reset();
    gray_fresh_ = false;
    path_is_detour_ = false;
    const Snapshot& snapshot = engine_->snapshot();
    if (snapshot.device.kind != DeviceKind::cuda) {
        path_text_ = fmt::format("computed by {}, drawn by {}",
                                 snapshot.device.kind == DeviceKind::simt
                                     ? "the kernels' own code on the CPU, warp by warp"
                                     : "the CPU",
                                 gl_->facts.renderer);
    } else if (!options_.interop) {
        path_text_ = fmt::format("computed by {}, through host memory (--no-interop), drawn by {}",
                                 snapshot.device.name, gl_->facts.renderer);
        path_is_detour_ = true;
    } else {
        const InteropChoice choice = cuda_device_of_gl(gl_->facts.renderer);
        std::string reason = choice.reason;
        if (choice.cuda_index >= 0) {
            Result<std::unique_ptr<GlTarget>> interop =
                make_interop_target(snapshot.picture, picture_path(options_));
            if (interop.ok())
                gl_->target = std::move(interop.value());
            else
                reason = interop.message();
        }
        if (gl_->target) {
            path_text_ = fmt::format("{} computes and draws: kernels write straight into the OpenGL buffer",
                                     snapshot.device.name);
        } else {
            path_text_ = "through host memory: " + reason;
            path_is_detour_ = true;
        }
    }
    if (!gl_->target) gl_->target = make_host_target(picture_path(options_));
}

void App::run_engine() {
    // A context that is new, or a picture that changed its size, needs a run whatever the engine thinks.
    if (!engine_->wants_run() && gray_fresh_) return;
    try {
        const std::uint64_t before = engine_->plan().generation;
        if (!gray_fresh_) engine_->redraw();
        if (!engine_->run(*gl_->target) && !engine_->snapshot().failure) return;
        // After a failure the target holds the last good picture still.
        if (engine_->snapshot().failure || before == 0 || engine_->plan().launches.empty()) return;
        if (target_epoch_ != engine_->device_epoch()) return;
        gl_->target->present(gl_->gray);
        gl_->viewer.picture_changed();
        gray_fresh_ = true;
    } catch (const Error& error) {
        if (path_is_detour_ || engine_->snapshot().device.kind != DeviceKind::cuda) {
            tell(error.what(), true);
            return;
        }
        path_text_ = std::string("through host memory: ") + error.what();
        path_is_detour_ = true;
        gl_->target = make_host_target(picture_path(options_));
    }
}

GrayImage App::read_shown() {
    return gl_->target->read_back();
}

std::optional<int> App::shown_value(int column, int row) const {
    if (state_.settings.view == View::original || !gray_fresh_) return std::nullopt;
    return gl_->gray.read_pixel(column, row);
}

}  // namespace ws
