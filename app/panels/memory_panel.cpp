#include <imgui.h>

#include "app/panels/panels.h"
#include "app/widgets/text.h"

namespace ws {
namespace {

std::string_view count_text(double value) {
    if (value >= 1e9) return text("{:.2f} G", value / 1e9);
    if (value >= 1e6) return text("{:.2f} M", value / 1e6);
    if (value >= 1e4) return text("{:.1f} k", value / 1e3);
    return text("{:.0f}", value);
}

// One quantity now and in the version before; `better` is -1 where less is better, 1 where more is.
struct Row {
    const char* label;
    double now = 0;
    double before = 0;
    const char* unit = "";  // "%" multiplies by 100, "#" counts
    int better = 0;
    bool present = true;
    bool comparable = true;  // false: the version before has nothing of the kind
};

std::string_view value_text(const Row& row, double value) {
    if (row.unit[0] == '%') return text("{:.1f} %", 100 * value);
    if (row.unit[0] == '#') return count_text(value);
    return text("{:.2f}", value);
}

void draw_row(const Row& row, bool compared) {
    if (!row.present) return;
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(row.label);
    ImGui::TableNextColumn();
    const double change = row.before != 0 ? row.now / row.before - 1 : 0;
    compared = compared && row.comparable;
    const bool same = !compared || row.before == row.now || (row.before != 0 && std::abs(change) < 0.005);
    const ImVec4 color = same ? ImGui::GetStyleColorVec4(ImGuiCol_Text)
                         : (row.now < row.before) == (row.better < 0) ? kGood
                                                                      : kBad;
    ImGui::TextColored(color, "%s", value_text(row, row.now).data());
    ImGui::TableNextColumn();
    ImGui::TextColored(kDim, "%s", compared ? value_text(row, row.before).data() : "–");
}

double over_fetch(const TrafficCounts& traffic) {
    return traffic.bytes_requested ? double(traffic.bytes_moved) / double(traffic.bytes_requested) - 1 : 0;
}

double per_request(const SharedCounts& load, const SharedCounts& store) {
    const double requests = double(load.requests + store.requests);
    return requests > 0 ? double(load.wavefronts + store.wavefronts) / requests : 0;
}

double share(std::uint64_t part, std::uint64_t whole) {
    return whole ? double(part) / double(whole) : 0;
}

void draw_table(const KernelCounters& now, const KernelCounters* before, int version_before) {
    const KernelCounters none;
    const KernelCounters& old = before ? *before : none;
    const InstructionCounts& n = now.total;
    const InstructionCounts& o = old.total;
    const bool shared = n.shared_load.requests + n.shared_store.requests + o.shared_load.requests > 0;
    const bool shared_now = n.shared_load.requests + n.shared_store.requests > 0;
    const bool shared_before = o.shared_load.requests + o.shared_store.requests > 0;
    const bool local = n.local_load.requests + n.local_store.requests + o.local_load.requests > 0;
    const Row rows[] = {
        {"transactions per load", n.global_load.transactions_per_request(),
         o.global_load.transactions_per_request(), "", -1},
        {"transactions per store", n.global_store.transactions_per_request(),
         o.global_store.transactions_per_request(), "", -1},
        {"load requests", double(n.global_load.requests), double(o.global_load.requests), "#", -1},
        {"load transactions", double(n.global_load.transactions), double(o.global_load.transactions), "#",
         -1},
        {"load efficiency", n.global_load.efficiency(), o.global_load.efficiency(), "%", 1},
        {"load over-fetch", over_fetch(n.global_load), over_fetch(o.global_load), "%", -1},
        {"store efficiency", n.global_store.efficiency(), o.global_store.efficiency(), "%", 1},
        {"shared passes per request", per_request(n.shared_load, n.shared_store),
         per_request(o.shared_load, o.shared_store), "", -1, shared_now, shared_before},
        {"shared requests", double(n.shared_load.requests + n.shared_store.requests),
         double(o.shared_load.requests + o.shared_store.requests), "#", -1, shared, shared_before},
        {"bank conflicts, worst degree",
         double(std::max(n.shared_load.conflict_degree_max, n.shared_store.conflict_degree_max)),
         double(std::max(o.shared_load.conflict_degree_max, o.shared_store.conflict_degree_max)), "#", -1,
         shared_now, shared_before},
        {"shared efficiency", n.shared_efficiency(), o.shared_efficiency(), "%", 1, shared_now,
         shared_before},
        {"local transactions (spills)", double(n.local_load.transactions + n.local_store.transactions),
         double(o.local_load.transactions + o.local_store.transactions), "#", -1, local},
        {"lanes at work", n.warp_execution_efficiency(), o.warp_execution_efficiency(), "%", 1},
        {"divergent branches", share(n.divergent_branches, n.branches),
         share(o.divergent_branches, o.branches), "%", -1},
        {"warp instructions", double(n.instructions), double(o.instructions), "#", -1},
        {"bytes per instruction", n.bytes_per_instruction(), o.bytes_per_instruction(), "", -1},
        {"float operations per byte", n.arithmetic_intensity(), o.arithmetic_intensity(), "", 1,
         n.float_operations > 0},
        {"L1 hits (model)", share(now.caches.l1_hits, now.caches.l1_sectors),
         share(old.caches.l1_hits, old.caches.l1_sectors), "%", 1, now.caches.l1_sectors > 0},
        {"L2 hits (model)", share(now.caches.l2_hits, now.caches.l2_sectors),
         share(old.caches.l2_hits, old.caches.l2_sectors), "%", 1, now.caches.l2_sectors > 0},
    };
    if (!ImGui::BeginTable("memory", 3, ImGuiTableFlags_SizingStretchProp | ImGuiTableFlags_BordersInnerH))
        return;
    ImGui::TableSetupColumn("of the whole picture");
    ImGui::TableSetupColumn("now");
    ImGui::TableSetupColumn(version_before >= 0 ? text("V{}", version_before).data() : "before");
    ImGui::TableHeadersRow();
    for (const Row& row : rows) draw_row(row, before != nullptr);
    ImGui::EndTable();
}

}  // namespace

// What the chosen stage's kernel does to memory, banks and lanes, counted by the simulated GPU.
void draw_memory(const Snapshot& snapshot, Settings& settings) {
    const StageSnapshot& stage = choose_stage("memory", snapshot, settings);
    if (!stage.counters_problem.empty()) wrapped(kBad, stage.counters_problem);
    if (!stage.counters) {
        if (stage.counters_problem.empty())
            wrapped(kDim, snapshot.compiler_missing
                              ? text("Counting needs the kernel compiler: {}", snapshot.compiler)
                              : std::string_view("counting..."));
        return;
    }
    const KernelCounters& counters = *stage.counters;
    if (stage.estimate && stage.estimate->ms > 0) {
        wrapped(kAccent, text("estimated {} on {}: {}", time_text(stage.estimate->ms), counters.gpu,
                              stage.estimate->diagnosis));
        wrapped(kDim, stage.estimate->reason);
    }
    for (const Finding& finding : counters.findings)
        wrapped(kBad, text("{}: {}", name_of(finding.kind), finding.message));
    const bool compared = stage.version_before >= 0 && stage.counters_before;
    draw_table(counters, compared ? stage.counters_before.get() : nullptr, stage.version_before);
    if (!compared && stage.version_before >= 0)
        wrapped(kDim, text("V{} is counted for comparison...", stage.version_before));
    if (compared) wrapped(kDim, "Green is better than in the version before, red is worse.");
    wrapped(kDim, text("{}Scaled from {} of {} blocks on a simulated {}: every border and corner, and "
                       "in the interior each "
                       "alignment of a block to 32 bytes. The caches are a model that starts empty.",
                       stage.counters_stale ? "Of the kernel before; counting... " : "",
                       counters.blocks_simulated, counters.blocks_total, counters.gpu));
}

}  // namespace ws
