#include "app/window/window_command.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "app/cli/json_report.h"
#include "app/window/app.h"
#include "gpu/picture/picture_file.h"
#include "render/offscreen.h"
#include "render/window.h"

namespace ws {
namespace {

constexpr double kIdleSeconds = 0.1;  // between looks when nothing moves
constexpr int kFramesAfterInput = 3;  // what is under the pointer lights up, a panel takes its height
constexpr double kSimulationSeconds = 0.03;

// Runs one window until it is closed or its context is lost; true if it was lost.
bool run_window(App& app, bool lost, WindowFault& fault) {
    Preferences& preferences = app.state().preferences;
    Window window(preferences.window, "Warpscope", preferences.full_screen);
    ImGui_ImplGlfw_InitForOpenGL(window.handle(), true);
    app.attach_gl(lost);
    bool was_lost = false;
    int frames = 0;
    int due = kFramesAfterInput;
    while (!window.should_close() && !was_lost) {
        const bool input = window.take_events(due > 0 || app.busy()        ? 0
                                              : app.waits_for_simulation() ? kSimulationSeconds
                                                                           : kIdleSeconds);
        if (due > 0)
            --due;
        else if (input)
            due = kFramesAfterInput;
        else if (app.at_rest())
            continue;  // a laptop on its battery stays cool
        for (const KeyPress& key : std::exchange(window.keys, {})) app.key(key);
        for (const std::string& path : std::exchange(window.dropped_files, {})) app.open_picture(path);
        const Extent size = window.framebuffer();
        if (size.width == 0 || size.height == 0) {  // minimised
            window.take_events(kIdleSeconds);
            continue;
        }
        ImGui_ImplGlfw_NewFrame();
        app.frame(0, size);
        window.swap();
        ++frames;
        if (app.wants_quit()) window.close();
        if (app.take_full_screen_toggle()) window.set_full_screen(!window.full_screen());
        preferences.full_screen = window.full_screen();
        if (!window.full_screen()) preferences.window = window.size();
        constexpr int kFramesBeforeFault = 30;
        const bool staged = fault == WindowFault::gl_lost && frames > kFramesBeforeFault;
        was_lost = gl_context_lost() || staged;
        if (staged) fault = WindowFault::none;
    }
    app.detach_gl();
    ImGui_ImplGlfw_Shutdown();
    return was_lost;
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
    std::string problem;
    SavedState state = load_state(settings_path(), problem);
    App app(options, state, problem);
    WindowFault fault = options.window_fault;
    bool lost = false;
    constexpr int kMostLosses = 3;
    int losses = 0;
    while ((lost = run_window(app, lost, fault))) {
        if (++losses > kMostLosses)
            throw Error("the OpenGL context is lost repeatedly", "", "update the graphics driver");
    }
    save_state(settings_path(), app.state());
}

void picture_command(const Options& options) {
    std::string problem;
    App app(options, load_state("", problem), problem);
    Offscreen screen(options.size);
    ImGui::GetIO().DisplaySize = {float(options.size.width), float(options.size.height)};
    app.attach_gl(false);
    // Frames until the times are there; a slow machine gets its picture all the same.
    const auto start = std::chrono::steady_clock::now();
    constexpr auto kLongest = std::chrono::seconds(20);
    constexpr int kFewestFrames = 3;
    for (int frame = 0; frame < kFewestFrames || !app.settled(); ++frame) {
        if (std::chrono::steady_clock::now() - start > kLongest) break;
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        app.frame(screen.framebuffer(), screen.size());
        screen.finish();  // nothing else holds frames back, and times are read once the GPU has them
    }
    app.frame(screen.framebuffer(), screen.size());
    write_png(options.output, screen.read());
    const GlFacts facts = read_gl_facts();
    app.detach_gl();
    if (options.json) {
        print_json({{"output", options.output.string()},
                    {"width", options.size.width},
                    {"height", options.size.height},
                    {"renderer", facts.renderer}});
    } else {
        fmt::print("wrote {} ({} x {}, drawn by {})\n", options.output.string(), options.size.width,
                   options.size.height, facts.renderer);
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
