// A frame in which nothing changes allocates nothing: no C++ allocation of the drawing thread, none of ImGui.

#include <gtest/gtest.h>
#include <imgui.h>

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "app/window/app.h"
#include "app/window/offscreen_session.h"
#include "gpu/picture/picture_file.h"
#include "gpu/picture/test_picture.h"

namespace {

thread_local std::uint64_t allocations = 0;

void* counted_allocation(std::size_t bytes) {
    ++allocations;
    return std::malloc(bytes);
}

}  // namespace

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void* operator new(std::size_t bytes) {
    if (void* made = counted_allocation(bytes)) return made;
    throw std::bad_alloc();
}
void operator delete(void* bytes) noexcept {
    std::free(bytes);
}
void operator delete(void* bytes, std::size_t) noexcept {
    std::free(bytes);
}
#pragma GCC diagnostic pop

namespace ws {
namespace {

struct Look {
    const char* device;
    const char* tab;
    const char* experiment = "";
    const char* over = "";  // that all versions are curves over
    bool latency = false;
};
class SteadyFrame : public ::testing::TestWithParam<Look> {};

TEST_P(SteadyFrame, AllocatesNothing) {
    ImGui::SetAllocatorFunctions([](std::size_t bytes, void*) { return counted_allocation(bytes); },
                                 [](void* bytes, void*) { std::free(bytes); });
    std::unique_ptr<OffscreenSession> session;
    try {
        session = std::make_unique<OffscreenSession>(Extent{1280, 720});
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    // A small picture: its counts come soon.
    const std::filesystem::path image =
        std::filesystem::temp_directory_path() / ("warpscope_steady_" + std::to_string(::getpid()) + ".png");
    write_png(image, draw_test_picture({512, 384}));
    const std::string picture = image.string();
    const Look& look = GetParam();
    std::vector<const char*> arguments{"warpscope", "picture", "--image", picture.c_str(), "--device",
                                       look.device, "--tab",   look.tab,  "--output",      "none.png"};
    if (*look.experiment)
        arguments.insert(arguments.end(), {"--lab", look.experiment});
    else
        arguments.push_back("7");
    if (look.latency) arguments.push_back("--latency");
    if (*look.over) arguments.insert(arguments.end(), {"--over", look.over});
    AppStart begun(parse_options(int(arguments.size()), arguments.data()), {});
    App app(begun.finish(session->renderer()));
    PictureScreen screen(app.screen_setup());
    const auto frame = [&] {
        app.frame(*session, screen);
        session->present();
    };
    // Until nothing is computed, compiled or counted any more; nobody sees those frames.
    const auto start = std::chrono::steady_clock::now();
    int quiet = 0;
    while (quiet < 60 && std::chrono::steady_clock::now() - start < std::chrono::seconds(120)) {
        session->set_seen(quiet > 0);
        frame();
        if (quiet == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
        quiet = app.settled() && app.at_rest() && !app.engine().compiling_ahead() ? quiet + 1 : 0;
    }
    ASSERT_EQ(quiet, 60) << "the window does not come to rest";
    const std::uint64_t before = allocations;
    for (int i = 0; i < 30; ++i) frame();
    EXPECT_EQ(allocations, before);
    std::filesystem::remove(image);
    // The count can see one.
    app.ask(ChooseVersion{8});
    frame();
    EXPECT_GT(allocations, before);
}

INSTANTIATE_TEST_SUITE_P(Views, SteadyFrame,
                         ::testing::Values(Look{"cpu", "story"}, Look{"simt", "story"},
                                           Look{"simt", "source"}, Look{"simt", "warp"},
                                           Look{"simt", "occupancy"}, Look{"simt", "occupancy", "", "", true},
                                           Look{"simt", "memory"}, Look{"simt", "gpu"},
                                           Look{"simt", "debugger"}, Look{"simt", "story", "transfers"},
                                           Look{"simt", "story", "", "PAD"}),
                         [](const auto& tested) {
                             return std::string(tested.param.device) + "_" + tested.param.tab +
                                    tested.param.experiment + tested.param.over +
                                    (tested.param.latency ? "_latency" : "");
                         });

}  // namespace
}  // namespace ws
