#include <imgui.h>

#include <algorithm>

#include "app/views/picture_parts.h"
#include "app/views/views.h"

namespace ws {

void draw_page(const Stage& stage) {
    if (stage.view.slide.blank) {
        const ImVec2 all = ImGui::GetIO().DisplaySize;
        stage.canvas.list().AddRectFilled({0, 0}, all, IM_COL32_BLACK);
        return;
    }
    if (stage.experiment) {
        if (stage.view.playing) draw_lecture_band(stage);
        draw_top_bar(stage);
        draw_experiment(stage);
        return;
    }
    if (stage.view.slide.on) {
        draw_slide(stage);
        return;
    }
    if (stage.view.playing) draw_lecture_band(stage);
    if (stage.view.playing && stage.view.playing->asking()) {
        draw_question(stage, stage.slots.window);
        return;
    }
    draw_top_bar(stage);
    const bool curves = shows_curves(stage.view);
    if (curves)
        draw_curve_controls(stage);
    else if (stage.view.preferences.tab == Tab::story)
        draw_view_controls(stage);
    else if (stage.view.preferences.tab == Tab::occupancy)
        draw_occupancy_controls(stage);
    else if (stage.view.preferences.tab == Tab::debugger)
        draw_debugger_controls(stage);
    else
        draw_step_controls(stage);
    draw_tabs(stage);
    for (const TabView& tab : tab_views()) {
        if (tab.tab != stage.view.preferences.tab) continue;
        if (curves)
            draw_curves(stage);
        else if (shows_difference(stage.view, stage.snapshot.work))
            draw_difference(stage);
        else
            tab.draw(stage);
    }
    draw_version_strip(stage);
}

}  // namespace ws
