#include "gpu/cuda/device_facts.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "gpu/cuda/check.h"

namespace ws {
namespace {

// 0 where the attribute does not exist on this GPU or driver.
int attribute(int index, cudaDeviceAttr which) {
    int value = 0;
    if (cudaDeviceGetAttribute(&value, which, index) != cudaSuccess) {
        cudaGetLastError();
        return 0;
    }
    return value;
}

std::string kib(std::size_t bytes) {
    return fmt::format("{} KiB", bytes / 1024);
}
GpuPlace place_of(int index, const cudaUUID_t& uuid) {
    GpuPlace place{.number = index};
    char address[32] = "";
    if (cudaGetDeviceCount(&place.of) != cudaSuccess ||
        cudaDeviceGetPCIBusId(address, sizeof address, index) != cudaSuccess)
        cudaGetLastError();
    place.pci_address = address;
    std::array<std::uint8_t, 16> bytes{};
    std::memcpy(bytes.data(), uuid.bytes, bytes.size());
    place.uuid = uuid_text(bytes);
    return place;
}
std::string version(int number) {
    return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

}  // namespace

DeviceFacts read_cuda_facts(int index) {
    cudaDeviceProp properties{};
    WS_CUDA(cudaGetDeviceProperties(&properties, index));
    DeviceFacts facts;
    facts.kind = DeviceKind::cuda;
    facts.name = properties.name;
    facts.place = place_of(index, properties.uuid);

    GpuProfile& profile = facts.profile;
    profile.name = properties.name;
    profile.measured_here = true;
    profile.multiprocessors = properties.multiProcessorCount;
    profile.clock_mhz = attribute(index, cudaDevAttrClockRate) / 1000;
    profile.memory_clock_mhz = attribute(index, cudaDevAttrMemoryClockRate) / 1000;
    profile.bus_width_bits = properties.memoryBusWidth;
    profile.bandwidth_gb_s = 2.0 * profile.memory_clock_mhz * 1e6 * profile.bus_width_bits / 8 / 1e9;
    profile.l2_kib = properties.l2CacheSize / 1024;
    profile.memory_gib = double(properties.totalGlobalMem) / double(1 << 30);
    GpuLimits& limits = profile.limits;
    limits.capability = {properties.major, properties.minor};
    for (std::size_t i = 0; i < 3; ++i) {
        limits.grid[i] = properties.maxGridSize[i];
        limits.block[i] = properties.maxThreadsDim[i];
    }
    limits.threads_per_block = properties.maxThreadsPerBlock;
    limits.blocks_per_multiprocessor = properties.maxBlocksPerMultiProcessor;
    limits.warps_per_multiprocessor = properties.maxThreadsPerMultiProcessor / properties.warpSize;
    limits.registers_per_multiprocessor = properties.regsPerMultiprocessor;
    limits.registers_per_block = properties.regsPerBlock;
    limits.shared_bytes_per_multiprocessor = int(properties.sharedMemPerMultiprocessor);
    limits.shared_bytes_per_block = int(properties.sharedMemPerBlock);
    limits.shared_bytes_opt_in = int(properties.sharedMemPerBlockOptin);
    limits.shared_bytes_reserved = int(properties.reservedSharedMemPerBlock);

    int driver = 0;
    int runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    const auto known = [](int value, const char* unit) {
        return value > 0 ? fmt::format("{} {}", value, unit) : std::string("not reported by the driver");
    };
    facts.driver = version(driver);
    facts.facts = {
        {"PCI address", facts.place.pci_address},
        {"UUID", facts.place.uuid},
        {"Compute capability", limits.capability.text()},
        {"Multiprocessors", std::to_string(profile.multiprocessors)},
        {"Clock", known(profile.clock_mhz, "MHz")},
        {"Memory", fmt::format("{:.1f} GiB", profile.memory_gib)},
        {"Memory clock", known(profile.memory_clock_mhz, "MHz")},
        {"Bus width", known(profile.bus_width_bits, "bit")},
        {"Theoretical bandwidth", profile.bandwidth_gb_s > 0
                                      ? fmt::format("{:.0f} GB/s", profile.bandwidth_gb_s)
                                      : std::string("unknown: the driver reports no clock")},
        {"L2 cache", kib(std::size_t(properties.l2CacheSize))},
        {"L1 caches global loads", properties.globalL1CacheSupported ? "yes" : "no"},
        {"Constant memory", kib(properties.totalConstMem)},
        {"Shared memory per multiprocessor", kib(properties.sharedMemPerMultiprocessor)},
        {"Shared memory per block", fmt::format("{} ({} on request)", kib(properties.sharedMemPerBlock),
                                                kib(properties.sharedMemPerBlockOptin))},
        {"Registers per multiprocessor", std::to_string(properties.regsPerMultiprocessor)},
        {"Registers per block", std::to_string(properties.regsPerBlock)},
        {"Threads per block", std::to_string(properties.maxThreadsPerBlock)},
        {"Threads per multiprocessor", std::to_string(properties.maxThreadsPerMultiProcessor)},
        {"Blocks per multiprocessor", std::to_string(properties.maxBlocksPerMultiProcessor)},
        {"Warp size", std::to_string(properties.warpSize)},
        {"CUDA driver, runtime", version(driver) + ", " + version(runtime)},
    };
    return facts;
}

}  // namespace ws
