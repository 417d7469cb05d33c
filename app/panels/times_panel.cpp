#include <imgui.h>

#include "app/panels/panels.h"
#include "app/widgets/plot.h"
#include "app/widgets/text.h"

namespace ws {
namespace {

void time_row(const char* label, const Statistics& time, double bytes, const GpuProfile& gpu) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(label);
    if (time.samples == 0) {
        ImGui::TableNextColumn();
        ImGui::TextColored(kDim, "–");
        return;
    }
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(time_text(time.median).data());
    ImGui::TableNextColumn();
    ImGui::TextColored(kDim, "%s", time_text(time.spread()).data());
    ImGui::TableNextColumn();
    if (bytes > 0) {
        const double gb_s = bytes / (time.median * 1e6);
        ImGui::TextUnformatted(text("{:.0f}", gb_s).data());
        ImGui::TableNextColumn();
        if (gpu.bandwidth_gb_s > 0)
            ImGui::TextUnformatted(text("{:.0f} %", 100 * gb_s / gpu.bandwidth_gb_s).data());
    }
}

// Of the kernel that a version is about.
Block main_block(const Lab& lab, const VersionTimes& times) {
    for (const int step : lab.by_weight) {
        if (times.steps[std::size_t(step)].samples > 0) return times.blocks[std::size_t(step)];
    }
    return {};
}

// The speedup over version `with` in its latest block.
void compare(const Snapshot& snapshot, int with) {
    if (with < 0 || with == snapshot.work.version) return;
    const auto found = snapshot.version_times.find(with);
    if (found == snapshot.version_times.end() || found->second.total_ms.samples == 0) {
        ImGui::TextColored(kDim, "baseline V%d: not measured yet", with);
        return;
    }
    const Statistics& other = found->second.total_ms;
    ImGui::TextUnformatted(
        text("baseline V{} (block {}):", with, to_string(main_block(*snapshot.work.lab, found->second)))
            .data());
    ImGui::SameLine();
    const double factor = snapshot.total_ms.median > 0 ? other.median / snapshot.total_ms.median : 0;
    if (!differ(other, snapshot.total_ms)) {
        ImGui::TextColored(kDim, "within noise");
    } else {
        ImGui::TextColored(factor >= 1 ? kGood : kBad, "%.2fx as fast", factor);
        const Baseline& baseline = main_step(snapshot).baseline;
        if (factor >= 1 || baseline.version != with || !baseline.result) return;
        wrapped(kWarning, baseline.causes.empty()
                              ? std::string_view("Measured slower; the counts do not show why.")
                              : text("Measured slower: {}.", baseline.causes));
    }
}

void samples_line(const Snapshot& snapshot) {
    int launches = 0;
    for (const StepSnapshot& step : snapshot.steps) launches = std::max(launches, step.launches_per_sample);
    std::string_view line = launches > 1
                                ? text("{} samples of up to {} launches", snapshot.total_ms.samples, launches)
                                : text("{} samples of one run", snapshot.total_ms.samples);
    if (snapshot.clock_mhz) line = text("{}, clock {} MHz", line, *snapshot.clock_mhz);
    if (snapshot.warming_up) line = "warming up";
    if (snapshot.stale) line = text("{}; these times are still of the previous picture", line);
    wrapped(kDim, line);
}

// The estimate on the screen, though it may be of the previous block; null if there is none.
const Estimate* latest_estimate(const StepSnapshot& step) {
    const bool known = step.result && step.result->estimate && step.result->estimate->ms > 0;
    return known ? &*step.result->estimate : nullptr;
}

// A simulated GPU takes no time of its own: this table shows estimates and says so.
void draw_estimates(const Snapshot& snapshot) {
    double sum = 0;
    bool complete = true;
    bool stale = false;
    if (ImGui::BeginTable("estimates", 3,
                          ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH)) {
        ImGui::TableSetupColumn("stage");
        ImGui::TableSetupColumn("estimate");
        ImGui::TableSetupColumn("bound by");
        ImGui::TableHeadersRow();
        const ImVec4 plain = ImGui::GetStyleColorVec4(ImGuiCol_Text);
        for (const StepSnapshot& step : snapshot.steps) {
            if (!step.runs) continue;
            ImGui::TableNextRow();
            ImGui::TableNextColumn();
            ImGui::TextUnformatted(text("{}", step.name).data());
            ImGui::TableNextColumn();
            const Estimate* estimate = latest_estimate(step);
            complete = complete && estimate;
            stale = stale || step.stale;
            if (!estimate) {
                ImGui::TextColored(kDim, "–");
                continue;
            }
            sum += estimate->ms;
            const ImVec4& color = step.stale ? kDim : plain;
            ImGui::TextColored(color, "%s", time_text(estimate->ms).data());
            ImGui::TableNextColumn();
            ImGui::TextColored(color, "%s", estimate->bounds.front().name.c_str());
        }
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        ImGui::TextUnformatted("total");
        ImGui::TableNextColumn();
        // A sum of what is and what was is neither.
        ImGui::TextColored(complete && !stale ? plain : kDim, "%s",
                           complete && !stale ? time_text(sum).data() : "–");
        ImGui::EndTable();
    }
    if (stale) wrapped(kDim, "Dimmed: the previous choice; counting the current one...");
    wrapped(kDim, text("Estimated, not measured: the time on a real {}, from counts, throughputs and "
                       "occupancy. How long "
                       "the simulation takes says nothing about it.",
                       snapshot.target.name));
}

}  // namespace

