#include "render/window.h"

#include <glad/gl.h>
// glad comes first: it must be the one to declare OpenGL.
#include <GLFW/glfw3.h>

#include <algorithm>
#include <map>
#include <utility>

#include "gpu/core/error.h"

namespace ws {
namespace {

std::string last_glfw_error() {
    const char* text = nullptr;
    glfwGetError(&text);
    return text ? text : "no reason given";
}

Window& window_of(GLFWwindow* handle) {
    return *static_cast<Window*>(glfwGetWindowUserPointer(handle));
}

// What is no more than a reason to draw anew; ImGui, whose callbacks come after, asks for what it was.
template <typename... What>
void on_anything(GLFWwindow* handle, What... /*what*/) {
    window_of(handle).glfw().note_event();
}

void watch_for_anything(GLFWwindow* handle) {
    glfwSetWindowPosCallback(handle, on_anything);
    glfwSetWindowSizeCallback(handle, on_anything);
    glfwSetFramebufferSizeCallback(handle, on_anything);
    glfwSetWindowContentScaleCallback(handle, on_anything);
    glfwSetWindowRefreshCallback(handle, on_anything);
    glfwSetWindowFocusCallback(handle, on_anything);
    glfwSetWindowIconifyCallback(handle, on_anything);
    glfwSetWindowCloseCallback(handle, on_anything);
    glfwSetMouseButtonCallback(handle, on_anything);
    glfwSetCursorPosCallback(handle, on_anything);
    glfwSetCursorEnterCallback(handle, on_anything);
    glfwSetScrollCallback(handle, on_anything);
}

void on_key(GLFWwindow* handle, int key, int /*scancode*/, int action, int modifiers) {
    on_anything(handle);
    if (action == GLFW_RELEASE) return;
    window_of(handle).repeating = action == GLFW_REPEAT;
    using Key = KeyPress::Key;
    static const std::map<int, Key> named{
        {GLFW_KEY_ESCAPE, Key::escape},
        {GLFW_KEY_ENTER, Key::enter},
        {GLFW_KEY_KP_ENTER, Key::enter},
        {GLFW_KEY_UP, Key::up},
        {GLFW_KEY_DOWN, Key::down},
        {GLFW_KEY_PAGE_UP, Key::page_up},
        {GLFW_KEY_F1, Key::f1},
        {GLFW_KEY_F11, Key::f11},
        {GLFW_KEY_PAGE_DOWN, Key::page_down},
        {GLFW_KEY_F12, Key::f12},
        {GLFW_KEY_LEFT, Key::left},
        {GLFW_KEY_RIGHT, Key::right},
        {GLFW_KEY_HOME, Key::home},
        {GLFW_KEY_END, Key::end},
        {GLFW_KEY_TAB, Key::tab},
        {GLFW_KEY_F5, Key::f5},
        {GLFW_KEY_BACKSPACE, Key::backspace},
    };
    if (const auto found = named.find(key); found != named.end())
        window_of(handle).keys.push_back(
            {found->second, 0, (modifiers & GLFW_MOD_CONTROL) != 0, (modifiers & GLFW_MOD_SHIFT) != 0});
    if (!(modifiers & GLFW_MOD_CONTROL)) return;
    // With Ctrl no character arrives: take the key that bears the sign in this layout.
    const char* name = glfwGetKeyName(key, 0);
    const std::string sign = name ? name : "";
    if (key == GLFW_KEY_KP_ADD || sign == "+" || sign == "=")
        window_of(handle).keys.push_back({Key::plus, 0, true});
    if (key == GLFW_KEY_KP_SUBTRACT || sign == "-") window_of(handle).keys.push_back({Key::minus, 0, true});
    if (key == GLFW_KEY_0 || key == GLFW_KEY_KP_0) window_of(handle).keys.push_back({Key::zero, 0, true});
    // Digits and letters, as they stand in this layout.
    if (sign.size() == 1 && ((sign[0] >= '1' && sign[0] <= '9') || (sign[0] >= 'a' && sign[0] <= 'z')))
        window_of(handle).keys.push_back({Key::character, static_cast<unsigned char>(sign[0]), true});
}

void on_character(GLFWwindow* handle, unsigned character) {
    on_anything(handle);
    window_of(handle).keys.push_back(
        {KeyPress::Key::character, character, false, false, window_of(handle).repeating});
}

void on_drop(GLFWwindow* handle, int count, const char** paths) {
    on_anything(handle);
    for (int i = 0; i < count; ++i) window_of(handle).dropped_files.emplace_back(paths[i]);
}

// The monitor that shows the middle of the window.
GLFWmonitor* monitor_of(GLFWwindow* window) {
    int x = 0;
    int y = 0;
    int width = 0;
    int height = 0;
    glfwGetWindowPos(window, &x, &y);
    glfwGetWindowSize(window, &width, &height);
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    GLFWmonitor* best = glfwGetPrimaryMonitor();
    for (int i = 0; i < count; ++i) {
        int left = 0;
        int top = 0;
        glfwGetMonitorPos(monitors[i], &left, &top);
        const GLFWvidmode* mode = glfwGetVideoMode(monitors[i]);
        const int middle_x = x + width / 2;
        const int middle_y = y + height / 2;
        if (mode && middle_x >= left && middle_x < left + mode->width && middle_y >= top &&
            middle_y < top + mode->height) {
            best = monitors[i];
        }
    }
    return best;
}

// Null where it is not there any more.
GLFWmonitor* monitor_at(const Screen& screen) {
    int count = 0;
    GLFWmonitor** monitors = glfwGetMonitors(&count);
    for (int i = 0; i < count; ++i) {
        int x = 0;
        int y = 0;
        glfwGetMonitorPos(monitors[i], &x, &y);
        if (x == screen.x && y == screen.y) return monitors[i];
    }
    return nullptr;
}

// What a screen has room for, beside the desktop's panels.
struct WorkArea {
    int x = 0, y = 0;
    Extent size;
};

WorkArea work_area(GLFWmonitor* monitor) {
    WorkArea area;
    glfwGetMonitorWorkarea(monitor, &area.x, &area.y, &area.size.width, &area.size.height);
    return area;
}

// What the window manager draws around a window.
struct Frame {
    int left = 0, top = 0, right = 0, bottom = 0;
};

Frame frame_of(GLFWwindow* window) {
    Frame frame;
    glfwGetWindowFrameSize(window, &frame.left, &frame.top, &frame.right, &frame.bottom);
    return frame;
}

// A size that was kept from a larger screen would leave a part of the window outside this one.
void shrink_to_screen(GLFWwindow* window) {
    GLFWmonitor* monitor = monitor_of(window);
    if (!monitor) return;
    const WorkArea room = work_area(monitor);
    const Frame frame = frame_of(window);
    Extent size;
    glfwGetWindowSize(window, &size.width, &size.height);
    const int width = std::min(size.width, room.size.width - frame.left - frame.right);
    const int height = std::min(size.height, room.size.height - frame.top - frame.bottom);
    if ((width == size.width && height == size.height) || width <= 0 || height <= 0) return;
    glfwSetWindowSize(window, width, height);
    glfwSetWindowPos(window, room.x + frame.left, room.y + frame.top);
}

}  // namespace

std::string why_no_display() {
    if (glfwInit() != GLFW_TRUE) return last_glfw_error();
    glfwTerminate();
    return "";
}

Glfw::Glfw() {
    if (glfwInit() == GLFW_TRUE) return;
    throw Error("no window can be opened (" + last_glfw_error() + ")", "",
                "start it on a desktop, or draw off screen with 'warpscope picture --output FILE.png'");
}

Glfw::~Glfw() {
    glfwTerminate();
}

// What comes at the last moment of a wait has come: how long it was says nothing.
bool Glfw::take_events(double seconds) {
    if (seconds > 0 && !happened_)
        glfwWaitEventsTimeout(seconds);
    else
        glfwPollEvents();
    return std::exchange(happened_, false);
}

void Window::Destroyer::operator()(GLFWwindow* window) const {
    glfwDestroyWindow(window);
}

GlContextKeeper::GlContextKeeper() : before_(glfwGetCurrentContext()) {}

GlContextKeeper::~GlContextKeeper() {
    glfwMakeContextCurrent(before_);
}

Window::Window(Glfw& glfw, const WindowStart& start)
    : glfw_(glfw), waits_(start.waits), windowed_(start.size) {
    const Extent size = start.size;
    const std::string& title = start.title;
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    // A full screen that gave way to the window with the keys would take the class's picture away.
    glfwWindowHint(GLFW_AUTO_ICONIFY, GLFW_FALSE);
    glfwWindowHint(GLFW_FOCUSED, start.takes_focus ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_FOCUS_ON_SHOW, start.takes_focus ? GLFW_TRUE : GLFW_FALSE);
    // Ask for reports of a lost context; a driver that cannot gets a plain one.
    glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_LOSE_CONTEXT_ON_RESET);
    window_.reset(glfwCreateWindow(size.width, size.height, title.c_str(), nullptr, nullptr));
    if (!window_) {
        glfwWindowHint(GLFW_CONTEXT_ROBUSTNESS, GLFW_NO_ROBUSTNESS);
        window_.reset(glfwCreateWindow(size.width, size.height, title.c_str(), nullptr, nullptr));
    }
    if (!window_) {
        throw Error(
            "no OpenGL 3.3 window can be opened (" + last_glfw_error() + ")", "",
            "update the graphics driver, or draw off screen with 'warpscope picture --output FILE.png'");
    }
    shrink_to_screen(handle());
    glfwMakeContextCurrent(handle());
    if (!gladLoadGL(glfwGetProcAddress))
        throw Error("the OpenGL functions cannot be loaded", "", "update the graphics driver");
    glfwSwapInterval(waits_ ? 1 : 0);
    glfwSetWindowUserPointer(handle(), this);
    watch_for_anything(handle());
    glfwSetKeyCallback(handle(), on_key);
    glfwSetCharCallback(handle(), on_character);
    glfwSetDropCallback(handle(), on_drop);
    if (start.full_screen) set_full_screen(true);
}

