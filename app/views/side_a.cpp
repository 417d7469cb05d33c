#include "app/views/side_a.h"

#include <algorithm>

#include "app/views/picture_parts.h"

namespace ws {
namespace {

const View& shown_view(const Work& work) {
    return work.lab->views[std::size_t(work.view)];
}

bool has_version(const Lab& lab, int number) {
    return std::any_of(lab.versions.begin(), lab.versions.end(),
                       [&](const Version& version) { return version.number == number; });
}

bool has_baseline(const ViewState& view, const Work& work) {
    return pin_of(view.preferences, *work.lab) || version_before(*work.lab, work.version);
}

SideA usual(const ViewState& view, const Work& work) {
    // A few numbers that everything is made of are no picture to compare with.
    const bool pictured = work.lab->buffers.front().elements == 0;
    if (shows_difference(view, work) || (!pictured && runs_anything(work)))
        return {SideA::Kind::defined, work.view, {}};
    return {};
}

SideA of_view(const ViewState& view, const Work& work) {
    const Lab& lab = *work.lab;
    const int wanted = view_named(lab, view.preferences.comparison.a.view);
    if (wanted >= 0 && !lab.views[std::size_t(wanted)].ways.empty())
        return {SideA::Kind::defined, wanted, {}};
    return usual(view, work);
}

}  // namespace

const Pin* pin_of(const Preferences& kept, const Lab& lab) {
    const Pin* pin = kept.pin();
    return pin && pin->pinned.work.lab == &lab ? pin : nullptr;
}

bool shows_baseline(const ViewState& view, const Work& work) {
    return view.only_a && side_a(view, work).of.kind == ResultOf::Kind::baseline;
}

SideA side_a(const ViewState& view, const Work& work) {
    const ChosenA& chosen = view.preferences.comparison.a;
    // Where nothing runs, other kernels make what the lab begins with.
    const int computed = runs_anything(work) ? work.view : first_view(*work.lab);
    switch (chosen.kind) {
        case ChosenA::Kind::usual:
            // Alone it is what everything is compared with, once a person has pinned that.
            if (!view.only_a || !pin_of(view.preferences, *work.lab)) break;
            return {SideA::Kind::result, computed, {ResultOf::Kind::baseline, 0}};
        case ChosenA::Kind::view:
            return of_view(view, work);
        case ChosenA::Kind::baseline:
            if (!has_baseline(view, work)) break;
            return {SideA::Kind::result, computed, {ResultOf::Kind::baseline, 0}};
        case ChosenA::Kind::version:
            if (!has_version(*work.lab, chosen.version)) break;
            return {SideA::Kind::result, computed, {ResultOf::Kind::version, chosen.version}};
    }
    return usual(view, work);
}

bool is_definition(const SideA& a, const Work& work) {
    if (a.kind != SideA::Kind::defined || !runs_anything(work)) return false;
    const Lab& lab = *work.lab;
    const Version& version = version_of(lab, work.version);
    return shown_buffer(lab.views[std::size_t(a.view)], version) == shown_buffer(shown_view(work), version);
}

ChosenA next_a(const ChosenA& now, const Lab& lab) {
    const auto from = [&](std::size_t first) {
        for (std::size_t i = first; i < lab.views.size(); ++i) {
            if (!lab.views[i].ways.empty())
                return ChosenA{ChosenA::Kind::view, std::string(lab.views[i].name), 0};
        }
        return ChosenA{ChosenA::Kind::baseline, {}, 0};
    };
    if (now.kind == ChosenA::Kind::usual) return from(0);
    const int view = now.kind == ChosenA::Kind::view ? view_named(lab, now.view) : -1;
    return view < 0 ? ChosenA{} : from(std::size_t(view) + 1);
}

}  // namespace ws
