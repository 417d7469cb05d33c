// What an App makes of actions, which a value cannot hold: lectures, jumps, tries, the editor, the session.

#include <utility>

#include "app/texts/texts.h"
#include "app/views/curve_axis.h"
#include "app/views/words.h"
#include "app/views/wrong_marks.h"
#include "app/window/app.h"
#include "app/window/look.h"
#include "app/window/steps.h"
#include "app/window/tries.h"
#include "gpu/core/background.h"
#include "gpu/core/files.h"
#include "gpu/core/overloaded.h"

namespace ws {

void App::act(const Action& action, Session& session) {
    std::visit(
        Overloaded{
            [&](const DebugCommand& asked) { command_debugger(asked.command); },
            [&](const PauseDebugger&) { debugger_.pause(); },
            [&](const ToggleBreakpoint& asked) { debugger_.toggle_breakpoint(asked.line); },
            [&](const ToggleFreeze&) { debugger_.toggle_freeze(); },
            [&](const StepDebugged& asked) { debugger_.step_focus(asked.warps, asked.lanes); },
            [&](const StepWatched& asked) { step_watched(asked.by); },
            [&](const StepDebugPanel& asked) { step_debug_panel(asked.by); },
            [&](const KeepWatched&) { debugger_.keep_watched(view_.debugger.watch); },
            [&](const ChooseDebugged& asked) { debugger_.choose(asked.element); },
            [&](const SetControl& asked) { runner_.set(asked.control, asked.value); },
            [&](const StepControl& asked) { runner_.step(asked.control, asked.by); },
            [&](const RunExperiment&) { runner_.run(); },
            [&](const StopExperiment&) { runner_.stop(); },
            [&](const TryAdvice& asked) { try_advice(asked.place); },
            [&](const TurnStep& asked) { turn_step(asked.by); },
            [&](const ReturnToStep&) { show_step(); },
            [&](const JumpInSource& asked) { jump_in_source(asked); },
            [&](const OpenEditor&) { open_editor(); },
            [&](const Quit&) { session.close(); },
            [&](const AskToQuit&) { view_.asks_to_quit = true; },
            [&](const StepBack&) { step_back(session); },
            [&](const PinNow&) { pin_now(); },
            [&](const ToggleFullScreen&) { session.toggle_full_screen(); },
            [&](const SavePictures& asked) { saver_.save(asked.detail); },
            [&](const JumpToWrong& asked) { jump_to_wrong(asked); },
            [&](const RunSweep&) {
                if (!shows_curves(view_) || curve_axis(view_, engine_->snapshot()))
                    measuring_.sweeps.toggle(*engine_);
            },
            [&](const StepAxis& asked) {
                if (const auto edit = stepped_axis(engine_->snapshot(), view_, asked.by)) look(*edit);
            },
            [&](const StepResident& asked) {
                if (const auto edit = stepped_resident(focus(), view_, asked)) look(*edit);
            },
            [&](const MoveClocks& asked) {
                if (const auto edit = moved_clocks(focus(), view_, asked)) look(*edit);
            },
            [&](const StepClock& asked) {
                if (const auto edit = stepped_clock(focus(), view_, asked.by)) look(*edit);
            },
            [&](const ShowOpenDialog&) {
                pictures_.dialog.show(pictures_folder(), view_.preferences.recent);
            },
            [&](const OpenPicture& asked) { open_picture(asked.path); },
            [&](const StepAccess& asked) {
                look(next_access(engine_->snapshot(), view_, asked.by, asked.within_line));
            },
            [&](const StepBlock& asked) {
                if (const auto edit = stepped_block(focus(), asked)) apply(*edit);
            },
            [&](const StepWarp& asked) {
                if (const auto edit = stepped_warp(focus(), asked)) look(*edit);
            },
            [&](const StepGpu& asked) { apply(stepped_gpu(engine_->snapshot(), asked.by)); },
            [&](const StepFocus& asked) { look(stepped_kernel(engine_->snapshot(), view_, asked.by)); },
            [&](const ZoomPicture& asked) {
                if (const auto edit = zoomed_picture(parts_in(session), view_, shown_size(), asked.factor))
                    look(*edit);
            },
            [&](const PanPicture& asked) {
                if (const auto edit = panned_picture(parts_in(session), view_, shown_size(), asked))
                    look(*edit);
            },
            [&](const CloseNotice& asked) { notices_.close(asked.index); }},
        action);
}

// Where it goes on to is to be seen.
void App::step_watched(int by) {
    if (!debugger_.page().scene) return;
    const debug::Scene& now = debugger_.page().scene->now;
    const int count = int(now.watched.size());
    const int next = (int(shown_watch(now, view_.debugger.watch)) + by % count + count) % count;
    look(ChooseWatched{{now.watched[std::size_t(next)].number, now.asks}});
}

void App::step_debug_panel(int by) {
    if (!debugger_.page().scene) return;
    const DebugScene& scene = *debugger_.page().scene;
    const int count = int(debug::kPanels);
    const int next = (int(shown_panel(scene, view_.debugger.panel)) + by % count + count) % count;
    look(ChooseDebugPanel{{debug::Panel(next), scene.panel.asks}});
}

void App::command_debugger(const std::string& command) {
    look(ScrollDebugger{});
    debugger_.ask(command);
}

void App::turn_step(int by) {
    if (!view_.playing) return;
    const int before = view_.playing->at;
    view_.playing = turned(std::move(*view_.playing), by);
    if (view_.playing->at != before) show_step();
}

// What somebody has looked at meanwhile is left.
void App::show_step() {
    if (!view_.playing) return;
    const LectureStep& step = view_.playing->step();
    for (const WorkEdit& edit : edits_of(step.work)) apply(edit);
    look(LeaveSource{});
    look(MoveCamera{});
    look(ShowExperiment{step.experiment});  // which begins at the first page
    if (step.experiment) runner_.show(step.experiment, experiment_session(), step.controls);
    for (const ViewEdit& edit : edits_of(step.look)) look(edit);
    look(ShowOnlyA{false});
    look(ChooseBaseline{});
    look(ChooseWarp{step.look.warp});
    baseline_ = step.look.against;
    if (step.picture != view_.picture) open_picture(step.picture);
}

void App::open_picture(const std::string& path) {
    view_.picture = path;
    pictures_.loader.open(path);
}

// Once the engine has the input that it is to be of.
void App::pin_baseline() {
    if (!baseline_ || pictures_.loader.busy() || !(engine_->snapshot().work == work_)) return;
    look(KeepPin{
        baseline_pin(work_, *baseline_, engine_->input(), std::string(input_text(engine_->snapshot())))});
    baseline_.reset();
}

// What was opened last goes first; Esc never quits.
void App::step_back(Session& session) {
    if (view_.asks_to_quit)
        view_.asks_to_quit = false;
    else if (pictures_.dialog.visible())
        pictures_.dialog.hide();
    else if (view_.key_sheet)
        view_.key_sheet = false;
    else if (view_.list.list != List::none)
        view_.list = {};
    else if (!notices_.all().empty())
        notices_.close(notices_.all().size() - 1);
    else if (runner_.scene() && runner_.scene()->running)
        runner_.stop();
    else if (shows_debugger() && debugger_.page().running)
        debugger_.pause();
    else if (const std::optional<ViewEdit> out = stepped_out(view_); out && !view_.experiment.shown)
        look(*out);
    else if (view_.slide.on)
        view_.slide.on = false;
    else if (session.place().full_screen)
        session.toggle_full_screen();
}

void App::pin_now() {
    const Snapshot& snapshot = engine_->snapshot();
    const Work own = with_version(work_, version_of(*work_.lab, work_.version));
    const KeepPin pin{
        {std::string(work_name(work_, own)), {work_, engine_->input()}, std::string(input_text(snapshot))}};
    view_ = edited(std::move(view_), pin, snapshot.shown_size);
}

void App::try_advice(std::size_t place) {
    const Snapshot& snapshot = engine_->snapshot();
    if (pictures_.dialog.visible()) return;  // Enter is the dialog's
    if (snapshot.told.stale || !snapshot.told.advice || place >= snapshot.told.advice->candidates.size())
        return;
    const Candidate candidate = snapshot.told.advice->candidates[place];
    if (candidate.gain)
        view_ = edited(std::move(view_), KeepTry{try_of(*snapshot.told.advice, candidate)}, {});
    pin_now();
    apply(edit_of(candidate));
}

void App::jump_in_source(const JumpInSource& asked) {
    const Snapshot& snapshot = engine_->snapshot();
    const StepSnapshot& step = chosen_step(snapshot, view_.preferences.step);
    const SourceChoice choice{view_.preferences.removed_lines, view_.preferences.changes_only,
                              view_.source.open};
    const int from = chosen_line(snapshot, step, view_.source.line);
    const int line = jump_target(snapshot, step, choice, from, asked.jump, asked.by);
    if (line > 0) view_ = edited(std::move(view_), RevealLine{line}, {});
}

void App::jump_to_wrong(const JumpToWrong& asked) {
    const Snapshot& snapshot = engine_->snapshot();
    // Where a difference from something else is shown, through that one.
    const Difference* through = snapshot.result.difference ? &*snapshot.result.difference : nullptr;
    const bool other = last_.a && shows_difference(view_, snapshot.work) &&
                       !is_definition(last_.a->shown().side, snapshot.work);
    if (other) through = last_.a->shown().apart.difference;
    const std::optional<MoveCamera> there =
        through ? to_next_wrong(*through, view_.preferences.camera, asked.by) : std::nullopt;
    if (there) view_ = edited(std::move(view_), *there, snapshot.shown_size);
}

// The built-in kernels as files of the person's own, which are used from then on.
void App::use_own_kernels() {
    if (data_folder().empty()) throw Error(std::string(say("notice.no_kernel_folder")));
    const std::filesystem::path folder = data_folder() / "kernels";
    const std::vector<std::string> kept = KernelLibrary::write_to(folder, false);
    sources_.kernels = KernelLibrary(folder);
    engine_->use_kernel_folder(folder);
    tell(std::string(kept.empty() ? say("notice.own_kernels", folder.string())
                                  : say("notice.own_kernels.changed", folder.string(), kept.size())),
         false);
}

void App::open_editor() {
    try {
        if (!engine_->watches_files()) use_own_kernels();
        const StepSnapshot& step = chosen_step(engine_->snapshot(), view_.preferences.step);
        sources_.editor.open(sources_.kernels.folder() / (step.source.name + ".cu"));
    } catch (...) {
        tell(caught_message(), true);
    }
}

}  // namespace ws
