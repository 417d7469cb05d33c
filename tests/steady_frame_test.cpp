// A frame in which nothing changes allocates nothing: no C++ allocation of the drawing thread, none of ImGui.

#include <gtest/gtest.h>
#include <imgui.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#include "app/panels/panels.h"
#include "app/window/app.h"
#include "app/window/offscreen_session.h"

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

class SteadyFrame : public ::testing::TestWithParam<const char*> {};

TEST_P(SteadyFrame, AllocatesNothing) {
    ImGui::SetAllocatorFunctions([](std::size_t bytes, void*) { return counted_allocation(bytes); },
                                 [](void* bytes, void*) { std::free(bytes); });
    std::unique_ptr<OffscreenSession> session;
    try {
        session = std::make_unique<OffscreenSession>(Extent{1280, 720});
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    const char* arguments[] = {"warpscope", "picture", "7", "--device", GetParam(), "--output", "none.png"};
    AppStart begun(parse_options(7, arguments), {});
    App app(begun.finish(session->renderer()));
    PictureScreen screen(app.screen_setup());
    for (const Panel& panel : panels()) app.ask(OpenPanel{panel.title, true});
    const auto frame = [&] {
        app.frame(*session, screen);
        session->present();
    };
    // Until nothing is computed, compiled or counted any more.
    const auto start = std::chrono::steady_clock::now();
    int quiet = 0;
    while (quiet < 60 && std::chrono::steady_clock::now() - start < std::chrono::seconds(60)) {
        frame();
        quiet = app.settled() && app.at_rest() && !app.engine().compiling_ahead() ? quiet + 1 : 0;
    }
    ASSERT_EQ(quiet, 60) << "the window does not come to rest";
    const std::uint64_t before = allocations;
    for (int i = 0; i < 30; ++i) frame();
    EXPECT_EQ(allocations, before);
    // The count can see one.
    app.ask(ChooseVersion{8});
    frame();
    EXPECT_GT(allocations, before);
}

INSTANTIATE_TEST_SUITE_P(Devices, SteadyFrame, ::testing::Values("cpu", "simt"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace ws
