#include "gpu/debug/displays.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ws::debug {
namespace {

// The lane's level at which it is in the function that the focus's stack has at `level`: as far from the
// kernel. 0 where it is not in it.
int level_in(Debugger& debugger, Focus lane, int level) {
    if (level == 0) return 0;
    const LaneView focus = debugger.view(debugger.focus(), level);
    const LaneView view = debugger.view(lane);
    const int same = int(view.stack().size()) - int(focus.stack().size()) + level;
    const bool there = same >= 0 && std::size_t(same) < view.stack().size() &&
                       view.stack()[std::size_t(same)].function == focus.here().function;
    return there ? same : 0;
}

std::uint32_t lanes_of(const Debugger& debugger, int warp) {
    const simt::Shape& shape = debugger.block().launch().block;
    const int threads = shape[0] * shape[1] * shape[2] - warp * simt::kLanes;
    return threads >= simt::kLanes ? ~0u : (1u << unsigned(std::max(0, threads))) - 1;
}

}  // namespace

LaneValues lane_values(Debugger& debugger, const Expression& expression, int warp, int level, char letter) {
    LaneValues made;
    made.lanes = lanes_of(debugger, warp);
    bool any = false;
    for (int lane = 0; lane < simt::kLanes; ++lane) {
        if ((made.lanes >> unsigned(lane) & 1u) == 0) continue;
        try {
            made.values[std::size_t(lane)] = debugger.value_text(
                expression, {warp, lane}, level_in(debugger, {warp, lane}, level), letter);
            any = true;
        } catch (const DebugError& error) {
            made.problem = error.what();
        }
    }
    if (any) made.problem.clear();
    return made;
}

std::string words_of(const Display& display) {
    std::string format = display.whole_warp ? "w" : "";
    if (display.letter != 0) format += display.letter;
    return format.empty() ? display.text : fmt::format("/{} {}", format, display.text);
}

const Displays::One* Displays::one_of(const Display& display) const {
    for (const One& one : all_) {
        if (is_same(one.display, display)) return &one;
    }
    return asked_ && is_same(asked_->display, display) ? &*asked_ : nullptr;
}

// Nothing of what is only shown in the focus's lane.
std::optional<Displays::Kept> Displays::kept(Debugger& debugger, const Display& display) {
    if (!display.whole_warp) return std::nullopt;
    Kept made{debugger.block_index(), {}};
    for (int warp = 0; warp < debugger.warps(); ++warp)
        made.warps.push_back(lane_values(debugger, display.expression, warp, 0, display.letter).values);
    return made;
}

const Display& Displays::add(Debugger& debugger, Display display) {
    const One* there = one_of(display);
    if (!there || there->display.number == 0) {
        display.number = ++last_;
        // What was asked for has been compared since then.
        all_.push_back(there ? One{display, there->before, there->now}
                             : One{display, {}, kept(debugger, display)});
        there = &all_.back();
    }
    if (display.whole_warp) {
        latest_ = there->display.number;
        ++asks_;
    }
    return there->display;
}

bool Displays::remove(int number) {
    return std::erase_if(all_, [number](const One& one) { return one.display.number == number; }) > 0;
}

void Displays::ask(Debugger& debugger, Display display) {
    display.number = 0;
    const One* there = one_of(display);
    if (!there) asked_ = One{display, {}, kept(debugger, display)};
    latest_ = there ? there->display.number : 0;
    ++asks_;
}

std::vector<const Display*> Displays::all() const {
    std::vector<const Display*> made;
    for (const One& one : all_) made.push_back(&one.display);
    return made;
}

std::vector<const Display*> Displays::in_lanes() const {
    std::vector<const Display*> made;
    for (const One& one : all_) {
        if (one.display.whole_warp) made.push_back(&one.display);
    }
    if (asked_ && one_of(asked_->display) == &*asked_) made.push_back(&asked_->display);
    return made;
}

void Displays::stopped(Debugger& debugger) {
    const auto look = [&](One& one) { one.before = std::exchange(one.now, kept(debugger, one.display)); };
    for (One& one : all_) look(one);
    if (asked_) look(*asked_);
}

LaneValues Displays::values(Debugger& debugger, const Display& display, int level) const {
    const int warp = debugger.focus().warp;
    LaneValues made = lane_values(debugger, display.expression, warp, level, display.letter);
    const One* one = one_of(display);
    const bool comparable = level == 0 && one && one->before && one->now &&
                            one->before->block == debugger.block_index() &&
                            one->now->block == debugger.block_index();
    if (!comparable) return made;
    for (std::size_t lane = 0; lane < made.values.size(); ++lane) {
        const std::string& before = one->before->warps[std::size_t(warp)][lane];
        if (!before.empty() && !made.values[lane].empty() && before != made.values[lane])
            made.changed |= 1u << lane;
    }
    return made;
}

}  // namespace ws::debug
