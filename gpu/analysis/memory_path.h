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

// Who asks.
struct Requester {
    int scheduler = 0;
    std::uint64_t together = 0;  // the same for what the warps of a block ask for by one instruction
};

// When what was asked for is there, and when it has left for where it comes from.
struct Answer {
    double done = 0, left = 0;
};

class MemoryPath {
  public:
    // Both outlive it.
    MemoryPath(const ClockLoad& load, const ClockRates& rates);

    Answer request(const TracedAccess& access, double now, const Requester& by);
    // A word that does not fit the registers: each lane's beside the next one's.
    Answer spill(const MachineInstruction& instruction, std::uint8_t lanes, double now, const Requester& by);
    // When the load/store unit has done it, which it begins at `from` at the earliest.
    double use_lsu(LsuWork work, const Requester& by, double now, double clocks, double from = 0);
    // A unit of the whole multiprocessor, for constants by address, barriers and special registers.
    double use_adu(const Requester& by, double now, int times, bool constants = false);
    // When the second level gives a line of code.
    double code_line(double now);

    // From when on a scheduler's queue before the unit has room.
    [[nodiscard]] double lsu_ready(int scheduler) const { return lsu_.ready(scheduler); }
    [[nodiscard]] double adu_ready(int scheduler) const { return adu_.ready(scheduler); }
    // When the load/store unit has taken all that was asked of it until now.
    [[nodiscard]] double lsu_taken() const { return lsu_.free(); }
    // When nothing is on its way behind L1 any more.
    [[nodiscard]] double all_free() const;

    // Clocks that each part worked.
    void add_busy(std::array<double, kParts>& busy) const;

  private:
    Answer request(const TracedAccess& access, double now, double past_l2, const Requester& by);
    double use_l1(const TracedAccess& access, double now, double from, double clocks, const Requester& by);
    double use_l2(const TracedAccess& access, double now);
    double use_memory(const TracedAccess& access, double now, std::uint64_t together);
    [[nodiscard]] double at_peak(MachineKind kind, double clocks) const;

    const ClockLoad& load_;
    const ClockRates& rates_;
    SharedUnit lsu_, adu_;
    Queue data_;              // banks of L1 and shared memory
    Ring in_l1_;              // when loads left L1
    double out_ = 0;          // the last of them
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
