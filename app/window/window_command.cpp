#include "app/window/window_command.h"

#include <fmt/format.h>
#include <imgui.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/canvas/text.h"
#include "app/cli/json_report.h"
#include "app/texts/texts.h"
#include "app/views/notes_view.h"
#include "app/views/slots.h"
#include "app/window/app.h"
#include "app/window/notes_window.h"
#include "app/window/offscreen_session.h"
#include "app/window/window_session.h"
#include "gpu/picture/picture_file.h"
#include "render/gl_objects.h"

namespace ws {
namespace {

constexpr double kIdleSeconds = 0.1;  // between looks when nothing moves
constexpr int kFramesToSettle = 3;    // what is under the pointer lights up, a panel takes its height
constexpr double kSimulationSeconds = 0.03;

double seconds_to_wait(const App& app, int due) {
    if (due > 0 || app.busy()) return 0;
    return app.waits_for_simulation() ? kSimulationSeconds : kIdleSeconds;
}

bool minimised(const WindowSession& session) {
    const Extent size = session.size();
    return size.width == 0 || size.height == 0;
}

// Runs the window until it is closed or its context is lost; true if it was lost.
bool run_window(App& app, WindowSession& session, NotesWindow& notes, int& lose_after) {
    PictureScreen screen(app.screen_setup());
    int frames = 0;
    int due = kFramesToSettle;
    while (!session.closing()) {
        const double wait = minimised(session) ? kIdleSeconds : seconds_to_wait(app, due);
        const bool input = session.glfw().take_events(wait);
        notes.take_input(session);
        if (minimised(session)) {
            notes.update(app, session);
            continue;
        }
        if (input || app.busy())
            due = kFramesToSettle;
        else if (due > 0)
            --due;
        else if (app.at_rest()) {  // a laptop on its battery stays cool
            notes.update(app, session);
            continue;
        }
        app.frame(session, screen);
        session.present();
        notes.update(app, session);
        ++frames;
        const bool staged = lose_after > 0 && frames > lose_after;
        if (staged) lose_after = 0;
        if (staged || gl_context_lost()) return true;
    }
    return false;
}

// Where there are two screens, the class's is the one that is not the lecturer's own.
void show_beside(WindowSession& session) {
    const std::vector<Screen> all = screens(session.glfw());
    if (all.empty()) return;
    if (const auto screen = screen_beside(all, all.front())) session.window().fill(*screen);
}

// What --restore names, else what the last window left. Throws Error for a named file that cannot be read.
RestoredState restored_state(const Options& options, const std::filesystem::path& settings) {
    const std::filesystem::path& named = options.restore;
    if (named.empty()) return settings.empty() ? RestoredState{} : load_state(settings);
    if (!std::filesystem::exists(named))
        throw Error("there is no such file", named.string(), "check --restore");
    RestoredState restored = load_state(named);
    if (!restored.problem.empty())
        throw Error(restored.problem, "", "it must be a .json that was saved beside pictures");
    return restored;
}

// Frames that nobody sees until the times are there, then one that is drawn; a slow machine gets its picture
// all the same.
void draw_until_settled(App& app, OffscreenSession& session, PictureScreen& screen, const LookOptions& look) {
    const bool sweep = shows_curves(look) || look.sweep.value_or(false);
    const auto begin = std::chrono::steady_clock::now();
    constexpr auto kLongest = std::chrono::seconds(180);
    constexpr auto kLongestSweep = std::chrono::seconds(600);
    constexpr int kFewestFrames = 3;
    constexpr auto kBetweenFrames = std::chrono::milliseconds(5);  // where they wait for others
    session.set_seen(false);
    for (int frame = 0; frame < kFewestFrames || !app.settled(); ++frame) {
        if (std::chrono::steady_clock::now() - begin > (sweep ? kLongestSweep : kLongest)) break;
        if (frame == 1 && sweep) app.ask(RunSweep{});
        app.frame(session, screen);
        if (app.waits_for_simulation()) std::this_thread::sleep_for(kBetweenFrames);
    }
    session.set_seen(true);
    app.frame(session, screen);
}

std::string shot_name(const Playing& playing) {
    const std::string& own = playing.step().capture;
    return own.empty() ? fmt::format("{:02}.png", playing.at + 1) : own;
}

// The lecturer's view beside the picture of a step: a.png's is a-notes.png. It has no time.
void shoot_notes(const App& app, OffscreenSession& session, std::filesystem::path path) {
    const Extent size = session.size();
    session.begin_frame(app.theme(), notes_unit(size) / slots_of(size).unit);
    begin_frame_texts();
    draw_notes_frame(app, size, "–", "–");
    ImGui::Render();
    clear_framebuffer(session.framebuffer(), size, {});
    session.end_frame();
    path.replace_filename(path.stem().string() + "-notes.png");
    write_png(path, session.read());
}

// Holds the lecture without hands: a picture of each step, with what was asked told.
void shoot_lecture(const Options& options) {
    AppStart start(options, {});
    OffscreenSession session(options.size, start.font_scale());
    App app(start.finish(session.renderer()));
    PictureScreen screen(app.screen_setup());
    const int count = app.playing()->count();
    for (int step = 0; step < count; ++step) {
        if (app.playing()->asking()) app.ask(TurnStep{});
        draw_until_settled(app, session, screen, app.playing()->step().look);
        const std::filesystem::path path = options.shots / shot_name(*app.playing());
        write_png(path, session.read());
        if (options.presenter) shoot_notes(app, session, path);
        fmt::print("{} of {}: wrote {}\n", step + 1, count, path.string());
        std::fflush(stdout);
        if (step + 1 < count) {
            app.ask(TurnStep{});
            app.frame(session, screen);
        }
    }
}

}  // namespace

void window_command(const Options& options) {
    if (!options.without_display.empty()) {
        if (const std::string why = why_no_display(); !why.empty()) {
            fmt::print("no window can be opened ({}): drawing it off screen\n", why);
            Options drawn = options;
            drawn.output = options.without_display;
            return picture_command(drawn);
        }
    }
    if (!options.play.empty() && !options.shots.empty()) {
        shoot_lecture(options);
        return;
    }
    const RestoredState restored = restored_state(options, settings_path());
    AppStart start(options, restored);
    WindowSession session(restored.window, start.font_scale());
    NotesWindow notes;
    if (options.presenter) show_beside(session);
    App app(start.finish(session.renderer()));
    int lose_after = options.hooks.lose_gl_after;
    constexpr int kMostLosses = 3;
    for (int losses = 0; run_window(app, session, notes, lose_after);) {
        if (++losses > kMostLosses)
            throw Error("the OpenGL context is lost repeatedly", "", "update the graphics driver");
        notes.close();
        session.renew();
        const std::string notice(say("notice.context_lost"));
        fmt::print(stderr, "{}\n", notice);
        app.tell(notice, true);
    }
    app.save_settings();
}

void picture_command(const Options& options) {
    AppStart start(options, restored_state(options, {}));
    OffscreenSession session(options.size, start.font_scale());
    App app(start.finish(session.renderer()));
    PictureScreen screen(app.screen_setup());
    draw_until_settled(app, session, screen, options.look);
    write_png(options.output, session.read());
    if (options.json) {
        print_json({{"output", options.output.string()},
                    {"width", options.size.width},
                    {"height", options.size.height},
                    {"renderer", session.renderer()}});
    } else {
        fmt::print("wrote {} ({} x {}, drawn by {})\n", options.output.string(), options.size.width,
                   options.size.height, session.renderer());
    }
}

std::vector<Fact> gl_facts() {
    try {
        const Offscreen screen({64, 64});
        const GlFacts facts = read_gl_facts();
        return {{"OpenGL", facts.version}, {"OpenGL renderer", facts.renderer}};
    } catch (const Error& error) {
        return {{"OpenGL", error.what()}};
    }
}

}  // namespace ws
