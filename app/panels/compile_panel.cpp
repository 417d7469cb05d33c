#include <imgui.h>

#include "app/panels/panels.h"
#include "app/widgets/text.h"

namespace ws {

namespace {

// What only the assembler knows.
void machine_rows(const CompileReport& report, Block block) {
    table_row("registers per thread", report.register_cap > 0
                                          ? text("{} (capped at {} so that {} threads fit)", report.registers,
                                                 report.register_cap, block.threads())
                                          : text("{}", report.registers));
    table_row("shared memory per block", text("{} bytes", report.shared_bytes));
    table_row("local memory per thread", text("{} bytes", report.local_bytes));
    table_row("constant memory", text("{} bytes", report.constant_bytes));
    table_row("spills",
              report.spill_store_bytes + report.spill_load_bytes == 0
                  ? "none"
                  : text("{} bytes stored, {} loaded", report.spill_store_bytes, report.spill_load_bytes));
}

}  // namespace

// What the compiler made of the chosen stage's kernel.
void draw_compile_report(const Snapshot& snapshot, const ViewState& view, Edits& edits) {
    const StepSnapshot& step = choose_step("report", snapshot, view, edits);
    if (snapshot.compiler_missing) {
        wrapped(kBad, snapshot.compiler);
        return;
    }
    if (!step.compile_error.empty()) wrapped(kBad, step.compile_error);
    if (!step.kernel) {
        if (step.compile_error.empty()) wrapped(kDim, "compiling...");
        return;
    }
    // Only machine code has registers; those of PTX are virtual.
    const bool has_code = !step.kernel->is_ptx || step.machine_code;
    const CompileReport& report =
        step.kernel->is_ptx && step.machine_code ? step.machine_code->report : step.kernel->report;
    if (ImGui::BeginTable("report", 2, ImGuiTableFlags_SizingStretchProp)) {
        table_row("kernel", step.source.path.empty() ? text("{}.cu", step.source.name)
                                                     : std::string_view(step.source.path));
        table_row("code", step.kernel->is_ptx && has_code
                              ? text("{} by {}; {} runs", report.architecture, report.compiler,
                                     step.kernel->report.architecture)
                              : text("{} by {}", report.architecture, report.compiler));
        if (has_code)
            machine_rows(report, step.block);
        else
            table_row("registers per thread", "not known: only PTX was compiled, no machine code");
        table_row("compile time",
                  text("{:.0f} ms{}", report.milliseconds, report.from_cache ? ", read from the cache" : ""));
        ImGui::EndTable();
    }
    if (ImGui::TreeNode("log")) {
        wrapped(kDim, report.log.empty() ? std::string_view("empty") : report.log);
        ImGui::TreePop();
    }
}

}  // namespace ws
