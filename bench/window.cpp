// The window's own times, off screen or in a real window (--window): start to first picture, frames at rest,
// and how long a moved block slider takes to show its new picture (on a simulated GPU: its new counts),
// compiled anew and from the cache. The first picture is the kernels' on a GPU, else the defined one. Usage:
// bench_window [--json FILE] [--window] [--warm] [--size 1280x720] [--image FILE] [--device auto|cuda|cpu]
// [--no-interop] [--start] Kernels are compiled anew into a folder of its own; --warm uses the user's cache,
// as a second start does. --start ends after the first picture.

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <glad/gl.h>
#include <imgui.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>

#include "app/texts/texts.h"
#include "app/views/views.h"
#include "app/window/app.h"
#include "app/window/offscreen_session.h"
#include "app/window/window_session.h"
#include "bench/figures.h"
#include "bench/frames.h"
#include "gpu/core/statistics.h"
#include "gpu/labs/filters/filters.h"

namespace ws {
namespace {

using Clock = std::chrono::steady_clock;

// Allocations of this thread: those of C++, and ImGui's.
thread_local std::uint64_t allocations = 0;

void* counted_allocation(std::size_t bytes) {
    ++allocations;
    return std::malloc(bytes);
}

const Clock::time_point kStart = Clock::now();

double since_ms(Clock::time_point start) {
    return 1000 * seconds_since(start);
}

std::unique_ptr<Session> make_session(bool window, Extent size) {
    if (window) return std::make_unique<WindowSession>(WindowPlace{size, false});
    return std::make_unique<OffscreenSession>(size);
}

// The hidden framebuffer or a window, and the App that draws on it.
class Bench {
  public:
    Bench(bool window, Extent size, const Options& options)
        : start_(options, {}),
          begun_ms_(since_ms(kStart)),
          session_(make_session(window, size)),
          context_ms_(since_ms(kStart)),
          app_(start_.finish(session_->renderer())),
          app_ms_(since_ms(kStart)),
          screen_(app_.screen_setup()),
          screen_ms_(since_ms(kStart)) {}
    [[nodiscard]] App& app() { return app_; }
    // What the start is made of: when each part was there, from the start of the process.
    [[nodiscard]] double begun_ms() const { return begun_ms_; }  // engine and picture are being made beside
    [[nodiscard]] double context_ms() const { return context_ms_; }
    [[nodiscard]] double app_ms() const { return app_ms_; }
    [[nodiscard]] double screen_ms() const { return screen_ms_; }
    // The picture that the window has for what is asked stands.
    [[nodiscard]] bool shows_picture() const {
        const Engine& engine = app_.engine();
        if (engine.snapshot().device.kind != DeviceKind::cuda) return !screen_.busy();
        return engine.plan().generation != 0 && !engine.wants_first_run();
    }
    // One frame, finished on the GPU.
    void frame(const std::function<void()>& submitted = [] {}) {
        if (auto* window = dynamic_cast<WindowSession*>(session_.get())) window->glfw().take_events(0);
        app_.frame(*session_, screen_);
        submitted();
        session_->present();
        glFinish();
    }

