#pragma once
// What microbenchmarks found out about a GPU: latencies, rates and bandwidths, each with its spread.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/core/gpu_profile.h"

namespace ws {

// All are in clocks of a multiprocessor, so that they hold at any clock, but for the launch.
enum class GpuRate : std::uint8_t {
    // A scheduler's pipe is busy for so long with a warp instruction.
    fma,
    fma_heavy,
    fp16,
    alu,
    fp64,
    xu,
    shuffle,
    // From a warp's instruction to the next one that needs its result.
    special_latency,
    fp64_latency,
    shuffle_latency,
    constant_latency,
    shared_latency,
    l1_latency,
    l2_latency,
    memory_latency,
    // What the load/store unit takes for a part of a request.
    l1_line,
    shared_wavefront,
    shared_atomic,
    taken_branch,
    barrier,
    barrier_arrival,
    block,
    block_turn,
    launch,
    // All multiprocessors together.
    l2_read,
    l2_read_line,
    l2_write,
    l2_write_part,
    l2_write_line,
    atomics_side_by_side,
    atomics_apart,
    atomics_of_a_word,
    float_atomics_of_a_word,
    memory_read,
    memory_read_line,
    memory_write,
    memory_write_part,
    memory_copy
};
inline constexpr int kGpuRates = int(GpuRate::memory_copy) + 1;

struct RateRow {
    std::string_view name;  // in files: "l1_latency"
    std::string_view unit;  // "clocks"
    std::string_view what;  // for a person
    double low = 0;         // what no GPU is beyond
    double high = 0;
};
[[nodiscard]] const RateRow& row_of(GpuRate rate);

struct MeasuredRate {
    double value = 0;
    double spread = 0;  // half of all samples lie within
    friend bool operator==(const MeasuredRate&, const MeasuredRate&) = default;
};

struct Calibration {
    std::string gpu;  // as the driver names it
    ComputeCapability capability;
    int multiprocessors = 0;
    int clock_mhz = 0;          // of the multiprocessors, while it was measured
    double bandwidth_gb_s = 0;  // theoretical
    std::string date;           // 2026-11-23
    std::string driver;         // the newest CUDA that it knows
    std::string compiler;
    int samples = 0;                                           // of each rate
    std::array<std::optional<MeasuredRate>, kGpuRates> rates;  // what is missing could not be measured
    [[nodiscard]] const std::optional<MeasuredRate>& at(GpuRate rate) const {
        return rates[std::size_t(rate)];
    }
    [[nodiscard]] std::optional<MeasuredRate>& at(GpuRate rate) { return rates[std::size_t(rate)]; }
    friend bool operator==(const Calibration&, const Calibration&) = default;
};

// Why a figure that was measured on the GPU is not believed; empty: it can be.
[[nodiscard]] std::string doubt_of(GpuRate rate, const MeasuredRate& measured,
                                   const Calibration& calibration);

}  // namespace ws
