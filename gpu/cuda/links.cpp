#include "gpu/cuda/links.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <fstream>

namespace ws {
namespace {

// NVML's header does not come with every toolkit; these calls have been stable for years.
class Nvml {
  public:
    explicit Nvml(const std::string& bus) {
        library_ = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
        const auto init = find<int (*)()>("nvmlInit_v2");
        const auto by_bus = find<int (*)(const char*, void**)>("nvmlDeviceGetHandleByPciBusId_v2");
        shut_down_ = find<int (*)()>("nvmlShutdown");
        if (!init || !by_bus || !shut_down_ || init() != 0) {
            shut_down_ = nullptr;
            return;
        }
        if (by_bus(bus.c_str(), &device_) != 0) device_ = nullptr;
    }
    ~Nvml() {
        if (shut_down_) shut_down_();
    }
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    // 0 where it is not known.
    [[nodiscard]] unsigned number(const char* name) const {
        const auto get = find<int (*)(void*, unsigned*)>(name);
        unsigned value = 0;
        return device_ && get && get(device_, &value) == 0 ? value : 0;
    }
    [[nodiscard]] unsigned number_of_link(const char* name, unsigned link) const {
        const auto get = find<int (*)(void*, unsigned, unsigned*)>(name);
        unsigned value = 0;
        return device_ && get && get(device_, link, &value) == 0 ? value : 0;
    }

  private:
    template <typename Function>
    [[nodiscard]] Function find(const char* name) const {
        return library_ ? reinterpret_cast<Function>(dlsym(library_, name)) : nullptr;
    }
    void* library_ = nullptr;
    int (*shut_down_)() = nullptr;
    void* device_ = nullptr;
};

// "32.0 GT/s PCIe" is generation 5.
int generation_of(double gigatransfers) {
    int generation = 0;
    for (const double speed : {2.5, 5.0, 8.0, 16.0, 32.0, 64.0}) {
        if (gigatransfers >= speed) ++generation;
    }
    return generation;
}

Link link_of_system(std::string bus) {
    std::transform(bus.begin(), bus.end(), bus.begin(),
                   [](unsigned char c) { return char(std::tolower(c)); });
    const std::string folder = "/sys/bus/pci/devices/" + bus + "/";
    double speed = 0;
    int lanes = 0;
    std::ifstream(folder + "max_link_speed") >> speed;
    std::ifstream(folder + "max_link_width") >> lanes;
    return pcie_link(generation_of(speed), lanes);
}

// GB/s of an NVLink in one direction. Source: NVIDIA's data sheets; NVML numbers 1.0 as 1, 2.0 to 4.0 as 2 to
// 6 and 5.0 as 7.
double rate_of_version(unsigned version) {
    if (version == 1) return 20;
    return version >= 7 ? 50 : 25;
}

}  // namespace

Link read_host_link(const std::string& pci_bus_id) {
    const Nvml nvml(pci_bus_id);
    const Link link = pcie_link(int(nvml.number("nvmlDeviceGetMaxPcieLinkGeneration")),
                                int(nvml.number("nvmlDeviceGetMaxPcieLinkWidth")));
    return link.gb_s > 0 ? link : link_of_system(pci_bus_id);
}

Link read_nvlink(const std::string& pci_bus_id) {
    constexpr unsigned kMostLinks = 18;
    const Nvml nvml(pci_bus_id);
    Link all;
    int up = 0;
    for (unsigned i = 0; i < kMostLinks; ++i) {
        if (nvml.number_of_link("nvmlDeviceGetNvLinkState", i) == 0) continue;
        ++up;
        all.gb_s += rate_of_version(nvml.number_of_link("nvmlDeviceGetNvLinkVersion", i));
    }
    if (up > 0) all.name = "NVLink x" + std::to_string(up);
    return all;
}

}  // namespace ws
