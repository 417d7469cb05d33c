#include "render/screens.h"

#include <GLFW/glfw3.h>

#include <algorithm>

#include "render/window.h"

namespace ws {

std::vector<Screen> screens(const Glfw& /*glfw*/) {
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    std::vector<Screen> all;
    for (int i = 0; i < count; ++i) {
        Screen screen;
        glfwGetMonitorPos(monitors[i], &screen.x, &screen.y);
        const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
        if (!mode) continue;
        screen.size = {mode->width, mode->height};
        all.push_back(screen);
    }
    return all;
}

std::optional<Screen> screen_beside(std::span<const Screen> all, const Screen& taken) {
    const auto apart = [&](const Screen& screen) {
        return screen.x >= taken.x + taken.size.width || taken.x >= screen.x + screen.size.width ||
               screen.y >= taken.y + taken.size.height || taken.y >= screen.y + screen.size.height;
    };
    const auto found = std::find_if(all.begin(), all.end(), apart);
    return found == all.end() ? std::nullopt : std::optional(*found);
}

}  // namespace ws
