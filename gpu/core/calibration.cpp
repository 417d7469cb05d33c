#include "gpu/core/calibration.h"

#include <cmath>

namespace ws {
namespace {

constexpr std::string_view kInClocks = "clocks";
constexpr std::string_view kOfScheduler = "clocks of a scheduler";
constexpr std::string_view kInBytes = "bytes a clock";
constexpr std::string_view kInSectors = "sectors a clock";
constexpr std::string_view kInLanes = "lanes a clock";

// In the order of the enumeration.
constexpr std::array<RateRow, kGpuRates> kRows{{
    {"fma", kOfScheduler, "multiply-add of floats (FFMA)", 0.9, 4.5},
    {"fma_heavy", kOfScheduler, "multiply-add of integers (IMAD)", 0.9, 9},
    {"fp16", kOfScheduler, "multiply-add of two halves (HFMA2)", 0.45, 65},
    {"alu", kOfScheduler, "bitwise operation (LOP3)", 0.9, 4.5},
    {"fp64", kOfScheduler, "multiply-add of doubles (DFMA)", 0.9, 130},
    {"xu", kOfScheduler, "power of two (MUFU)", 3.5, 33},
    {"shuffle", kOfScheduler, "shuffle (SHFL)", 1.8, 17},
    {"special_latency", kInClocks, "from a power of two (MUFU) to the next", 8, 100},
    {"fp64_latency", kInClocks, "from a multiply-add of doubles (DFMA) to the next", 3, 200},
    {"shuffle_latency", kInClocks, "from a shuffle (SHFL) to the next", 10, 100},
    {"constant_latency", kInClocks, "a load that hits the constant cache", 10, 200},
    {"shared_latency", kInClocks, "a load from shared memory", 10, 100},
    {"l1_latency", kInClocks, "a load that hits L1", 15, 150},
    {"l2_latency", kInClocks, "a load that hits L2", 80, 800},
    {"memory_latency", kInClocks, "a load from device memory, at random", 200, 3000},
    {"l1_line", kInClocks, "a line of 128 bytes of a request that hits L1", 0.4, 4.5},
    {"shared_wavefront", kInClocks, "a wavefront of shared memory", 0.9, 4.5},
    {"shared_atomic", kInClocks, "a lane of a shared atomic, all on one word", 0.05, 20},
    {"taken_branch", kInClocks, "a branch that is taken, beyond its stall count", 0, 40},
    {"barrier", kInClocks, "a barrier, from the last arrival", 2, 80},
    {"barrier_arrival", kInClocks, "a warp's arrival at a barrier", 0.2, 20},
    {"block", kInClocks, "from a block of a multiprocessor to the next", 1, 2000},
    {"block_turn", kInClocks, "from a block's end until the next one begins in its place", 10, 10000},
    {"launch", "us", "a launch among others of one stream", 0.2, 50},
    {"l2_read", kInBytes, "reading from L2", 2, 128},
    {"l2_read_line", kInSectors, "reading from L2 one sector of each line", 0.02, 4},
    {"l2_write", kInBytes, "writing to L2", 1, 128},
    {"l2_write_part", kInSectors, "writing to L2 parts of sectors side by side", 0.01, 4},
    {"l2_write_line", kInSectors, "writing to L2 a part of one sector of each line", 0.01, 4},
    {"atomics_side_by_side", kInLanes, "atomics on words side by side", 0.01, 32},
    {"atomics_apart", kInLanes, "atomics on words of a sector each", 0.005, 4},
    {"atomics_of_a_word", kInLanes, "atomics of all threads on one word", 1e-5, 4},
    {"float_atomics_of_a_word", kInLanes, "sums of floats by atomics of all threads on one word", 1e-5, 4},
    {"memory_read", kInBytes, "reading device memory", 0.5, 128},
    {"memory_read_line", kInSectors, "reading from device memory one sector of each line", 0.001, 4},
    {"memory_write", kInBytes, "writing device memory", 0.5, 128},
    {"memory_write_part", kInSectors, "writing to device memory parts of sectors side by side", 0.001, 4},
    {"memory_copy", kInBytes, "copying within device memory, both ways", 0.5, 128},
}};

constexpr double kMostSpread = 0.15;  // of the figure...
constexpr double kFreeSpread = 1;     // ...beyond this, in its unit

std::string short_number(double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

bool is_pipe(GpuRate rate) {
    return rate <= GpuRate::xu;
}

bool is_of_memory(GpuRate rate) {
    return rate == GpuRate::memory_read || rate == GpuRate::memory_write || rate == GpuRate::memory_copy;
}

}  // namespace

const RateRow& row_of(GpuRate rate) {
    return kRows[std::size_t(rate)];
}

bool operator==(const KnownRates& a, const KnownRates& b) {
    const auto same = [](const auto& one, const auto& other) {
        return one == other || (one && other && *one == *other);
    };
    return a.by_user == b.by_user && same(a.own, b.own) && same(a.other, b.other);
}

std::string doubt_of(GpuRate rate, const MeasuredRate& measured, const Calibration& calibration) {
    const RateRow& row = row_of(rate);
    if (!std::isfinite(measured.value) || !std::isfinite(measured.spread)) return "it is no number";
    if (measured.value < row.low || measured.value > row.high)
        return "no GPU is outside of " + short_number(row.low) + " to " + short_number(row.high);
    const double most = kMostSpread * measured.value;
    if (measured.spread > most && (measured.value < kFreeSpread || measured.spread > kFreeSpread))
        return "its samples spread by " + short_number(measured.spread);
    // A pipe has a power of two lanes.
    const double power = std::log2(measured.value);
    if (is_pipe(rate) && std::abs(power - std::round(power)) > 0.2) return "no pipe has so many lanes";
    if (is_of_memory(rate) && calibration.bandwidth_gb_s > 0) {
        const double limit =
            calibration.bandwidth_gb_s * 1e3 / calibration.clock_mhz / calibration.multiprocessors;
        if (measured.value > 1.03 * limit) return "device memory gives no more than " + short_number(limit);
    }
    return {};
}

}  // namespace ws
