#include "gpu/analysis/gpu_links.h"

#include <nlohmann/json.hpp>
#include <span>

#include "gpu/core/embedded_file.h"
#include "gpu/core/error.h"

namespace ws::embedded_profiles {
std::span<const EmbeddedFile> files();
}

namespace ws {

std::optional<GpuLinks> links_of(const std::string& gpu) {
    try {
        const auto table = nlohmann::json::parse(embedded_profiles::files().front().text);
        for (const nlohmann::json& entry : table.at("gpus")) {
            if (entry.at("name") != gpu) continue;
            GpuLinks links;
            links.host = pcie_link(entry.at("pcie_generation"), entry.at("pcie_lanes"));
            links.copy_engines = entry.at("copy_engines");
            if (const double rate = entry.at("nvlink_gb_s"); rate > 0) links.peer = {"NVLink", rate};
            return links;
        }
    } catch (const std::exception& error) {
        throw Error("the table of GPUs is broken", error.what());
    }
    return std::nullopt;
}

}  // namespace ws
