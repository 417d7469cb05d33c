#include "gpu/engine/beside_gpus.h"

#include <algorithm>
#include <array>

namespace ws {
namespace {

// What the original lecture had, and what came since; the first ones are shown whatever else is.
constexpr std::array<const char*, 7> kNames{"GTX 280",  "RTX 3060", "H200",      "GTX 980",
                                            "RTX 4090", "RTX 5090", "GTX 560 Ti"};
constexpr std::size_t kShown = 7;

// The driver's name of a GPU in this machine holds the table's: "NVIDIA GeForce RTX 3060".
bool same_gpu(const GpuProfile& a, const GpuProfile& b) {
    const auto holds = [](const GpuProfile& longer, const GpuProfile& name) {
        return longer.name.find(name.name) != std::string::npos &&
               longer.multiprocessors == name.multiprocessors;
    };
    return holds(a, b) || holds(b, a);
}

}  // namespace

std::vector<GpuProfile> beside_gpus(const GpuTable& table, const Surroundings& around) {
    std::vector<GpuProfile> gpus;
    const auto add = [&](const GpuProfile& gpu) {
        const bool known = std::any_of(gpus.begin(), gpus.end(),
                                       [&](const GpuProfile& other) { return same_gpu(other, gpu); });
        if (!known && gpus.size() < kShown) gpus.push_back(gpu);
    };
    add(around.target);
    if (around.device.can.measures_time) add(around.device.profile);
    for (const char* name : kNames) add(table.named(name));
    std::stable_sort(gpus.begin(), gpus.end(), [](const GpuProfile& a, const GpuProfile& b) {
        return a.limits.capability < b.limits.capability;
    });
    return gpus;
}

Surroundings with_gpu(Surroundings around, const GpuProfile& gpu) {
    const bool here = around.device.can.measures_time && around.device.profile.name == gpu.name;
    around.target = gpu;
    if (here) return around;
    around.device.kind = DeviceKind::simt;
    around.device.profile = gpu;
    around.device.can.measures_time = false;
    return around;
}

}  // namespace ws
