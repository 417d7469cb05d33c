#include "gpu/debug/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "gpu/core/numbers.h"
#include "gpu/debug/console_words.h"
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

// In scope in the focus's lane.
void add_variables(Debugger& debugger, int level, Scene& scene) {
    if (!scene.knows_variables) return;
    const LaneView view = debugger.view(debugger.focus(), level);
    const TypeTable& types = debugger.text().info().types;
    for (const LaneView::Local& local : view.locals()) {
        ValueScene one{local.name, {}, local.is_parameter};
        try {
            one.value = text_of(view.value_of(local), types, view);
        } catch (const DebugError&) {  // it has no place here
        }
        scene.variables.push_back(std::move(one));
    }
}

// "%rd12": its letters, and its number, by which it stands behind %rd2.
std::pair<std::string_view, int> order_of(std::string_view name) {
    const std::size_t digits = std::min(name.find_first_of("0123456789"), name.size());
    return {name.substr(0, digits), parse_number<int>(name.substr(digits)).value_or(0)};
}

// Of the function that the focus's lane is in.
void add_registers(Debugger& debugger, int level, Scene& scene) {
    const LaneView view = debugger.view(debugger.focus(), level);
    const simt::Function& function =
        debugger.block().program().functions[std::size_t(view.here().function_index)];
    for (const auto& [name, one] : function.names.registers) {
        if (name.find('#') != std::string::npos) continue;  // the compiler's, within a call
        scene.registers.push_back(
            {name, debugger.value_text(debugger.parse(name), debugger.focus(), level), false});
    }
    std::sort(scene.registers.begin(), scene.registers.end(),
              [](const ValueScene& a, const ValueScene& b) { return order_of(a.name) < order_of(b.name); });
}

// The next instruction of the focus's lane, and the registers in it, in the order of its operands.
void add_instruction(Debugger& debugger, int level, Scene& scene) {
    const LaneView view = debugger.view(debugger.focus(), level);
    const auto line = std::size_t(debugger.text().ptx_line_of(view.here().instruction));
    const std::vector<std::string>& lines = debugger.text().ptx().lines;
    if (line == 0 || line > lines.size()) return;
    // A tab is a gap.
    for (const std::string& word : words_in(lines[line - 1]))
        scene.instruction += (scene.instruction.empty() ? "" : " ") + word;
    const std::string& text = scene.instruction;
    for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1)) {
        std::size_t end = at + 1;
        while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end]))) ++end;
        std::string name = text.substr(at, end - at);
        const auto known = std::any_of(scene.registers.begin(), scene.registers.end(),
                                       [&](const ValueScene& one) { return one.name == name; });
        const auto& made = scene.its_registers;
        if (known && std::find(made.begin(), made.end(), name) == made.end())
            scene.its_registers.push_back(std::move(name));
    }
}

void add_lanes(Debugger& debugger, const Displays& displays, int level, Scene& scene) {
    for (const Display* one : displays.in_lanes()) {
        const std::string text = one->letter != 0 ? fmt::format("/{} {}", one->letter, one->text) : one->text;
        scene.watched.push_back({one->number, text, words_of(*one), displays.values(debugger, *one, level)});
    }
    scene.latest = displays.latest();
    scene.asks = displays.asks();
    if (scene.watched.empty()) {
        constexpr const char* kThread = "threadIdx.x";
        scene.watched.push_back({0, kThread, fmt::format("/w {}", kThread),
                                 lane_values(debugger, debugger.parse(kThread), scene.focus.warp, 0, 0)});
    }
    scene.lanes = scene.watched.front().values.lanes;
}

}  // namespace

std::vector<PathScene> paths_of(const Debugger& debugger, int warp) {
    const simt::SteppedBlock& block = debugger.block();
    std::vector<PathScene> made;
    bool called = false;  // the path before was, from this one
    std::uint32_t inner = 0;
    for (const simt::LanePlace& place : block.places(warp)) {
        const std::vector<const Scope*> scopes = debugger.text().functions_at(place.instruction);
        PathScene one;
        one.waits = made.empty() ? PathScene::Waits::no
                    : called     ? PathScene::Waits::for_return
                                 : PathScene::Waits::for_lanes;
        one.lanes = called ? place.lanes | inner : place.lanes;
        one.at = debugger.text().source_of(place.instruction);
        one.function = scopes.empty()
                           ? plain_symbol(block.program().functions[std::size_t(place.function)].name)
                           : scopes.front()->function;
        inner |= one.lanes;
        called = place.is_call;
        if (one.lanes != 0) made.push_back(std::move(one));
    }
    return made;
}

Scene scene_of(Debugger& debugger, const Displays& displays, const MemoryWatch& memory, int level) {
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
    if (!gone) {
        scene.paths = paths_of(debugger, scene.focus.warp);
        add_variables(debugger, level, scene);
        add_registers(debugger, level, scene);
        add_instruction(debugger, level, scene);
    }
    scene.memory = memory.cells(debugger, level);
    add_lanes(debugger, displays, level, scene);
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