// Times by stage with their spread, bandwidth, comparison with other versions.
void draw_times(const Snapshot& snapshot, const ViewState& view, Edits& edits) {
    if (!runs_anything(snapshot.work)) {
        wrapped(kDim, "What is shown needs no kernel: choose another view.");
        return;
    }
    if (snapshot.device.can.shows_progress) {
        draw_estimates(snapshot);
        return;
    }
    const bool on_gpu = snapshot.device.can.measures_time;
    static const GpuProfile none;
    const GpuProfile& gpu = on_gpu ? snapshot.device.profile : none;
    constexpr auto kFlags = ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH;
    if (ImGui::BeginTable("times", on_gpu ? 5 : 4, kFlags)) {
        ImGui::TableSetupColumn("stage");
        ImGui::TableSetupColumn("median");
        ImGui::TableSetupColumn("spread");
        ImGui::TableSetupColumn("GB/s");
        if (on_gpu) ImGui::TableSetupColumn("of peak");
        ImGui::TableHeadersRow();
        double bytes = 0;
        for (const StepSnapshot& step : snapshot.steps) {
            if (!is_listed(snapshot, step)) continue;
            if (step.runs) bytes += step.least_bytes;
            // While the times are of other work, they have nothing to do with the bytes of this.
            time_row(text("{}", step.name).data(), step.runs ? step.time_ms : Statistics{},
                     snapshot.stale ? 0 : step.least_bytes, gpu);
        }
        time_row("total", snapshot.total_ms, snapshot.stale ? 0 : bytes, gpu);
        if (!on_gpu) time_row("in one pass", snapshot.one_pass_ms, 0, gpu);
        time_row("map", snapshot.map_ms, 0, gpu);
        time_row("unmap", snapshot.unmap_ms, 0, gpu);
        ImGui::EndTable();
    }
    samples_line(snapshot);
    history_plot("##history", snapshot.total_history_ms, ImGui::GetContentRegionAvail().x, 2.4f * em());

    if (on_gpu) {
        const Lab& lab = *snapshot.work.lab;
        const int first = lab.versions.front().number;
        compare(snapshot, first);
        const Version* before = version_before(lab, snapshot.work.version);
        if (before && before->number != first) compare(snapshot, before->number);
        if (view.measuring_from) {
            if (ImGui::Button("stop measuring")) edits.add(MeasureAll{});
        } else if (ImGui::Button("measure all versions")) {
            edits.add(MeasureAll{snapshot.work.version});
        }
        wrapped(kDim,
                text("GB/s: each byte read once and written once; the peak is {:.0f} GB/s. Spread: the range "
                     "of the "
                     "middle half of the samples. Map and unmap: CPU time.{}",
                     gpu.bandwidth_gb_s,
                     double(bytes_of(lab.buffers.front(), snapshot.size)) < 1024.0 * gpu.l2_kib
                         ? " The input fits into the L2 cache, so more than the memory's peak is possible."
                         : ""));
    } else {
        wrapped(
            kDim,
            "The native pipeline runs no kernels: versions and blocks change the occupancy and the compile "
            "report, not these times. Spread: the range of the middle half of the samples.");
    }
}

}  // namespace ws
