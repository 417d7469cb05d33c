#include "gpu/cuda/gpu_clock.h"

#include <dlfcn.h>

namespace ws {

// NVML's header does not come with every toolkit; these five calls have been stable since 2013.
struct GpuClock::Api {
    void* device = nullptr;
    int (*shutdown)() = nullptr;
    int (*get_clock)(void* device, unsigned type, unsigned* mhz) = nullptr;
    int (*get_reasons)(void* device, unsigned long long* reasons) = nullptr;  // may be missing
};

namespace {

// NVML's bits of why a clock is low, of those that make a sample slower than the GPU is; that it is idle, or
// that a person has set its clock, is none of them.
std::string slowed_by(unsigned long long reasons) {
    constexpr unsigned long long kPowerCap = 0x4;
    constexpr unsigned long long kThermal = 0x20 | 0x40;
    constexpr unsigned long long kPowerBrake = 0x80;
    constexpr unsigned long long kHardware = 0x8;
    if (reasons & kThermal) return "the GPU is too hot";
    if (reasons & kPowerBrake) return "the power supply holds the GPU back";
    if (reasons & kPowerCap) return "the GPU is at its power limit";
    if (reasons & kHardware) return "the GPU's hardware holds its clock back";
    return {};
}

}  // namespace

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
    api->get_reasons = reinterpret_cast<int (*)(void*, unsigned long long*)>(
        dlsym(library, "nvmlDeviceGetCurrentClocksThrottleReasons"));
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

ClockReading GpuClock::read() const {
    ClockReading reading;
    if (!api_) return reading;
    constexpr unsigned kMultiprocessors = 1;  // NVML_CLOCK_SM
    unsigned mhz = 0;
    if (api_->get_clock(api_->device, kMultiprocessors, &mhz) == 0) reading.mhz = int(mhz);
    unsigned long long reasons = 0;
    if (api_->get_reasons && api_->get_reasons(api_->device, &reasons) == 0)
        reading.slowed = slowed_by(reasons);
    return reading;
}

}  // namespace ws
