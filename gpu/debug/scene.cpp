#include "gpu/debug/scene.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/debug/value_text.h"

namespace ws::debug {
namespace {

using State = simt::WarpState::State;

void add_barrier(const simt::BlockState& state, int warp, WarpScene& scene) {
    for (std::uint32_t id = 0; id < simt::Barriers::kCount; ++id) {
        for (const simt::Barriers::Arrival& arrival : state.barriers.waiting(id)) {
            if (arrival.warp != warp) continue;
            scene.barrier = int(id);
            scene.arrived = int(state.barriers.arrived(id));
            scene.expected = arrival.threads > 0 ? int(arrival.threads / kSceneLanes) : state.running();
        }
    }
}

WarpScene warp_scene(const Debugger& debugger, int warp) {
    const simt::BlockState& state = debugger.block().state();
    const State now = state.warps[std::size_t(warp)].state;
    WarpScene scene;
    scene.frozen = debugger.frozen().contains(warp);
    if (now == State::done) {
        scene.state = WarpScene::State::ended;
        return scene;
    }
    bool first = true;
    for (const simt::LanePlace& place : debugger.block().places(warp)) {
        (first ? scene.active : scene.inactive) |= place.lanes;
        if (first) scene.at = debugger.text().source_of(place.instruction);
        first = false;
    }
    scene.inactive &= ~scene.active;
    if (now == State::waiting) {
        scene.state = WarpScene::State::barrier;
        add_barrier(state, warp, scene);
    }
    return scene;
}

// In scope in the focus's lane; of optimised code the registers.
void add_values(Debugger& debugger, int level, Scene& scene) {
    const LaneView view = debugger.view(debugger.focus(), level);
    const TypeTable& types = debugger.text().info().types;
    if (scene.knows_variables) {
        for (const LaneView::Local& local : view.locals()) {
            ValueScene one{local.name, {}, local.is_parameter};
            try {
                one.value = text_of(view.value_of(local), types, view);
            } catch (const DebugError&) {  // it has no place here
            }
            scene.values.push_back(std::move(one));
        }
        return;
    }
    const simt::Function& function =
        debugger.block().program().functions[std::size_t(view.here().function_index)];
    for (const auto& [name, one] : function.names.registers) {
        if (name.find('#') != std::string::npos) continue;  // the compiler's, within a call
        scene.values.push_back(
            {name, debugger.value_text(debugger.parse(name), debugger.focus(), level), false});
    }
}

void add_lanes(Debugger& debugger, const std::string& text, Scene& scene) {
    LanesScene& lanes = scene.lanes;
    lanes.text = text;
    const simt::Shape& shape = debugger.block().launch().block;
    const int threads = shape[0] * shape[1] * shape[2] - scene.focus.warp * int(kSceneLanes);
    lanes.lanes = threads >= int(kSceneLanes) ? ~0u : (1u << unsigned(std::max(0, threads))) - 1;
    if (text.empty()) return;
    try {
        const Expression expression = debugger.parse(text);
        bool any = false;
        for (int lane = 0; lane < int(kSceneLanes); ++lane) {
            if ((lanes.lanes >> unsigned(lane) & 1u) == 0) continue;
            try {
                lanes.values[std::size_t(lane)] =
                    debugger.value_text(expression, {scene.focus.warp, lane}, 0);
                any = true;
            } catch (const DebugError& error) {
                lanes.problem = error.what();
            }
        }
        if (any) lanes.problem.clear();
    } catch (const DebugError& error) {
        lanes.problem = error.what();
    }
}

}  // namespace

Scene scene_of(Debugger& debugger, const std::string& lanes, int level) {
    const simt::SteppedBlock& block = debugger.block();
    Scene scene;
    scene.step = debugger.now();
    scene.recorded = debugger.recorded();
    scene.ended = block.ended();
    scene.block_index = debugger.block_index();
    for (std::size_t i = 0; i < 3; ++i) scene.block[i] = int(block.state().worker.place.block[i]);
    scene.focus = debugger.focus();
    scene.thread = thread_of(block, scene.focus);
    scene.knows_variables = debugger.text().knows_variables();
    for (int warp = 0; warp < debugger.warps(); ++warp) scene.warps.push_back(warp_scene(debugger, warp));
    for (const Breakpoint& one : debugger.breakpoints())
        scene.breakpoints.push_back({one.number, one.line, !one.condition.empty()});
    for (const Watch& one : debugger.watches()) scene.watches.push_back(one.text);
    const bool gone = scene.warps[std::size_t(scene.focus.warp)].state == WarpScene::State::ended;
    scene.focus_active = !gone && is_active(block, scene.focus);
    const StackFrame here = debugger.view(scene.focus, level).here();
    scene.function = here.function;
    if (!scene.ended) scene.at = here.source;
    if (!gone) add_values(debugger, level, scene);
    add_lanes(debugger, lanes, scene);
    return scene;
}

std::vector<int> lines_with_code(const Debugger& debugger) {
    std::vector<int> lines;
    const std::size_t count = debugger.block().program().code.size();
    for (std::size_t i = 0; i < count; ++i) {
        const SourceLine at = debugger.text().source_of(int(i));
        if (at.file == 0 && at.line > 0) lines.push_back(at.line);
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

}  // namespace ws::debug
