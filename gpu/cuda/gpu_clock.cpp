#include "gpu/cuda/gpu_clock.h"

#include <dlfcn.h>

namespace ws {

// NVML's header does not come with every toolkit; these four calls have been stable since 2012.
struct GpuClock::Api {
    void* device = nullptr;
    int (*shutdown)() = nullptr;
    int (*get_clock)(void* device, unsigned type, unsigned* mhz) = nullptr;
};

GpuClock::GpuClock(const std::string& pci_bus_id) {
    void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    const auto init = reinterpret_cast<int (*)()>(dlsym(library, "nvmlInit_v2"));
    const auto by_bus =
        reinterpret_cast<int (*)(const char*, void**)>(dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2"));
    auto api = std::make_unique<Api>();
    api->shutdown = reinterpret_cast<int (*)()>(dlsym(library, "nvmlShutdown"));
    api->get_clock =
        reinterpret_cast<int (*)(void*, unsigned, unsigned*)>(dlsym(library, "nvmlDeviceGetClockInfo"));
    if (!init || !by_bus || !api->shutdown || !api->get_clock || init() != 0) return;
    if (by_bus(pci_bus_id.c_str(), &api->device) != 0) {
        api->shutdown();
        return;
    }
    api_ = std::move(api);
}

GpuClock::~GpuClock() {
    if (api_) api_->shutdown();
}

std::optional<int> GpuClock::mhz() const {
    constexpr unsigned kMultiprocessors = 1;  // NVML_CLOCK_SM
    unsigned value = 0;
    if (!api_ || api_->get_clock(api_->device, kMultiprocessors, &value) != 0) return std::nullopt;
    return int(value);
}

}  // namespace ws
