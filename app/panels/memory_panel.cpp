#include <imgui.h>

#include "app/panels/panels.h"
#include "app/widgets/text.h"
#include "gpu/analysis/comparison.h"
#include "gpu/core/traffic_unit.h"

namespace ws {
namespace {

std::string_view count_text(double value) {
    if (value >= 1e9) return text("{:.2f} G", value / 1e9);
    if (value >= 1e6) return text("{:.2f} M", value / 1e6);
    if (value >= 1e4) return text("{:.1f} k", value / 1e3);
    return text("{:.0f}", value);
}

std::string_view value_text(Form form, double value) {
    switch (form) {
        case Form::time:
            return time_text(value);
        case Form::count:
            return count_text(value);
        case Form::percent:
            return text("{:.1f} %", 100 * value);
        case Form::ratio:
            break;
    }
    return text("{:.2f}", value);
}

ImVec4 color_of(Change change) {
    if (change == Change::better) return kGood;
    return change == Change::worse ? kBad : ImGui::GetStyleColorVec4(ImGuiCol_Text);
}

void draw_row(const Quantity& quantity, const StepResult& now, const StepResult* baseline, bool dimmed) {
    const bool has_now = quantity.present(now);
    const bool has_baseline = baseline && quantity.present(*baseline);
    if (!has_now && !has_baseline) return;
    const double value = quantity.of(now);
    const double old = has_baseline ? quantity.of(*baseline) : 0;
    const Change change = has_baseline && has_now ? change_of(quantity, value, old) : Change::same;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    const std::string_view unit = traffic_unit(now.key.gpu.limits.capability);
    ImGui::TextUnformatted(text(fmt::runtime(quantity.label), unit, singular(unit)).data());
    ImGui::TableNextColumn();
    ImGui::TextColored(dimmed ? kDim : color_of(change), "%s",
                       has_now ? value_text(quantity.form, value).data() : "–");
    ImGui::TableNextColumn();
    ImGui::TextColored(kDim, "%s", has_baseline ? value_text(quantity.form, old).data() : "–");
}

void draw_table(const StepSnapshot& step) {
    const Baseline& baseline = step.baseline;
    const StepResult* compared = baseline.result ? &*baseline.result : nullptr;
    if (!ImGui::BeginTable("memory", 3, ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH))
        return;
    ImGui::TableSetupColumn("whole launch");
    ImGui::TableSetupColumn("now");
    ImGui::TableSetupColumn(baseline.version < 0 ? "" : text("V{}", baseline.version).data());
    ImGui::TableHeadersRow();
    for (const Quantity& quantity : quantities()) draw_row(quantity, *step.result, compared, step.stale);
    ImGui::EndTable();
}

// What the baseline column shows, or why it is empty.
void draw_baseline(const StepSnapshot& step) {
    const Baseline& baseline = step.baseline;
    if (baseline.version < 0 || step.stale) return;
    if (!baseline.problem.empty()) {
        wrapped(kDim, text("No comparison with V{}: {}.", baseline.version, baseline.problem));
    } else if (!baseline.result) {
        wrapped(kDim, text("Counting the baseline V{}...", baseline.version));
    } else {
        if (!baseline.verdict.empty()) wrapped(kWarning, baseline.verdict);
        const bool sum = baseline.result->key.launch.step != step.step;
        wrapped(
            kDim,
            text("Now: block {}. Baseline V{}: block {}{}. Green: less work or traffic than the baseline; "
                 "red: more. Ratios have no color: either side can change them.",
                 to_string(step.result->key.launch.block), baseline.version,
                 to_string(baseline.result->key.launch.block), sum ? " and the other steps' own" : ""));
    }
}

}  // namespace

// What the chosen stage's kernel does to global and shared memory and how its warps diverge, counted by the
// simulated GPU.
void draw_memory(const Snapshot& snapshot, const ViewState& view, Edits& edits) {
    const StepSnapshot& step = choose_step("memory", snapshot, view, edits);
    if (!step.counters_problem.empty()) wrapped(kBad, step.counters_problem);
    if (!step.result) {
        if (step.counters_problem.empty())
            wrapped(kDim, snapshot.compiler_missing
                              ? text("Counting needs the kernel compiler: {}", snapshot.compiler)
                              : std::string_view("counting..."));
        return;
    }
    const KernelCounters& counters = *step.result->counters;
    if (step.stale)
        wrapped(kWarning, text("Counts of {}, {}, on {}; counting the current choice...", counters.kernel,
                               to_string(step.result->key.launch.block), counters.gpu));
    if (const auto& estimate = step.result->estimate; estimate && estimate->ms > 0) {
        wrapped(step.stale ? kDim : kAccent,
                text("estimated {} on {}: {}", time_text(estimate->ms), counters.gpu, estimate->diagnosis));
        wrapped(kDim, estimate->reason);
    }
    for (const Finding& finding : counters.findings)
        wrapped(kBad, text("{}: {}", name_of(finding.kind), finding.message));
    draw_table(step);
    draw_baseline(step);
    wrapped(kDim, text("Counted on a simulated {2} in {0} of {1} blocks and scaled: every border and corner, "
                       "and inside, a block for each alignment to 32 bytes. The caches are a model.",
                       counters.blocks_simulated, counters.blocks_total, counters.gpu));
}

}  // namespace ws
