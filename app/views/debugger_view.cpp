// The page of the debugger: one block of the kernel, step by step, forwards and backwards.

#include <array>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/error_line.h"
#include "app/texts/texts.h"
#include "app/views/debugger_parts.h"
#include "app/views/parts.h"
#include "app/views/words.h"

namespace ws {
namespace {

using StopWhy = debug::Stop::Why;

std::string_view coordinates_text(const std::array<int, 3>& at) {
    return text("({}, {}, {})", at[0], at[1], at[2]);
}

// ---- the headline

struct DebugHeadline {
    std::string_view words, sentence;
    bool alarm = false;
};

std::string_view where_sentence(const DebugScene& scene) {
    const debug::Scene& now = scene.now;
    return say("debug.where", scene.file, coordinates_text(now.block), coordinates_text(now.thread),
               now.focus.warp, now.focus.lane, now.step, now.recorded);
}

DebugHeadline halted(const DebugScene& scene) {
    const debug::Scene& now = scene.now;
    const int line = now.at.line;
    const std::string_view where = where_sentence(scene);
    if (!scene.halt) return {line > 0 ? say("debug.line", line) : say("debug.beginning"), where};
    const debug::Stop& stop = scene.halt->stop;
    switch (stop.why) {
        case StopWhy::breakpoint:
            return {say("debug.breakpoint", stop.number, line), where};
        case StopWhy::watch:
            return {text("{}: {} → {}", scene.halt->watched, stop.before, stop.after),
                    scene.halt->backwards ? say("debug.will_change", line, where)
                                          : say("debug.has_changed", where)};
        case StopWhy::finding:
            return {say("debug.finding", line), said_line(stop.text), true};
        case StopWhy::failed:
            return {say("debug.failed"), said_line(stop.text), true};
        case StopWhy::ended:
            return {say("debug.ended"), where};
        case StopWhy::beginning:
            return {say("debug.beginning"), where};
        case StopWhy::warp_ended:
            return {say("debug.warp_ended", now.focus.warp), where};
        case StopWhy::only_frozen:
            return {say("debug.only_frozen"), where};
        case StopWhy::interrupted:
            return {say("debug.paused", line), where};
        case StopWhy::endless:
            return {say("debug.endless"), where};
        case StopWhy::moved:
            break;
    }
    return {line > 0 ? say("debug.line", line) : say("debug.unknown_line", now.step), where};
}

DebugHeadline headline_of(const DebuggerPage& page) {
    if (!page.problem.empty()) return {say("debug.none"), said_line(page.problem), true};
    if (!page.scene) return {say("debug.begins"), say("debug.begins.sentence")};
    DebugHeadline made = halted(*page.scene);
    if (page.running) made.words = say("debug.running");
    return made;
}

void draw_debug_headline(const Stage& stage, const DebugHeadline& headline) {
    Canvas& canvas = stage.canvas;
    const Box room = stage.slots.page_headline;
    canvas.slot("headline", room);
    Box head = room.top(canvas.px(64));
    if (headline.alarm) {
        canvas.warning({head.x, head.y + canvas.px(8), canvas.px(50), canvas.px(44)}, Ink::alarm);
        head = head.after(canvas.px(68));
    }
    canvas.text(head, shortened(canvas, headline.words, Font::headline, head.w), Font::headline,
                headline.alarm ? Ink::alarm : Ink::now);
    const Box rest = room.below(canvas.px(70));
    // Of a message of several lines the first.
    const std::string_view line = headline.sentence.substr(0, headline.sentence.find('\n'));
    const bool over = ImGui::IsMouseHoveringRect({room.x, room.y}, {room.right(), room.bottom()});
    canvas.tooltip({.hovered = over && headline.alarm, .box = room}, headline.sentence);
    canvas.text(rest.top(canvas.px(34)), shortened(canvas, line, Font::body, rest.w), Font::body, Ink::text);
}

// ---- what can be done

struct DebugButton {
    std::string_view key;  // of its text; its tip is "KEY.tip"
    Edit edit;
};

void draw_actions(const Stage& stage, Box room) {
    Canvas& canvas = stage.canvas;
    canvas.slot("actions", room);
    const DebuggerPage& page = *stage.debugger;
    static const std::array kButtons{DebugButton{"debug.run", DebugCommand{"run"}},
                                     DebugButton{"debug.reverse_continue", DebugCommand{"reverse-continue"}},
                                     DebugButton{"debug.reverse_step", DebugCommand{"reverse-step"}},
                                     DebugButton{"debug.reverse_stepi", DebugCommand{"reverse-stepi"}},
                                     DebugButton{"debug.stepi", DebugCommand{"stepi"}},
                                     DebugButton{"debug.step", DebugCommand{"step"}},
                                     DebugButton{"debug.continue", DebugCommand{"continue"}},
                                     DebugButton{"debug.pause", PauseDebugger{}},
                                     DebugButton{"debug.freeze", ToggleFreeze{}}};
    bool frozen = false;
    if (page.scene) {
        for (const debug::WarpScene& warp : page.scene->now.warps) frozen |= warp.frozen;
    }
    const int rows = stage.slots.narrow ? 2 : 1;
    const int each = (int(kButtons.size()) + rows - 1) / rows;
    for (int i = 0; i < int(kButtons.size()); ++i) {
        const DebugButton& one = kButtons[std::size_t(i)];
        const bool pauses = one.key == "debug.pause";
        const bool freezes = one.key == "debug.freeze";
        const bool lit = (pauses && page.running) || (freezes && frozen);
        const Box box = room.row(i / each, rows, canvas.px(8)).column(i % each, each, canvas.px(8));
        ImGui::PushID(i);
        const Touch touch = button(canvas, "action", box, say(freezes && frozen ? "debug.thaw" : one.key),
                                   lit ? ButtonLook::outlined : ButtonLook::plain);
        ImGui::PopID();
        canvas.tooltip(touch, say(text("{}.tip", one.key)));
        if (touch.clicked) stage.edits.add(one.edit);
    }
}

void draw_debug_values(const DebugStage& debug, Box room) {
    Canvas& canvas = debug.stage.canvas;
    const float gap = canvas.px(12);
    const Box lanes = room.top(canvas.px(216));
    draw_debugged_lanes(debug, lanes);
    const Box rest = room.below(lanes.h + gap);
    const Box left = rest.column(0, 2, gap);
    const Box right = rest.column(1, 2, gap);
    if (!has_debugged_place(debug)) {
        draw_debugged_warps(debug, left);
        draw_debugged_values(debug, right);
        return;
    }
    const float warps = std::round(std::min(left.h * 0.5f, debugged_warps_height(debug)));
    draw_debugged_warps(debug, left.top(warps));
    draw_debugged_place(debug, left.below(warps + gap));
    draw_debugged_values(debug, right);
}

void draw_debug_source(const DebugStage& debug, Box room) {
    const float console = debug.stage.canvas.px(166);
    draw_debugged_code(debug, room.above(console + debug.stage.canvas.px(12)));
    draw_debug_console(debug, room.bottom_part(console));
}

}  // namespace

Box debug_card(Canvas& canvas, Box card, std::string_view title) {
    canvas.card(card);
    const Box in = card.inset(canvas.px(16), 0);
    canvas.text(in.top(canvas.px(kDebugCardHead)), title, Font::strong, Ink::text);
    return in.below(canvas.px(kDebugCardHead)).above(canvas.px(kDebugCardFoot));
}

void draw_changed(Canvas& canvas, Box cell) {
    const float size = canvas.px(11);
    const float edge = canvas.px(2);
    const ImVec2 corner{cell.x + edge, cell.y + edge};
    canvas.triangle(corner, {corner.x + size, corner.y}, {corner.x, corner.y + size}, Ink::text);
}

std::string_view shortened(const Canvas& canvas, std::string_view all, Font font, float wide) {
    if (canvas.width(all, font) <= wide) return all;
    const float most = wide - canvas.width("…", font);
    std::size_t end = 0;
    for (std::size_t next = 0; next < all.size();) {
        ++next;
        while (next < all.size() && (static_cast<unsigned char>(all[next]) & 0xC0) == 0x80) ++next;
        if (canvas.width(all.substr(0, next), font) > most) break;
        end = next;
    }
    return text("{}…", all.substr(0, end));
}

// The file of the command line, where there is one, and the kernels of the version.
void draw_debugger_controls(const Stage& stage) {
    Canvas& canvas = stage.canvas;
    canvas.slot("controls", stage.slots.controls);
    const bool of_file = stage.debugger && !stage.debugger->file.empty() && stage.view.debugger.file;
    ButtonRow row(canvas, stage.slots.controls);
    if (stage.debugger && !stage.debugger->file.empty()) {
        const std::string_view name = short_name(stage.debugger->file, 24);
        if (row.add("file", name, of_file ? ButtonLook::chosen : ButtonLook::plain).clicked)
            stage.edits.add(DebugFile{true});
        row.skip(canvas.px(16));
    }
    const StepSnapshot& chosen = chosen_step(stage.snapshot, stage.view.preferences.step);
    for (const StepSnapshot& step : stage.snapshot.steps) {
        const std::string_view name = translated(step.name);
        if (!is_listed(stage.snapshot, step) || button_width(canvas, name) > row.rest().w) continue;
        const bool now = &step == &chosen && !of_file;
        ImGui::PushID(step.step);
        if (row.add("step", name, now ? ButtonLook::chosen : ButtonLook::plain).clicked) {
            stage.edits.add(InspectStep{std::string(step.name)});
            stage.edits.add(DebugFile{false});
        }
        ImGui::PopID();
    }
}

void draw_debugger(const Stage& stage) {
    static const DebuggerPage kNone;
    const DebuggerPage& page = stage.debugger ? *stage.debugger : kNone;
    Canvas& canvas = stage.canvas;
    draw_debug_headline(stage, headline_of(page));
    Box rest = stage.slots.page;
    if (!page.scene) {
        canvas.slot("code", rest);
        canvas.card(rest);
        const Box in = rest.inset(canvas.px(24));
        canvas.paragraph(in, page.problem.empty() ? say("debug.hint") : said_line(page.problem), Font::body,
                         Ink::dim);
        return;
    }
    const float actions = canvas.px(stage.slots.narrow ? 100 : 48);
    draw_actions(stage, rest.top(actions));
    rest = rest.below(actions + canvas.px(12));
    const DebugStage debug{stage, page, *page.scene};
    const int shown = turn_pages(stage, rest, 2);
    if (shown == 0) return draw_debug_source(debug, rest);
    if (shown == 1) return draw_debug_values(debug, rest);
    const float left = std::round(rest.w * 0.515f);
    draw_debug_source(debug, rest.left(left));
    draw_debug_values(debug, rest.after(left + canvas.px(16)));
}

}  // namespace ws
