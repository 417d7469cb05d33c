#pragma once
// The way of a multiprocessor's requests: the load/store unit with L1 and shared memory, the texture units,
// the unit of constants and special registers (ADU), and its shares of the second level and of device memory.
// Each tells when what it is asked for is there; requests are made in the order of time, which is in clocks.

#include <array>
#include <cstdint>
#include <span>

#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/clock_units.h"
#include "gpu/analysis/device_memory_share.h"
#include "gpu/analysis/filling_cache.h"
#include "gpu/analysis/hot_slice.h"
#include "gpu/analysis/l1_banks.h"
#include "gpu/analysis/l2_way.h"
#include "gpu/analysis/loads_of_others.h"
#include "gpu/analysis/machine_path.h"
#include "gpu/analysis/passing.h"
#include "gpu/analysis/ready_warps.h"
#include "gpu/analysis/written_sectors.h"
#include "gpu/core/estimate.h"

namespace ws {

struct ClockLoad;

// The parts of the GPU that work for the load/store unit.
enum class LsuWork : std::uint8_t { lines, wavefronts, others };
inline constexpr std::size_t kLsuWorks = 3;

// Of a warp that makes a request.
struct Requester {
    int scheduler = 0;
    int block = 0;
    int place = 0;        // among those that may be resident: where its local memory lies
    int registers = 0;    // of each lane, that go with it: its address and what it stores
    bool narrow = false;  // for words of fewer than four bytes
};

// When what was asked for is there, and when it has left for where it comes from.
struct Answer {
    double done = 0, left = 0;
    bool from_behind = false;  // L1 lacked some of it when it was looked up
};

class MemoryPath {
  public:
    // Both outlive it.
    MemoryPath(const ClockLoad& load, const ClockRates& rates);
    MemoryPath(const ClockLoad& load, const ClockRates&& temporary) = delete;

    Answer request(const WarpTrace& trace, const TracedAccess& access, const Requester& by, double now);
    // A word that does not fit the registers: each lane's beside the next one's.
    Answer spill(const MachineInstruction& instruction, std::uint8_t lanes, const Requester& by, double now);
    // When the load/store unit has done it, which it begins at `from` at the earliest.
    double use_lsu(LsuWork work, const Requester& by, double now, double clocks, double from = 0);
    // When the load/store unit has a special register of a lane or warp: not before what is stored has been
    // read. Measured on an H200 (bench/special_registers): where one scheduler's warps store, those of the
    // others wait nearly as long.
    double lane_register(const Requester& by, double now);
    // A unit of the whole multiprocessor, for constants by address, barriers and all other special registers.
    double use_adu(const Requester& by, double now, int times, bool constants = false);
    // When the second level gives a line of code.
    double code_line(double now);

    // From when on a scheduler's queue before a unit has room.
    [[nodiscard]] double room(SharedQueue queue, int scheduler) const {
        switch (queue) {
            case SharedQueue::none:
                return 0;
            case SharedQueue::lsu:
                return lsu_.ready(scheduler);
            case SharedQueue::special:
                return lsu_.ready_to_pass(scheduler);
            case SharedQueue::adu:
                return adu_.ready(scheduler);
        }
        return 0;
    }
    // When the load/store unit, and the unit of constants, reads the operands of the last request of the
    // scheduler.
    [[nodiscard]] double lsu_reads(int scheduler) const { return lsu_.reads(scheduler); }
    [[nodiscard]] double adu_reads(int scheduler) const { return adu_.reads(scheduler); }
    // When nothing is on its way behind L1 any more, and the second level has said so of what was stored.
    [[nodiscard]] double all_free() const;

    // Clocks that each part worked.
    void add_busy(std::array<double, kParts>& busy) const;
    [[nodiscard]] const MovedSectors& moved() const { return memory_.moved(); }

  private:
    // Lines that a request asks for, and what of them a store writes where that is not whole sectors.
    struct Asked {
        std::span<const LineSectors> lines;
        std::span<const StoredBytes> bytes;
    };

    // When a request has left its way to the second level, and when that has taken it.
    struct Sent {
        double left = 0, taken = 0;
    };

    Answer request(const TracedAccess& access, const Asked& asked, const Requester& by, double now);
    [[nodiscard]] double reading_of(const Requester& by) const;
    // Of the last that its scheduler asked the load/store unit for, which stores.
    void note_stored(const Requester& by);
    double use_l1(const TracedAccess& access, double now, double from, const L1Banks::Work& work,
                  const Requester& by);
    [[nodiscard]] double latency_of_l2(const TracedAccess& access, const Asked& asked) const;
    [[nodiscard]] std::uint64_t first_line(const TracedAccess& access, const Requester& by) const;
    [[nodiscard]] Passing past_l1(const TracedAccess& access, std::span<const LineSectors> asked) const;
    Passing past_share(const TracedAccess& access, const Asked& asked, const Passing& past_l1);
    Passing store_to_share(const Asked& asked, const Passing& past_l1);
    void settle_replaced();
    [[nodiscard]] double room_behind(const Passing& passing, double now) const;
    Sent send(const Passing& passing, double far_lines, double now);
    void use_slice(double looked_up, double now);
    // What it asks the second level for.
    [[nodiscard]] std::span<const LineSectors> past_first_level(const TracedAccess& access,
                                                                const Asked& asked) const {
        return access.by_l1 ? l1_.missing() : asked.lines;
    }
    // Of what loads, the lines that the second level lacks; none: it is not known which.
    [[nodiscard]] std::span<const LineSectors> lacking(const TracedAccess& access, const Asked& asked,
                                                       const Passing& far) const {
        if (far.asked_share) return share_.missing();
        return far.scattered > 0 ? past_first_level(access, asked) : std::span<const LineSectors>();
    }
    [[nodiscard]] double wait_among_atomics(const TracedAccess& access, const Asked& asked, double now);
    double use_l2(const Passing& passing, double far_lines, double now);
    [[nodiscard]] double given(double taken, double now) const;
    [[nodiscard]] double share_past_l2(const TracedAccess& access, const Passing& far) const;
    [[nodiscard]] double clocks_of_l2(const Passing& passing, double far_lines) const;

    const ClockLoad& load_;
    const ClockRates& rates_;
    SharedUnit lsu_, adu_;
    double stored_ = 0;  // when the operands of all that is stored have been read
    L1Banks banks_;
    Ring in_l1_;               // when loads that had a place there left L1
    double out_ = 0;           // the last load
    Ring on_their_way_;        // when sectors that L1 lacks are there
    Ring lines_on_their_way_;  // likewise
    FillingCache l1_;
    // Of the second level, as if each multiprocessor had one of its own: what it has, and what of it is to be
    // written.
    FillingCache share_;
    LoadsOfOthers of_others_;
    WrittenSectors written_;
    int local_lines_;  // of a warp
    Queue tex_, l2_;
    double loads_free_ = 0;  // from when on the second level has given all that was asked of it
    L2Way way_;
    HotSlice slice_;
    DeviceMemoryShare memory_;
    SecondLevelUse l2_use_;
    Dice dice_;
    std::array<double, kLsuWorks> of_lsu_{};
    double constants_ = 0;     // of the ADU's clocks
    double owed_ = 0;          // to device memory, of a request
    double acknowledged_ = 0;  // when the second level has said of all stores that it has them
};

}  // namespace ws
