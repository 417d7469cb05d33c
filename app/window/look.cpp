#include "app/window/look.h"

#include <algorithm>
#include <array>

#include "app/cli/look_names.h"

namespace ws {
namespace {

template <std::size_t N>
int place_in(const std::array<const char*, N>& names, const std::string& name) {
    return int(std::find(names.begin(), names.end(), name) - names.begin());
}

static_assert(kTabNames.size() == kTabs && kSidePanelNames.size() == kSidePanels &&
              kLineShareNames.size() == kLineShares);

// The part of occupancy's page that a look names; none: it leaves it as it is.
std::optional<OccupancyPart> part_of(const LookOptions& look) {
    if (look.sweep.value_or(false)) return OccupancyPart::sweep;
    if (look.latency.value_or(false)) return OccupancyPart::latency;
    return look.sweep || look.latency ? std::optional(OccupancyPart::now) : std::nullopt;
}

// Whether it brings its page with it.
bool brings_occupancy(const LookOptions& look) {
    return part_of(look).value_or(OccupancyPart::now) != OccupancyPart::now;
}

Camera camera_on(const Detail& detail) {
    if (detail.columns == 0) return {};
    Camera camera{Framing::detail, 1, float(detail.x) + float(detail.columns) / 2,
                  float(detail.y) + float(detail.rows) / 2};
    camera.across = float(detail.columns);
    camera.down = float(detail.rows);
    return camera;
}

}  // namespace

std::vector<ViewEdit> edits_of(const LookOptions& look) {
    std::vector<ViewEdit> edits;
    if (!look.theme.empty()) edits.push_back(ChooseTheme{Theme(place_in(kThemeNames, look.theme))});
    if (!look.tab.empty()) edits.push_back(ChooseTab{Tab(place_in(kTabNames, look.tab))});
    if (!look.compare.empty()) edits.push_back(ChooseCompare{Compare(place_in(kCompareNames, look.compare))});
    if (look.warp) edits.push_back(ChooseWarp{look.warp});
    if (look.slide) edits.push_back(ShowSlide{*look.slide});
    if (look.advice) edits.push_back(ShowAdvice{*look.advice});
    if (look.advice.value_or(false)) edits.push_back(ChooseTab{Tab::story});
    if (!look.over.empty()) edits.push_back(ShowCurves{shows_curves(look)});
    if (shows_curves(look)) {
        edits.push_back(ChooseOver{sweep_over(look.over)});
        edits.push_back(ChooseTab{Tab::story});
    }
    if (const auto part = part_of(look)) edits.push_back(ShowOccupancy{*part});
    if (brings_occupancy(look)) edits.push_back(ChooseTab{Tab::occupancy});
    if (look.zoom) edits.push_back(MoveCamera{camera_on(*look.zoom)});
    if (const std::string& beside = look.source.beside; !beside.empty())
        edits.push_back(ShowBeside{SidePanel(place_in(kSidePanelNames, beside))});
    if (const std::string& share = look.source.share; !share.empty())
        edits.push_back(ChooseLineShare{LineShare(place_in(kLineShareNames, share))});
    if (look.line) edits.push_back(RevealLine{*look.line});
    if (look.access) edits.push_back(InspectAccess{*look.access - 1});
    if (look.page) edits.push_back(TurnPage{*look.page - 1});
    return edits;
}

bool explores(const ViewState& view, const Work& work, const ControlValues& values) {
    if (!view.playing) return false;
    const LectureStep& step = view.playing->step();
    if (!(work == step.work) || view.experiment.shown != step.experiment || view.picture != step.picture)
        return true;
    const LookOptions& look = step.look;
    if (step.experiment) return values != step.controls || view.page != look.page.value_or(1) - 1;
    const Preferences& now = view.preferences;
    const bool occupancy = brings_occupancy(look);
    const bool advice = look.advice.value_or(false);
    const bool curves = shows_curves(look);
    if (!look.tab.empty() || occupancy || advice || curves) {
        const Tab tab = occupancy          ? Tab::occupancy
                        : advice || curves ? Tab::story
                                           : Tab(place_in(kTabNames, look.tab));
        if (now.tab != tab) return true;
    }
    if (now.tab == Tab::occupancy && view.occupancy.part != part_of(look).value_or(view.occupancy.part))
        return true;
    if (now.tab == Tab::story && look.advice && view.story.advice != advice) return true;
    if (now.tab == Tab::story && !look.over.empty() && view.story.curves != curves) return true;
    if (now.tab == Tab::story && curves && view.story.over != sweep_over(look.over)) return true;
    if (now.tab == Tab::warp && now.warp != look.warp) return true;
    const bool shows_line = now.tab == Tab::source || now.tab == Tab::warp;
    if (shows_line && view.source.line != look.line.value_or(0)) return true;
    if (shows_line && view.source.access != look.access.value_or(1) - 1) return true;
    const SourceLook& source = look.source;
    if (now.tab == Tab::source && !source.beside.empty() &&
        view.source.beside != SidePanel(place_in(kSidePanelNames, source.beside)))
        return true;
    if (now.tab == Tab::source && !source.share.empty() &&
        now.line_share != LineShare(place_in(kLineShareNames, source.share)))
        return true;
    if (look.page && view.page != *look.page - 1) return true;
    if (!look.zoom && now.camera != Camera{}) return true;
    if (now.tab == Tab::story && !look.compare.empty() &&
        now.comparison.how != Compare(place_in(kCompareNames, look.compare)))
        return true;
    // One that the step names is pinned as soon as its input is there.
    const Pin* pin = now.pin();
    return pin && (!look.against || pin->pinned.work.version != *look.against);
}

Pin baseline_pin(const Work& work, int version, InputKey input, const std::string& input_name) {
    return {"V" + std::to_string(version),
            {with_version(work, version_of(*work.lab, version)), input},
            input_name};
}

}  // namespace ws
