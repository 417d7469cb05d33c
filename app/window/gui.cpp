#include "app/window/gui.h"

#include <imgui.h>
#include <imgui_impl_glfw.h>
#include <imgui_impl_opengl3.h>

#include <algorithm>
#include <utility>

#include "app/canvas/fonts.h"
#include "app/canvas/style.h"
#include "gpu/core/error.h"

namespace ws {

GuiContextKeeper::GuiContextKeeper() : before_(ImGui::GetCurrentContext()) {}

GuiContextKeeper::~GuiContextKeeper() {
    ImGui::SetCurrentContext(before_);
}

FontJob bake_beside(float unit) {
    return FontJob([unit](const std::stop_token&) { return bake_fonts(unit); });
}

GuiContext::GuiContext(const FontsBaked& fonts) : context_(ImGui::CreateContext()) {
    make_current();
    if (fonts) install(*fonts);
    ImGui::GetIO().IniFilename = nullptr;
    ImGui::GetIO().ConfigWindowsMoveFromTitleBarOnly = true;
#if IMGUI_VERSION_NUM >= 18700
    // A frame takes all keys and characters that came since the last one, as before 1.87.
    ImGui::GetIO().ConfigInputTrickleEventQueue = false;
#endif
}

GuiContext::~GuiContext() {
    ImGui::DestroyContext(context_);
}

void GuiContext::make_current() const {
    ImGui::SetCurrentContext(context_);
}

void GuiContext::install(const BakedFonts& fonts) {
    install_fonts(fonts);
    unit_ = unit_of(fonts);
}

bool GuiContext::use_fonts(float unit, Sharpness sharpness) {
    const std::optional<Result<FontsBaked>> made = making_.poll();
    if (unit == unit_) {
        stretch_fonts(1);
        return false;
    }
    if (made && made->ok() && unit_of(*made->value()) == unit) {
        install(*made->value());
        return true;
    }
    if (sharpness == Sharpness::at_once || unit_ == 0) {
        install(*bake_fonts(unit));
        return true;
    }
    if (!making_.active()) making_ = bake_beside(unit);
    stretch_fonts(unit / unit_);
    return false;
}

GuiInput::GuiInput(const Window& window) {
    ImGui_ImplGlfw_InitForOpenGL(window.handle(), true);
}

GuiInput::~GuiInput() {
    ImGui_ImplGlfw_Shutdown();
}

// A key that is tapped between two frames is up again before ImGui 1.86 looks: Enter stays down for the next
// frame. (Newer versions keep a queue, and no key map.)
void GuiInput::begin_frame(const std::vector<KeyPress>& keys) {
    ImGui_ImplGlfw_NewFrame();
    ImGuiIO& io = ImGui::GetIO();
    const int enter = io.KeyMap[ImGuiKey_Enter];
    if (enter < 0) return;
    if (std::exchange(holding_enter_, false)) io.KeysDown[enter] = false;
    const auto is_enter = [](const KeyPress& key) { return key.key == KeyPress::Key::enter; };
    if (std::any_of(keys.begin(), keys.end(), is_enter)) io.KeysDown[enter] = holding_enter_ = true;
}

GuiDrawing::GuiDrawing(GuiContext& context) : context_(context) {
    if (!ImGui_ImplOpenGL3_Init("#version 330 core"))
        throw Error("the panels cannot be drawn with this OpenGL", "", "update the graphics driver");
}

GuiDrawing::~GuiDrawing() {
    ImGui_ImplOpenGL3_Shutdown();
}

void GuiDrawing::begin_frame(Theme theme, float unit, Sharpness sharpness) {
    // The first time the backend makes the texture itself, with everything else of its own.
    if (context_.use_fonts(unit, sharpness) && unit_ > 0) {
        ImGui_ImplOpenGL3_DestroyFontsTexture();
        ImGui_ImplOpenGL3_CreateFontsTexture();
    }
    if (unit != unit_ || theme != theme_) apply_style(theme, unit);
    unit_ = unit;
    theme_ = theme;
    ImGui_ImplOpenGL3_NewFrame();
}

void GuiDrawing::draw() {
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

}  // namespace ws
