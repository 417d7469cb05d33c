#include <imgui.h>

#include "app/panels/panels.h"
#include "app/widgets/text.h"

namespace ws {

// What the compiler made of the chosen stage's kernel.
void draw_compile_report(const Snapshot& snapshot, Settings& settings) {
    const StageSnapshot& stage = choose_stage("report", snapshot, settings);
    if (snapshot.compiler_missing) {
        wrapped(kBad, snapshot.compiler);
        return;
    }
    if (!stage.compile_error.empty()) wrapped(kBad, stage.compile_error);
    if (!stage.kernel) {
        if (stage.compile_error.empty()) wrapped(kDim, "compiling...");
        return;
    }
    const CompileReport& report = stage.kernel->report;
    if (ImGui::BeginTable("report", 2, ImGuiTableFlags_SizingStretchProp)) {
        table_row("kernel", stage.source.path.empty() ? text("{}.cu", stage.source.name)
                                                      : std::string_view(stage.source.path));
        table_row("code", text("{} by {}", report.architecture, report.compiler));
        table_row("registers per thread",
                  report.register_cap > 0 ? text("{} (at most {}, so that {} threads fit)", report.registers,
                                                 report.register_cap, stage.block.threads())
                                          : text("{}", report.registers));
        table_row("shared memory per block", text("{} bytes", report.shared_bytes));
        table_row("local memory per thread", text("{} bytes", report.local_bytes));
        table_row("constant memory", text("{} bytes", report.constant_bytes));
        table_row("spills", report.spill_store_bytes + report.spill_load_bytes == 0
                                ? "none"
                                : text("{} bytes stored, {} loaded", report.spill_store_bytes,
                                       report.spill_load_bytes));
        table_row("compiled in",
                  text("{:.0f} ms{}", report.milliseconds, report.from_cache ? ", now from the cache" : ""));
        ImGui::EndTable();
    }
    if (ImGui::TreeNode("log")) {
        wrapped(kDim, report.log.empty() ? std::string_view("empty") : report.log);
        ImGui::TreePop();
    }
}

}  // namespace ws
