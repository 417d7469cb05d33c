#include "app/window/look.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ws {
namespace {

template <std::size_t N>
int place_in(const std::array<std::string_view, N>& names, const std::string& name) {
    return int(std::find(names.begin(), names.end(), name) - names.begin());
}

}  // namespace

std::vector<ViewEdit> edits_of(const LookOptions& look) {
    constexpr std::array<std::string_view, 2> kThemes{"light", "dark"};
    constexpr std::array<std::string_view, kTabs> kTabNames{"story",     "source", "warp",
                                                            "occupancy", "memory", "gpu"};
    constexpr std::array<std::string_view, 4> kWays{"single", "wipe", "beside", "difference"};
    std::vector<ViewEdit> edits;
    if (!look.theme.empty()) edits.push_back(ChooseTheme{Theme(place_in(kThemes, look.theme))});
    if (!look.tab.empty()) edits.push_back(ChooseTab{Tab(place_in(kTabNames, look.tab))});
    if (!look.compare.empty()) edits.push_back(ChooseCompare{Compare(place_in(kWays, look.compare))});
    if (look.slide) edits.push_back(ShowSlide{*look.slide});
    if (look.advice) edits.push_back(ShowAdvice{*look.advice});
    if (look.advice.value_or(false)) edits.push_back(ChooseTab{Tab::story});
    if (look.sweep) edits.push_back(ShowSweep{*look.sweep});
    if (look.sweep.value_or(false)) edits.push_back(ChooseTab{Tab::occupancy});
    return edits;
}

Pin baseline_pin(const Work& work, int version, InputKey input, const std::string& input_name) {
    return {"V" + std::to_string(version),
            {with_version(work, version_of(*work.lab, version)), input},
            input_name};
}

}  // namespace ws
