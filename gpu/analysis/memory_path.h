#pragma once
// The way of a multiprocessor's requests: the load/store unit with L1 and shared memory, the texture units,
// the unit of constants and special registers (ADU), and its shares of the second level and of device memory.
// Each tells when what it is asked for is there; requests are made in the order of time, which is in clocks.

#include <array>
#include <cstdint>

#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/clock_units.h"
#include "gpu/analysis/machine_path.h"
#include "gpu/core/estimate.h"

namespace ws {

struct ClockLoad;

// The parts of the GPU that work for the load/store unit.
enum class LsuWork : std::uint8_t { lines, wavefronts, others };
inline constexpr std::size_t kLsuWorks = 3;

class MemoryPath {
  public:
    // Both outlive it.
    MemoryPath(const ClockLoad& load, const ClockRates& rates);

    // `together`: the same of requests that the warps of a block make by one instruction.
    double request(const TracedAccess& access, double now, std::uint64_t together);
    // A word that does not fit the registers: each lane's beside the next one's.
    double spill(const MachineInstruction& instruction, std::uint8_t lanes, double now,
                 std::uint64_t together);
    // When the load/store unit has done it.
    double use_lsu(LsuWork work, double now, double clocks);
    // A unit of the whole multiprocessor, for constants by address, barriers and special registers.
    double use_adu(double now, int times, bool constants = false);

    // From when on the queue before the unit has room; when it has done what was asked of it until now.
    [[nodiscard]] double lsu_ready() const { return lsu_.ready(); }
    [[nodiscard]] double adu_ready() const { return adu_.ready(); }
    [[nodiscard]] double lsu_free() const { return lsu_.free(); }
    // When nothing is on its way behind L1 any more.
    [[nodiscard]] double all_free() const;

    // Clocks that each part worked.
    void add_busy(std::array<double, kParts>& busy) const;

  private:
    double request(const TracedAccess& access, double now, double past_l2, std::uint64_t together);
    double use_l2(const TracedAccess& access, double now);
    double use_memory(const TracedAccess& access, double now, std::uint64_t together);
    [[nodiscard]] double at_peak(MachineKind kind, double clocks) const;

    const ClockLoad& load_;
    const ClockRates& rates_;
    Queued lsu_, adu_;
    Queue tex_, l2_, slice_;  // slice: the second level's that most atomics go to
    Channels memory_;
    SecondLevelUse l2_use_;
    double memory_use_ = 0;  // clocks at the theoretical bandwidth
    Dice dice_;
    std::array<double, kLsuWorks> of_lsu_{};
    double constants_ = 0;           // of the ADU's clocks
    double owed_ = 0, spilled_ = 0;  // to the next level, of a request
};

}  // namespace ws
