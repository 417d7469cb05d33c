#include "app/window/app.h"

#include <imgui.h>

#include <algorithm>

#include "app/canvas/style.h"
#include "app/canvas/text.h"
#include "app/cli/calibrate_command.h"
#include "app/cli/commands.h"
#include "app/texts/texts.h"
#include "app/views/curve_axis.h"
#include "app/views/words.h"
#include "app/window/key_sheet.h"
#include "app/window/keys.h"
#include "app/window/look.h"
#include "app/window/notice_bar.h"
#include "app/window/picture_overlay.h"
#include "app/window/stage.h"
#include "app/window/tries.h"
#include "gpu/core/background.h"
#include "gpu/core/overloaded.h"
#include "gpu/picture/builtin_pictures.h"

namespace ws {
namespace {

bool is_q(const KeyPress& key) {
    return key.key == KeyPress::Key::character && key.character == 'q';
}

}  // namespace

App::App(AppParts parts)
    : sources_{std::move(parts.kernels), {}},
      work_(std::move(parts.work)),
      good_work_(work_),
      view_(std::move(parts.view)),
      engine_(std::move(parts.engine)),
      screen_setup_(std::move(parts.screen)),
      pictures_{std::move(parts.picture), {}, {}, {}},
      notices_(std::move(parts.notices)),
      saver_(std::move(parts.shots)),
      store_(std::move(parts.settings), std::move(parts.saved)),
      measuring_{SweepDesk(std::move(parts.sweep_engine), std::move(parts.records)),
                 TimeLog(std::move(parts.times))},
      debugger_(std::move(parts.debugged), std::move(parts.debug_commands)) {
    view_.picture = pictures_.path;
    if (view_.playing) ask(ReturnToStep{});
    if (!view_.experiment.shown) return;
    show_experiment();
    runner_.set_all(parts.controls);
}

std::string_view App::language() const {
    return language_named(view_.preferences.language);
}

bool App::busy() const {
    // Behind an experiment the lab rests.
    return (engine_->busy() && !view_.experiment.shown) || runner_.busy() || last_.busy || saver_.busy() ||
           pictures_.loader.busy() || pictures_.generated.active() || store_.busy() ||
           pictures_.dialog.busy() || plays_clock(view_) || !edits_.empty() || ImGui::GetIO().MouseDown[0];
}

bool App::at_rest() const {
    return !busy() && !waits_for_simulation() && (engine_->at_rest() || view_.experiment.shown) &&
           !engine_->watches_files() && !ImGui::GetIO().WantTextInput && !notices_.passing();
}

bool App::settled() const {
    if (view_.experiment.shown) return !runner_.busy() && edits_.empty() && engine_->snapshot().work == work_;
    const Snapshot& snapshot = engine_->snapshot();
    if (snapshot.compiler.busy > 0) return false;
    if (pictures_.loader.busy() || pictures_.generated.active() || baseline_ || !edits_.empty()) return false;
    // Whatever stands beside each other has its figures.
    if (engine_->simulating() || engine_->comparing() || measuring_.sweeps.running() || last_.busy)
        return false;
    if (shows_debugger() && (debugger_.running() || !debugger_.begun())) return false;
    if (!runs_anything(work_)) return true;
    if (snapshot.run.stale) {
        const auto failed = [](const StepSnapshot& step) { return step.built.state == CompileState::failed; };
        return snapshot.run.failure || std::any_of(snapshot.steps.begin(), snapshot.steps.end(), failed);
    }
    if (snapshot.run.progress) return !engine_->busy();
    constexpr int kSamples = 30;
    return snapshot.times.total_ms.samples >= kSamples &&
           snapshot.result.check.state != Check::State::pending;
}

void App::frame(Session& session, PictureScreen& screen) {
    last_.a = &screen.a();
    // Above a lecture's band everything is a little smaller.
    const float scale = slots_in(session).unit / slots_of(session.size()).unit;
    session.begin_frame(view_.preferences.theme, view_.preferences.font_scale * scale);
    speak(language());
    begin_frame_texts();
    notices_.update(ImGui::GetTime());
    take_picture();
    pin_baseline();
    if (const std::string problem = sources_.editor.update(); !problem.empty()) tell(problem, true);
    take_input(session);
    note_outcomes(engine_->snapshot(), view_, edits_);
    apply_edits(session);
    update_experiment();
    // Behind an experiment the lab rests, but for what the lists of the bar show of it.
    if (!runner_.scene() || !(engine_->snapshot().work == work_)) prepare_engine();
    // A GPU that a sweep measures draws no more than it must; behind an experiment nothing is drawn.
    const bool measures = measuring_.sweeps.running() && engine_->snapshot().device.can.measures_time;
    if (!runner_.scene()) {
        if (!measures || engine_->wants_first_run()) screen.update(*engine_, notices_);
        screen.update_a(*engine_, view_);
    }
    const bool curves = shows_curves(view_);
    measuring_.sweeps.update(*engine_, sources_.kernels,
                             curves ? curve_axis(view_, engine_->snapshot()) : std::nullopt);
    update_debugger();
    if (const auto news = measuring_.times.update(*engine_)) tell(news->text, news->error);
    draw_interface(session, screen);
    apply_edits(session);
    keep_settings(session);

    ImGui::Render();
    if (!shows_frozen() && !runner_.scene()) screen.update_textures(*engine_, view_);
    if (session.seen()) draw(session, screen);
    last_.busy = screen.busy() || session.busy();
    save_pictures(session, screen);
    // A slide is kept as the frame that asked for it has drawn it.
    if (!view_.slide.frozen)
        last_.slide.reset();
    else if (!last_.slide && session.seen())
        last_.slide = std::make_shared<const RgbaImage>(session.read());
    last_.a = nullptr;
}

// The frame that was laid out.
void App::draw(Session& session, PictureScreen& screen) {
    const Rgba ground = palette(view_.preferences.theme)[std::size_t(Ink::ground)];
    clear_framebuffer(session.framebuffer(), session.size(),
                      {float(ground.r) / 255, float(ground.g) / 255, float(ground.b) / 255});
    if (shows_frozen())
        screen.draw_frozen(last_.slide, view_, session.framebuffer(), session.size());
    else if (!runner_.scene())
        screen.draw(*engine_, picture_parts(slots_in(session), view_, engine_->snapshot().work), view_,
                    session.framebuffer(), session.size());
    session.end_frame();
}

void App::save_pictures(const Session& session, const PictureScreen& screen) {
    const SavedState none;
    const bool wanted = saver_.wanted();
    saver_.update(wanted ? SavedState{work_, view_.preferences, session.place(), pictures_.path} : none,
                  view_, *engine_, screen, session, notices_);
}

// Each key sees what the one before made of the work.
void App::take_input(Session& session) {
    apply_edits(session);
    for (const KeyPress& key : session.keys()) {
        // While text is typed, its characters are not commands.
        const bool typing = ImGui::GetIO().WantTextInput &&
                            (key.key == KeyPress::Key::character || key.key == KeyPress::Key::enter);
        if (view_.asks_to_quit && (key.key == KeyPress::Key::enter || is_q(key)))
            edits_.add(Quit{});
        else if (pictures_.dialog.visible() && key.key != KeyPress::Key::escape)
            pictures_.dialog.press(key, edits_);
        else if (!typing)
            handle_key(key, work_, view_, edits_);
        apply_edits(session);
    }
    // A tap of Space stays, a hold ends with it.
    constexpr float kHoldSeconds = 0.3f;
    const int space = ImGui::GetIO().KeyMap[ImGuiKey_Space];
    if (view_.only_a && space >= 0 && ImGui::IsKeyReleased(space) &&
        ImGui::GetIO().KeysDownDurationPrev[space] > kHoldSeconds)
        edits_.add(ShowOnlyA{false});
    for (const std::string& path : session.dropped_files()) edits_.add(OpenPicture{path});
}

// Shows the picture that was read meanwhile; one that could not be read leaves the previous one.
void App::take_picture() {
    std::optional<LoadedPicture> loaded = pictures_.loader.update();
    if (!loaded) return;
    try {
        if (!loaded->picture.ok()) throw Error(loaded->picture.message());
        engine_->set_picture(std::move(loaded->picture.value()), picture_label(loaded->path));
        edits_.add(MoveCamera{});
        pictures_.path = loaded->path;
        const bool by_step = view_.playing && view_.playing->step().picture == loaded->path;
        if (by_step) {
            for (const ViewEdit& edit : edits_of(view_.playing->step().look)) edits_.add(edit);
        }
        if (!loaded->path.empty() && !find_builtin_picture(loaded->path))
            edits_.add(KeepRecent{std::filesystem::absolute(loaded->path).string()});
        // What a step of a lecture opens is a part of it, and its sentence is not covered for that.
        if (!by_step) tell(std::string(say("notice.opened", picture_label(loaded->path))), false);
    } catch (...) {
        if (!pictures_.loader.busy()) view_.picture = pictures_.path;
        tell(caught_message(), true);
    }
}

void App::apply_edits(Session& session) {
    for (const Edit& edit : edits_.all()) {
        std::visit(Overloaded{[&](const WorkEdit& asked) { apply(asked); },
                              [&](const ViewEdit& asked) { look(asked); },
                              [&](const Action& asked) { act(asked, session); }},
                   edit);
    }
    edits_.clear();
}

void App::apply(const WorkEdit& edit) {
    sources_.kernels.refresh();  // a file on disk may take other blocks now
    const Lab* lab = work_.lab;
    const int version = work_.version;
    work_ = edited(std::move(work_), edit, sources_.kernels);
    if (std::holds_alternative<ChooseLab>(edit)) view_ = edited(std::move(view_), ShowExperiment{}, {});
    if (view_.experiment.shown) {  // on another GPU
        const ControlValues values = runner_.scene() ? runner_.scene()->values : ControlValues{};
        show_experiment();
        runner_.set_all(values);
    }
    if (work_.lab != lab) view_ = edited(std::move(view_), ChooseOver{}, {});  // its knobs are others
    if (work_.lab != lab || work_.version != version) view_ = edited(std::move(view_), LeaveSource{}, {});
}

// What the work says of devices and GPUs holds for an experiment, too.
SessionOptions App::experiment_session() const {
    SessionOptions options;
    if (work_.device != DeviceKind::cpu) options.device = work_.device;
    if (work_.device == DeviceKind::cuda) options.cuda_gpu = work_.cuda_gpu;
    if (work_.device != DeviceKind::cuda) options.gpu = work_.target_gpu;
    options.kernel_folder = sources_.kernels.folder();
    options.cache_folder = kernel_cache();
    options.calibrations = own_calibrations();
    return options;
}

void App::show_experiment() {
    runner_.show(view_.experiment.shown, experiment_session());
}

void App::update_experiment() {
    const ExperimentScene* scene = runner_.scene();
    if ((scene ? scene->experiment : nullptr) != view_.experiment.shown) show_experiment();
    runner_.update();
}

void App::look(const ViewEdit& edit) {
    view_ = edited(std::move(view_), edit, shown_size());
}

Extent App::shown_size() const {
    return engine_->snapshot().shown_size;
}

// The step whose kernel is looked at.
const StepSnapshot& App::focus() const {
    return chosen_step(engine_->snapshot(), view_.preferences.step);
}

PictureParts App::parts_in(const Session& session) const {
    return picture_parts(slots_in(session), view_, engine_->snapshot().work);
}

Slots App::slots_in(const Session& session) const {
    return slots_for(session.size(), view_);
}

// A is looked at on the story's page and on slides; elsewhere nothing is computed for it.
SideA App::shown_a() const {
    const bool seen = view_.slide.on || view_.preferences.tab == Tab::story;
    return seen ? side_a(view_, work_) : SideA{};
}

Beside App::beside() const {
    const Pin* pin = view_.preferences.pin();
    const bool gpus = view_.preferences.tab == Tab::gpu && !view_.slide.on;
    return {pin ? &pin->pinned : nullptr, true, gpus, shown_a().of, warp_wish(), clock_wish()};
}

// Addresses are looked at on the page of a warp, and, of a warp that was chosen, beside the source and the
// curves of all versions.
std::optional<WarpWish> App::warp_wish() const {
    const Preferences& kept = view_.preferences;
    const bool beside = kept.tab == Tab::source || shows_curves(view_);
    const bool seen = kept.tab == Tab::warp || (beside && kept.warp);
    if (!seen || view_.slide.on || engine_->snapshot().steps.empty()) return std::nullopt;
    return WarpWish{focus().step, kept.warp};
}

std::optional<ClockWish> App::clock_wish() const {
    if (!shows_latency(view_) || engine_->snapshot().steps.empty()) return std::nullopt;
    const LatencyPage& page = view_.occupancy.latency;
    return ClockWish{focus().step, page.few, page.many, page.baseline};
}

// False while the input that a lab generates is being made: what was shown stands until then.
bool App::provide_input() {
    if (std::optional<Result<Problem>> made = pictures_.generated.poll()) {
        if (!made->ok()) return true;  // preparing says what is amiss
        engine_->keep_input(std::move(made->value()));
    }
    if (engine_->has_input(work_) || !engine_->snapshot().problem) return true;
    if (!pictures_.generated.active())
        pictures_.generated = Job<Problem>(
            [&engine = *engine_, work = work_](const std::stop_token&) { return engine.input_of(work); });
    return false;
}

void App::prepare_engine() {
    if (!provide_input() || engine_->device_lent()) return;
    try {
        engine_->prepare(work_, beside());
        good_work_ = work_;
    } catch (const Error& error) {
        tell(error.what(), true);
        if (work_ == good_work_) {
            // Even what it took before fails now: the CPU always works.
            good_work_.device = DeviceKind::cpu;
            good_work_.cuda_gpu = kAnyGpu;
            good_work_.target_gpu.clear();
        }
        work_ = good_work_;
        engine_->prepare(work_, beside());
    }
    const Snapshot& snapshot = engine_->snapshot();
    if (!snapshot.device.loss.empty()) tell(snapshot.device.loss, true);
}

bool App::shows_debugger() const {
    return view_.preferences.tab == Tab::debugger && !view_.slide.on && !view_.experiment.shown;
}

void App::update_debugger() {
    const Snapshot& snapshot = engine_->snapshot();
    const bool ready = snapshot.problem && !snapshot.steps.empty() && snapshot.work == work_;
    DebugWish wish;
    wish.file = debugger_.has_file() && view_.debugger.file;
    if (ready) {
        wish.work = &snapshot.work;
        wish.step = focus().step;
        wish.input = engine_->input();
        wish.source = &focus().source;
    }
    wish.kernels = &sources_.kernels.folder();
    debugger_.update(shows_debugger() && (ready || wish.file) ? &wish : nullptr, snapshot);
}

const MachineListing* App::machine_code() {
    const bool shown = view_.preferences.tab == Tab::source && view_.source.beside == SidePanel::machine;
    return shown ? sources_.machine.of(focus().built.machine_code) : nullptr;
}

void App::draw_interface(const Session& session, PictureScreen& screen) {
    last_.drawing.clear();
    const Slots slots = slots_in(session);
    const Snapshot& snapshot = engine_->snapshot();
    const Theme theme = view_.preferences.theme;
    const StageWindow window;
    Canvas canvas(*ImGui::GetWindowDrawList(), theme, slots.unit, last_.drawing);
    const Stage stage{canvas,
                      slots,
                      snapshot,
                      view_,
                      edits_,
                      &measuring_.sweeps.page(),
                      &screen.a().shown(),
                      runner_.scene(),
                      machine_code(),
                      &debugger_.page()};
    if (shows_frozen()) {
        draw_frozen(stage);
    } else {
        draw_page(stage);
        if (!runner_.scene())
            draw_picture_overlay(stage, picture_parts(slots, view_, snapshot.work), *engine_, screen);
    }
    draw_notice_bar(stage, notices_);
    if (view_.key_sheet) draw_key_sheet(theme, edits_);
    if (view_.asks_to_quit) draw_quit_question(stage);
    if (pictures_.dialog.visible())
        pictures_.dialog.draw(
            theme, slots.unit, last_.drawing,
            [&](const ThumbnailKey& key, const RgbaImage& image) {
                return screen.thumbnails().find(key, image);
            },
            edits_);
}

void App::draw_quit_question(const Stage& stage) {
    const Box all = stage.slots.window;
    ImGui::SetNextWindowPos({all.center_x(), all.center_y()}, ImGuiCond_Always, {0.5f, 0.5f});
    ImGui::Begin(
        "##quit", nullptr,
        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoSavedSettings);
    const std::string_view question = say("quit.question");
    ImGui::TextUnformatted(question.data(), question.data() + question.size());
    if (ImGui::Button(say("quit.yes").data())) edits_.add(Quit{});
    ImGui::SameLine();
    if (ImGui::Button(say("quit.no").data())) view_.asks_to_quit = false;
    ImGui::End();
}

void App::keep_settings(const Session& session) {
    const std::string problem =
        store_.update(work_, view_.preferences, session.place(), pictures_.path, ImGui::GetTime());
    if (!problem.empty()) tell(problem, true);
}

}  // namespace ws
