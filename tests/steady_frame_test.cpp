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
#include "render/offscreen.h"

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
    std::unique_ptr<Offscreen> screen;
    try {
        screen = std::make_unique<Offscreen>(Extent{1280, 720});
    } catch (const Error& error) {
        GTEST_SKIP() << error.what();
    }
    ImGui::SetAllocatorFunctions([](std::size_t bytes, void*) { return counted_allocation(bytes); },
                                 [](void* bytes, void*) { std::free(bytes); });
    const char* arguments[] = {"warpscope", "7", "--device", GetParam()};
    App app(parse_options(4, arguments), SavedState{}, "");
    ImGui::GetIO().DisplaySize = {1280, 720};
    app.attach_gl(false);
    for (const Panel& panel : panels()) app.state().preferences.open_panels[panel.title] = true;
    const auto frame = [&] {
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        app.frame(screen->framebuffer(), screen->size());
        screen->finish();
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
    app.state().settings.version = 8;
    frame();
    EXPECT_GT(allocations, before);
    app.detach_gl();
}

INSTANTIATE_TEST_SUITE_P(Devices, SteadyFrame, ::testing::Values("cpu", "simt"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace ws
