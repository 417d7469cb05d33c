// An experiment: its figure and sentence, a page for each plot, table and timeline that it has found out, and
// its controls. It knows nothing of what is tried.

#include <algorithm>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/error_line.h"
#include "app/texts/texts.h"
#include "app/views/views.h"
#include "app/views/words.h"

namespace ws {
namespace {

std::string_view sentence_of(const Outcome& outcome) {
    std::string_view all;
    for (const Message& sentence : outcome.sentences)
        all = all.empty() ? said(sentence) : text("{} {}", all, said(sentence));
    return all;
}

std::string_view page_title(const ExperimentScene& scene, ExperimentPage page) {
    switch (page.item) {
        case ExperimentItem::plot:
            return said(scene.outcome->plots[page.place].title);
        case ExperimentItem::table:
            return said(scene.outcome->tables[page.place].title);
        case ExperimentItem::timeline:
            return said(scene.outcome->timelines[page.place].title);
        case ExperimentItem::figures:
            break;
    }
    return say("experiment.figures");
}

// Which of the pages is shown.
void draw_page_buttons(const Stage& stage, Box room) {
    Canvas& canvas = stage.canvas;
    const ExperimentScene& scene = *stage.experiment;
    const int pages = experiment_pages(scene);
    // As wide as their words want, whether they are chosen or not; the margins give way first.
    float words = 0;
    for (int i = 0; i < pages; ++i)
        words += canvas.width(page_title(scene, experiment_page(scene, i)), Font::strong);
    const float gap = canvas.px(6);
    const float free = (room.w - words) / float(pages) - gap;
    const float pad = std::clamp(free, canvas.px(14), canvas.px(32));
    float x = room.x;
    for (int i = 0; i < pages; ++i) {
        const std::string_view title = page_title(scene, experiment_page(scene, i));
        const float wide = canvas.width(title, Font::strong) + pad;
        const bool chosen = stage.view.page % pages == i;
        ImGui::PushID(i);
        if (button(canvas, "item", {x, room.y, wide, room.h}, title,
                   chosen ? ButtonLook::chosen : ButtonLook::plain)
                .clicked)
            stage.edits.add(TurnPage{i});
        ImGui::PopID();
        x += wide + gap;
    }
}

void draw_run_button(const Stage& stage, Box room) {
    Canvas& canvas = stage.canvas;
    const ExperimentScene& scene = *stage.experiment;
    const std::string_view label = say(scene.running ? "experiment.stop" : "experiment.run");
    // As wide for both words, so that nothing moves.
    const float wide =
        std::max(button_width(canvas, say("experiment.stop")), button_width(canvas, say("experiment.run")));
    if (button(canvas, "run", room.right_part(wide), label,
               scene.running ? ButtonLook::outlined : ButtonLook::chosen)
            .clicked)
        stage.edits.add(scene.running ? Edit(StopExperiment{}) : Edit(RunExperiment{}));
    if (scene.running && scene.total > 0)
        canvas.text(room.before(wide + canvas.px(16)), say("experiment.progress", scene.done, scene.total),
                    Font::body, Ink::dim, Align::right);
}

void draw_result(const Stage& stage, Box room) {
    Canvas& canvas = stage.canvas;
    const ExperimentScene& scene = *stage.experiment;
    canvas.slot("headline", room);
    const Box head = room.top(canvas.px(64));
    const Box rest = room.below(canvas.px(70));
    const bool wrong = scene.outcome && scene.outcome->wrong;
    if (!scene.problem.empty() || wrong) {
        canvas.warning({head.x, head.y + canvas.px(8), canvas.px(50), canvas.px(44)}, Ink::alarm);
        canvas.text(head.after(canvas.px(68)),
                    wrong ? said(scene.outcome->headline) : say("experiment.failed"), Font::headline,
                    Ink::alarm);
        canvas.paragraph(rest, wrong ? sentence_of(*scene.outcome) : said_line(scene.problem), Font::body,
                         Ink::text);
        return;
    }
    if (!scene.outcome) {
        canvas.text(head, say("story.waiting"), Font::headline, Ink::dim);
        canvas.paragraph(rest, translated(scene.experiment->question), Font::body, Ink::text);
        return;
    }
    const Box sign = badge(canvas, head, scene.outcome->kind);
    canvas.text(head.before(head.right() - sign.x + canvas.px(12)), said(scene.outcome->headline),
                Font::headline, scene.stale ? Ink::dim : Ink::now);
    const std::string_view sentence = scene.outcome->complete
                                          ? sentence_of(*scene.outcome)
                                          : say("experiment.stopped", sentence_of(*scene.outcome));
    canvas.paragraph(rest, sentence, Font::body, scene.stale ? Ink::dim : Ink::text);
}

// ---- controls

std::string_view value_words(const Control& control, std::int64_t value) {
    if (const auto* choice = std::get_if<ChoiceControl>(&control.takes))
        return translated(choice->options[std::size_t(value)].title);
    if (std::holds_alternative<FlagControl>(control.takes)) return say(value ? "flag.on" : "flag.off");
    if (std::holds_alternative<BytesControl>(control.takes)) return byte_text(value);
    return text("{}", value);
}

// Where a value lies between the least and the highest, and back.
float place_of_value(const Control& control, std::int64_t value) {
    const auto low = double(low_of(control));
    const auto high = double(high_of(control));
    if (goes_by_powers(control)) return float(std::log2(double(value) / low) / std::log2(high / low));
    return float((double(value) - low) / (high - low));
}
std::int64_t value_at(const Control& control, float place) {
    const auto low = double(low_of(control));
    const auto high = double(high_of(control));
    if (goes_by_powers(control))
        return fitted(control,
                      std::int64_t(low * std::exp2(std::round(double(place) * std::log2(high / low)))));
    return fitted(control, std::llround(low + double(place) * (high - low)));
}

void draw_control(const Stage& stage, int number, Box box) {
    Canvas& canvas = stage.canvas;
    const ExperimentScene& scene = *stage.experiment;
    const Control& control = scene.experiment->controls[std::size_t(number)];
    const std::int64_t now = scene.values[std::size_t(number)];
    const Box words = box.top(box.h * 0.46f).inset(canvas.px(10), 0);
    const Box lever = box.below(box.h * 0.46f).inset(canvas.px(4), 0);
    canvas.fill(box, Ink::panel, 8);
    if (number == stage.view.experiment.control) canvas.frame(box, Ink::now_fill, 8);
    const std::string_view value = value_words(control, now);
    canvas.text(words.before(canvas.width(value, Font::axis_strong) + canvas.px(8)),
                translated(control.title), Font::axis, Ink::dim);
    canvas.text(words, value, Font::axis_strong, Ink::text, Align::right);
    const bool steps = std::holds_alternative<ChoiceControl>(control.takes) ||
                       std::holds_alternative<FlagControl>(control.takes);
    const int ticks = steps ? int(high_of(control) - low_of(control)) + 1 : 0;
    const float at = place_of_value(control, now);
    ImGui::PushID(number);
    const float moved = slider(canvas, "control", lever, at, ticks);
    ImGui::PopID();
    if (moved == at) return;
    const std::int64_t wanted = value_at(control, moved);
    if (wanted != now) stage.edits.add(SetControl{number, wanted});
}

void draw_controls(const Stage& stage, Box room) {
    stage.canvas.slot("strip", room);
    const int count = int(stage.experiment->experiment->controls.size());
    for (int i = 0; i < count; ++i) draw_control(stage, i, room.column(i, count, stage.canvas.px(12)));
}

// ---- the page

void draw_quoted(const Stage& stage, Box card) {
    Canvas& canvas = stage.canvas;
    const Box in = card_title(canvas, card, say("experiment.figures"), Kind::recorded);
    constexpr int kRows = 12;
    int row = 0;
    for (const QuotedFigure& figure : stage.experiment->experiment->figures) {
        if (row == kRows) return;
        const Box line = in.row(row++, kRows, 0);
        canvas.text(line.left(in.w * 0.36f), translated(figure.what), Font::body, Ink::text);
        canvas.text(line.after(in.w * 0.36f).left(in.w * 0.18f), text("{:g} {}", figure.value, figure.unit),
                    Font::strong, Ink::text, Align::right);
        canvas.text(line.after(in.w * 0.58f), figure.source, Font::axis, Ink::dim);
    }
    if (!stage.experiment->outcome) return;
    // What has to be said of the run itself.
    row = std::max(row + 1, kRows / 3);
    for (const Message& note : stage.experiment->outcome->notes) {
        if (row + 2 > kRows) return;
        const Box lines{in.x, in.row(row, kRows, 0).y, in.w, 2 * in.row(0, kRows, 0).h};
        canvas.paragraph(lines, said(note), Font::axis, Ink::dim);
        row += 2;
    }
}

}  // namespace

int experiment_pages(const ExperimentScene& scene) {
    const std::size_t found = scene.outcome ? scene.outcome->plots.size() + scene.outcome->tables.size() +
                                                  scene.outcome->timelines.size()
                                            : 0;
    return int(found) + 1;
}

ExperimentPage experiment_page(const ExperimentScene& scene, int page) {
    auto place = std::size_t(page % experiment_pages(scene));
    if (!scene.outcome) return {};
    const Outcome& outcome = *scene.outcome;
    if (place < outcome.plots.size()) return {ExperimentItem::plot, place};
    place -= outcome.plots.size();
    if (place < outcome.tables.size()) return {ExperimentItem::table, place};
    place -= outcome.tables.size();
    if (place < outcome.timelines.size()) return {ExperimentItem::timeline, place};
    return {};
}

void draw_experiment(const Stage& stage) {
    const Slots& slots = stage.slots;
    const ExperimentScene& scene = *stage.experiment;
    // One row for both where there is room.
    const Box row = slots.narrow ? slots.controls
                                 : Box{slots.controls.x, slots.controls.y, slots.content.w, slots.controls.h};
    const Box run = slots.narrow ? slots.tabs : row.right_part(row.w * 0.19f);
    stage.canvas.slot("controls", row);
    draw_page_buttons(stage, slots.narrow ? row : row.left(row.w * 0.8f));
    draw_run_button(stage, run);
    draw_result(stage, slots.page_headline);
    stage.canvas.slot("page", slots.page);
    const ExperimentPage page = experiment_page(scene, stage.view.page);
    switch (page.item) {
        case ExperimentItem::plot:
            draw_plot(stage, slots.page, scene.outcome->plots[page.place]);
            break;
        case ExperimentItem::table:
            draw_table(stage, slots.page, scene.outcome->tables[page.place],
                       kind_of(scene.outcome->tables[page.place], scene.outcome->kind));
            break;
        case ExperimentItem::timeline:
            draw_timeline(stage, slots.page, scene.outcome->timelines[page.place]);
            break;
        case ExperimentItem::figures:
            draw_quoted(stage, slots.page);
            break;
    }
    draw_controls(stage, slots.strip);
}

}  // namespace ws
