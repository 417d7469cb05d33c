#pragma once
// A multiprocessor's share of device memory: how long it takes for what the second level lacks and for what
// leaves that, by how much of each line there is, where the lines lie and to how many places a launch stores.
// Times are in clocks.

#include <span>

#include "gpu/analysis/channels.h"
#include "gpu/analysis/clock_rates.h"
#include "gpu/analysis/clock_units.h"
#include "gpu/analysis/line_parts.h"
#include "gpu/analysis/passing.h"
#include "gpu/analysis/stored_places.h"
#include "gpu/core/line_sectors.h"

namespace ws {

class DeviceMemoryShare {
  public:
    // Of a launch; the rates outlive it.
    DeviceMemoryShare(const LineParts& parts, const StoredPlaces& stored, const ClockRates& rates);
    DeviceMemoryShare(const LineParts& parts, const StoredPlaces& stored,
                      const ClockRates&& temporary) = delete;

    // When what is asked for is there, with the last of its lines. `lines`: of a load, those that the second
    // level lacks; none: they lie anywhere.
    double take(const Passing& passing, std::span<const LineSectors> lines, double now, Dice& dice);
    // Sectors that leave the second level in part: the rest of them has to be read first.
    void owe_rest(double sectors, bool apart);
    // Reads what is owed, for which nobody waits.
    void complete(double now, Dice& dice);

    // How long from now on it works for what it has begun with, on average.
    [[nodiscard]] double backlog(double now) const { return channels_.backlog(now); }
    // When it has done all that is on its way.
    [[nodiscard]] double free() const { return channels_.free(); }
    // How long a line takes on which nothing waits, by chance: from 0 to 1.
    [[nodiscard]] double latency(double chance) const;
    // Any number of lines at once.
    void be_endless() { channels_.endless = true; }

    // Clocks that it worked, at the theoretical bandwidth.
    [[nodiscard]] double used() const { return used_; }
    [[nodiscard]] const MovedSectors& moved() const { return moved_; }

  private:
    [[nodiscard]] double write_cost(const Passing& passing) const;
    [[nodiscard]] double clocks_of(const Passing& passing) const;
    [[nodiscard]] double store_latency(int kibs, Dice& dice) const;
    void count(MachineKind kind, double sectors, double clocks);

    const ClockRates& rates_;
    LineParts parts_;
    PlacesCost places_;
    Channels channels_;
    // Sectors that have to be read since they were stored in part; of these, those that lie apart.
    double to_complete_ = 0, apart_to_complete_ = 0;
    double used_ = 0;
    MovedSectors moved_;
};

}  // namespace ws
