#include <algorithm>

#include "app/views/picture_parts.h"
#include "app/views/views.h"

namespace ws {

void draw_page(const Stage& stage) {
    if (stage.experiment) {
        draw_top_bar(stage);
        draw_experiment(stage);
        return;
    }
    if (stage.view.slide) {
        draw_slide(stage);
        return;
    }
    draw_top_bar(stage);
    if (stage.view.preferences.tab == Tab::story)
        draw_view_controls(stage);
    else if (stage.view.preferences.tab == Tab::occupancy)
        draw_occupancy_controls(stage);
    else
        draw_step_controls(stage);
    draw_tabs(stage);
    for (const TabView& tab : tab_views()) {
        if (tab.tab != stage.view.preferences.tab) continue;
        if (shows_difference(stage.view, stage.snapshot.work))
            draw_difference(stage);
        else
            tab.draw(stage);
    }
    draw_version_strip(stage);
}

}  // namespace ws