Window::~Window() = default;

Extent Window::framebuffer() const {
    Extent extent;
    glfwGetFramebufferSize(handle(), &extent.width, &extent.height);
    return extent;
}

Extent Window::size() const {
    if (full_screen_) return windowed_;
    Extent extent;
    glfwGetWindowSize(handle(), &extent.width, &extent.height);
    return extent;
}

void Window::set_full_screen(bool on) {
    if (on == full_screen_) return;
    if (on) {
        fill(monitor_of(handle()));
        return;
    }
    glfwSetWindowMonitor(handle(), nullptr, windowed_x_, windowed_y_, windowed_.width, windowed_.height, 0);
    full_screen_ = false;
    glfwSwapInterval(waits_ ? 1 : 0);  // some drivers forget it with the mode
}

void Window::fill(const Screen& screen) {
    fill(monitor_at(screen));
}

void Window::fill(GLFWmonitor* monitor) {
    const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
    if (!mode) return;
    if (!full_screen_) {
        windowed_ = size();
        glfwGetWindowPos(handle(), &windowed_x_, &windowed_y_);
    }
    // Some window managers fill the screen that the window is on, whichever was asked for.
    int x = 0;
    int y = 0;
    glfwGetMonitorPos(monitor, &x, &y);
    glfwSetWindowPos(handle(), x, y);
    glfwSetWindowMonitor(handle(), monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    full_screen_ = true;
    glfwSwapInterval(waits_ ? 1 : 0);
}

void Window::cover(const Screen& screen) {
    GLFWmonitor* monitor = monitor_at(screen);
    if (!monitor) return;
    const WorkArea room = work_area(monitor);
    const Frame frame = frame_of(handle());
    glfwSetWindowPos(handle(), room.x + frame.left, room.y + frame.top);
    glfwSetWindowSize(handle(), room.size.width - frame.left - frame.right,
                      room.size.height - frame.top - frame.bottom);
}

Screen Window::screen() const {
    Screen screen;
    GLFWmonitor* monitor = full_screen_ ? glfwGetWindowMonitor(handle()) : monitor_of(handle());
    const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
    if (!mode) return screen;
    glfwGetMonitorPos(monitor, &screen.x, &screen.y);
    screen.size = {mode->width, mode->height};
    return screen;
}

void Window::make_current() {
    glfwMakeContextCurrent(handle());
}

bool Window::should_close() const {
    return glfwWindowShouldClose(handle()) != 0;
}
void Window::close() {
    glfwSetWindowShouldClose(handle(), GLFW_TRUE);
}
void Window::swap() {
    glfwSwapBuffers(handle());
}

}  // namespace ws
