#include <imgui.h>

#include "app/panels/panels.h"
#include "app/widgets/text.h"

namespace ws {
namespace {

std::string_view known(double value, const char* unit, int digits = 0) {
    return value > 0 ? text("{:.{}f} {}", value, digits, unit) : std::string_view("none or unknown");
}

}  // namespace

// The device that computes, and the GPU of the table that occupancy is calculated for.
void draw_gpu_facts(const Snapshot& snapshot, const ViewState& /*view*/, Edits& /*edits*/) {
    if (ImGui::BeginTable("device", 2, ImGuiTableFlags_SizingStretchProp)) {
        for (const Fact& fact : snapshot.device.facts) table_row(fact.label, fact.value);
        ImGui::EndTable();
    }
    const GpuProfile& gpu = snapshot.target;
    if (gpu.measured_here) return;
    ImGui::Separator();
    wrapped(kAccent, "Target GPU for occupancy, from the table");
    if (ImGui::BeginTable("target", 2, ImGuiTableFlags_SizingStretchProp)) {
        table_row("Name", gpu.name);
        table_row("Chip", gpu.chip);
        table_row("Compute capability", gpu.limits.capability.text());
        table_row("Multiprocessors", text("{}", gpu.multiprocessors));
        table_row("Clock", known(gpu.clock_mhz, "MHz"));
        table_row("Memory", known(gpu.memory_gib, "GiB", 1));
        table_row("Memory clock", known(gpu.memory_clock_mhz, "MHz"));
        table_row("Bus width", known(gpu.bus_width_bits, "bit"));
        table_row("Theoretical bandwidth", known(gpu.bandwidth_gb_s, "GB/s", 1));
        table_row("L2 cache", known(gpu.l2_kib, "KiB"));
        table_row("Shared memory per multiprocessor",
                  text("{} KiB", gpu.limits.shared_bytes_per_multiprocessor / 1024));
        table_row("Registers per multiprocessor", text("{}", gpu.limits.registers_per_multiprocessor));
        table_row("Threads per block", text("{}", gpu.limits.threads_per_block));
        table_row("Warps per multiprocessor", text("{}", gpu.limits.warps_per_multiprocessor));
        table_row("Blocks per multiprocessor", text("{}", gpu.limits.blocks_per_multiprocessor));
        ImGui::EndTable();
    }
}

}  // namespace ws
