// A window that waits for a key in waits so short that each is over when it comes, and prints whether that
// counted as something that happened. For window_test.

#include <cstdio>

#include "gpu/core/error.h"
#include "render/window.h"

int main() {
    try {
        ws::Glfw glfw;
        ws::Window window(glfw, {.size = {320, 200}, .title = "Waits for a key"});
        constexpr double kShortest = 1e-6;
        while (!window.should_close()) {
            const bool happened = glfw.take_events(kShortest);
            if (window.keys.empty()) continue;
            std::puts(happened ? "taken" : "lost");
            return 0;
        }
        return 0;
    } catch (const ws::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
