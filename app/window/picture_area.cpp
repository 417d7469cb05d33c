#include "app/window/picture_area.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/window/fixed_windows.h"

namespace ws {
namespace {

void move_camera(const Layout& layout, Extent picture, Camera camera, Edits& edits) {
    const ImGuiIO& io = ImGui::GetIO();
    const ImVec2 scale = io.DisplayFramebufferScale;
    const Camera before = camera;
    if (ImGui::IsItemActive() && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0)) {
        camera =
            panned(camera, layout.picture, picture, io.MouseDelta.x * scale.x, io.MouseDelta.y * scale.y);
    }
    if (ImGui::IsItemHovered() && io.MouseWheel != 0) {
        camera = zoomed(camera, layout.picture, picture, io.MousePos.x * scale.x, io.MousePos.y * scale.y,
                        std::pow(1.25f, io.MouseWheel));
    }
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) camera = {};
    if (!(camera == before)) edits.add(MoveCamera{camera});
}

}  // namespace

// An invisible window takes the mouse.
void draw_picture_area(const Layout& layout, Extent picture, const Camera& camera, Edits& edits) {
    const ImVec2 size{std::max(1.0f, layout.picture_width), layout.height};
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(size);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    ImGui::Begin("##picture", nullptr,
                 kFixed | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::InvisibleButton("##drag", size);
    move_camera(layout, picture, camera, edits);
    ImGui::End();
    ImGui::PopStyleVar();
}

}  // namespace ws