  private:
    AppStart start_;
    double begun_ms_;
    std::unique_ptr<Session> session_;
    double context_ms_;
    App app_;
    double app_ms_;
    PictureScreen screen_;
    double screen_ms_;
};

void print(Figures& figures, const char* what, std::vector<double> values) {
    const Statistics all = statistics_of(values);
    std::sort(values.begin(), values.end());
    fmt::print("{:<52}{:8.3f} ms   middle half {:.3f} to {:.3f}, longest {:.3f}, n = {}\n", what, all.median,
               all.low, all.high, values.empty() ? 0 : values.back(), all.samples);
    figures.add({{"what", what}, {"ms", all}, {"longest_ms", values.empty() ? 0 : values.back()}});
}

// From the edit to the end of the first frame that shows the new plan's picture, on a simulated GPU its new
// counts; frame times meanwhile go to `frames`.
double move_slider(Bench& bench, Block block, std::vector<double>& frames) {
    App& app = bench.app();
    const std::uint64_t before = app.engine().plan().generation;
    const Clock::time_point start = Clock::now();
    app.ask(ChooseBlock{filters::step::blur, block});
    const auto shown = [&] {
        const Snapshot& snapshot = app.engine().snapshot();
        const bool on_gpu = snapshot.device.kind == DeviceKind::cuda;
        const StepSnapshot& blur = snapshot.steps[filters::step::blur];
        if (blur.shape.block != block || blur.built.state != CompileState::ready) return false;
        if (on_gpu) return app.engine().plan().generation != before && !app.engine().wants_first_run();
        return snapshot.device.kind != DeviceKind::simt ||
               (snapshot.told.now.counted() && !snapshot.told.stale);
    };
    do {
        const Clock::time_point frame = Clock::now();
        bench.frame();
        frames.push_back(since_ms(frame));
    } while (!shown() && since_ms(start) < 5000);
    return since_ms(start);
}

int run(const std::vector<std::string>& words, Figures& figures) {
    bool window = false;
    bool warm = false;
    bool only_start = false;
    std::vector<const char*> arguments{"warpscope"};
    Extent size{1280, 720};
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--window")
            window = true;
        else if (words[i] == "--warm")
            warm = true;
        else if (words[i] == "--start")
            only_start = true;
        else if (words[i] == "--size" && i + 1 < words.size())
            size = size_of(words[++i]);
        else
            arguments.push_back(words[i].c_str());
    }
    const Options options = parse_options(int(arguments.size()), arguments.data());
    const std::filesystem::path own_cache =
        std::filesystem::temp_directory_path() / fmt::format("warpscope_bench_{}", ::getpid());
    if (!warm) ::setenv("XDG_CACHE_HOME", own_cache.c_str(), 1);
    ImGui::SetAllocatorFunctions([](std::size_t bytes, void*) { return counted_allocation(bytes); },
                                 [](void* bytes, void*) { std::free(bytes); });
    Bench bench(window, size, options);
    App& app = bench.app();
    std::vector<double> drawn;  // when each frame was there
    do {
        bench.frame();
        drawn.push_back(since_ms(kStart));
    } while (!bench.shows_picture());
    const double first_ms = drawn.back();
    const Snapshot& snapshot = app.engine().snapshot();
    fmt::print("{}, drawn by {}\n", snapshot.device.name,
               reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
    fmt::print("{}, {} x {}; {} of {} x {}\n", snapshot.input_name, snapshot.problem.size.width,
               snapshot.problem.size.height, window ? "window" : "off screen", size.width, size.height);
    fmt::print(
        "{:<52}{:8.1f} ms   options read after {:.1f}, OpenGL context {:.1f}, device and picture {:.1f}, "
        "shaders {:.1f}, first frame {:.1f}, {} frames\n",
        "start to first picture", first_ms, bench.begun_ms(), bench.context_ms(), bench.app_ms(),
        bench.screen_ms(), drawn.front(), drawn.size());
    figures.set("device", snapshot.device.name);
    figures.set("renderer", reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
    figures.set("picture",
                Json{{"width", snapshot.problem.size.width}, {"height", snapshot.problem.size.height}});
    figures.set("drawn", Json{{"window", window}, {"width", size.width}, {"height", size.height}});
    figures.set("start_to_first_picture_ms", first_ms);
    figures.set("start_to_opengl_context_ms", bench.context_ms());
    figures.set("start_to_device_and_picture_ms", bench.app_ms());
    figures.set("start_to_shaders_ms", bench.screen_ms());
    figures.set("start_to_first_frame_ms", drawn.front());

    std::error_code ignored;
    if (only_start) {
        std::filesystem::remove_all(own_cache, ignored);
        return 0;
    }

    const auto settle = [&] {
        const Clock::time_point start = Clock::now();
        for (int i = 0; i < 20 || (!app.settled() && since_ms(start) < 20000); ++i) bench.frame();
    };
    settle();
    std::vector<double> frames;
    std::vector<double> computing;
    const auto count_frames = [&](std::string_view what) {
        frames.clear();
        computing.clear();
        frames.reserve(200);
        computing.reserve(200);
        const std::uint64_t before = allocations;
        for (int i = 0; i < 200; ++i) {
            const Clock::time_point frame = Clock::now();
            const double start = thread_ms();
            bench.frame([&] { computing.push_back(thread_ms() - start); });
            frames.push_back(since_ms(frame));
        }
        const double each = double(allocations - before) / 200;  // before the printing's own
        print(figures, fmt::format("frame, {}", what).c_str(), frames);
        print(figures, "  of that this thread computes before it waits for OpenGL", computing);
        fmt::print("  allocations in a frame: {:.1f}\n", each);
        figures.add({{"what", fmt::format("allocations in a frame, {}", what)}, {"count", each}});
    };
    for (const TabView& tab : tab_views()) {
        app.ask(ChooseTab{tab.tab});
        settle();
        count_frames(phrase(tab.title));
    }
    for (const StepSnapshot& shown : snapshot.steps) {
        if (shown.runs) print(figures, fmt::format("stage {}", shown.name).c_str(), {shown.times.ms.median});
    }
    print(figures, "total", {snapshot.times.total_ms.median});
    fmt::print("CPU time of map and unmap: {:.1f} and {:.1f} microseconds\n",
               1000 * snapshot.times.map_ms.median, 1000 * snapshot.times.unmap_ms.median);

    // Stop by stop, with a second's look after each, as a hand moves it: meanwhile the kernels of the next
    // stops are compiled.
    std::vector<double> stops;
    frames.clear();
    for (const int side : {24, 16, 12, 8, 6, 4, 3, 2}) {
        const Clock::time_point look = Clock::now();
        while (since_ms(look) < 1000) bench.frame();
        stops.push_back(move_slider(bench, {side, 8}, frames));
    }

    // Blocks that nobody has compiled, then the same ones again.
    const std::vector<Block> blocks{{37, 5}, {41, 3}, {29, 7}, {23, 11}, {19, 13},
                                    {53, 6}, {61, 2}, {17, 9}, {43, 4},  {31, 5}};
    std::vector<double> fresh;
    std::vector<double> cached;
    std::vector<double> compiler;
    compiler.reserve(blocks.size());
    fresh.reserve(blocks.size());
    cached.reserve(blocks.size());
    frames.clear();
    for (const Block block : blocks) {
        fresh.push_back(move_slider(bench, block, frames));
        const StepSnapshot& blur = snapshot.steps[filters::step::blur];
        if (blur.built.kernel) compiler.push_back(blur.built.kernel->report.milliseconds);
        settle();
    }
    for (const Block block : blocks) cached.push_back(move_slider(bench, block, frames));
    const bool simulated = snapshot.device.kind == DeviceKind::simt;
    const char* aim = simulated ? "slider to counts" : "slider to picture";
    print(figures, fmt::format("{}, stop by stop", aim).c_str(), stops);
    print(figures, fmt::format("{}, any block, kernel compiled anew", aim).c_str(), fresh);
    print(figures, "  of that the compiler, alone or beside others", compiler);
    print(figures, fmt::format("{}, kernel in memory", aim).c_str(), cached);
    print(figures, "frame while the slider moves", frames);
    if (snapshot.device.kind == DeviceKind::cuda) {
        std::size_t free_bytes = 0;
        std::size_t all_bytes = 0;
        if (cudaMemGetInfo(&free_bytes, &all_bytes) == cudaSuccess) {
            fmt::print(
                "GPU memory in use, contexts of CUDA and OpenGL included: {:.0f} MB; source and two byte "
                "buffers: {:.1f} MB\n",
                double(all_bytes - free_bytes) / 1e6, 6 * double(snapshot.problem.size.pixels()) / 1e6);
        }
    }
    std::filesystem::remove_all(own_cache, ignored);
    return 0;
}

}  // namespace
}  // namespace ws

void* operator new(std::size_t bytes) {
    if (void* made = ws::counted_allocation(bytes)) return made;
    throw std::bad_alloc();
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void operator delete(void* bytes) noexcept {
    std::free(bytes);
}
void operator delete(void* bytes, std::size_t) noexcept {
    std::free(bytes);
}
#pragma GCC diagnostic pop

int main(int argc, char** argv) {
    return ws::bench_main("window", argc, argv, ws::run);
}
