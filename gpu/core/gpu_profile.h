#pragma once
// What a GPU can hold and how fast it is, as far as occupancy and bandwidth need it.

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace ws {

struct ComputeCapability {
    int major = 0;
    int minor = 0;
    [[nodiscard]] int number() const { return major * 10 + minor; }  // 8.6 is 86
    [[nodiscard]] std::string text() const { return std::to_string(major) + "." + std::to_string(minor); }
    friend auto operator<=>(const ComputeCapability&, const ComputeCapability&) = default;
};

// Before 2.0 only textures and constants are cached: every load and store of global and local memory goes to
// device memory.
[[nodiscard]] constexpr bool caches_global_memory(ComputeCapability capability) {
    return capability.major >= 2;
}

// The limits of a multiprocessor, by compute capability. Registers are 32-bit; sizes are bytes.
struct GpuLimits {
    ComputeCapability capability;
    std::array<int, 3> grid{};   // blocks along x, y and z at most
    std::array<int, 3> block{};  // threads along x, y and z at most
    int threads_per_block = 0;
    int blocks_per_multiprocessor = 0;
    int warps_per_multiprocessor = 0;
    int registers_per_multiprocessor = 0;
    int registers_per_block = 0;
    int registers_per_thread = 0;
    int register_granularity = 0;    // registers are allocated in multiples of this...
    bool registers_per_warp = true;  // ...to a warp (from 2.0), or to a whole block (1.x)
    int warp_granularity = 1;        // a block's warps are rounded up to a multiple of this
    int partitions = 1;              // the register file is split among so many schedulers (from 3.0)
    int shared_bytes_per_multiprocessor = 0;
    int shared_bytes_per_block = 0;  // without opting in to more
    int shared_bytes_opt_in = 0;     // with opting in (from 7.0); the same as without where there is no more
    int shared_granularity = 0;
    int shared_bytes_reserved = 0;  // taken by the driver for each block (from 8.0)
    int shared_banks = 32;
    friend bool operator==(const GpuLimits&, const GpuLimits&) = default;
};

struct Calibration;  // gpu/core/calibration.h

// What is known of how fast a multiprocessor is. Shared, since profiles are parts of keys; two are the same
// if they say the same.
struct KnownRates {
    std::shared_ptr<const Calibration> own;    // measured on such a GPU; null: on none
    bool by_user = false;                      // `own` is this user's, not the program's
    std::shared_ptr<const Calibration> other;  // of the GPU that stands in for what `own` lacks
    friend bool operator==(const KnownRates& a, const KnownRates& b);
};

// A GPU by name. A figure that is not known is 0.
struct GpuProfile {
    std::string name;
    std::string chip;
    GpuLimits limits;
    int multiprocessors = 0;
    int clock_mhz = 0;         // boost clock, where there is one
    int memory_clock_mhz = 0;  // as CUDA reports it: half the data rate for DDR memory
    int bus_width_bits = 0;
    double bandwidth_gb_s = 0;  // theoretical, 10^9 bytes a second
    int l2_kib = 0;
    double memory_gib = 0;
    bool measured_here = false;  // read from the GPU in this machine instead of from the table
    KnownRates rates;
    friend bool operator==(const GpuProfile&, const GpuProfile&) = default;
};

// Of so many operations in all, for each clock of each multiprocessor; 0 where the clock is not known.
[[nodiscard]] inline double operations_per_clock(double operations, double ms, const GpuProfile& gpu) {
    const double clocks = ms * 1e3 * gpu.clock_mhz * gpu.multiprocessors;
    return clocks > 0 ? operations / clocks : 0;
}

}  // namespace ws
