#include "gpu/analysis/device_memory.h"

#include <algorithm>
#include <cmath>

namespace ws {
namespace {

constexpr int kMostLines = 32;  // of a request
// Of the mean latency of device memory: what some lines take longer than others, exponentially distributed.
// Measured on an H200: 2, 4 and 8 lines on their way wait 108, 207 and 356 clocks longer than one.
constexpr double kMemorySpread = 0.3;

}  // namespace

DeviceMemory::DeviceMemory(const LineParts& parts, const StoredPlaces& stored, const ClockRates& rates)
    : rates_(rates),
      parts_(parts),
      places_(cost_of_places(stored)),
      channels_(rates.memory.read_sector * double(kLineSectors),
                places_.turn * rates.memory.turn() * double(kLineSectors)) {}

void DeviceMemory::owe_rest(double sectors, bool apart) {
    to_complete_ += sectors;
    if (apart) apart_to_complete_ += sectors;
}

// Of a sector that is stored, compared with such of whole lines side by side, in few places. For parts of
// lines device memory opens rows anyway, so that many places add nothing; what walks or lies anywhere pays
// for rows.
double DeviceMemory::write_cost(const Passing& passing) const {
    if (passing.local) return 1;
    const bool in_parts = parts_.write > 1 && !passing.apart && passing.scattered == 0;
    return in_parts ? std::max(places_.write, parts_.write) : places_.write;
}

// For what the second level lacks. Where device memory opens a row for each line, it takes that long at
// least.
double DeviceMemory::clocks_of(const Passing& passing) const {
    const Level& memory = rates_.memory;
    const double rows =
        passing.apart || passing.scattered > 0 ? passing.lines * passing.row * memory.read_scattered : 0;
    const double written_over_read = memory.write_sector / memory.read_sector;
    switch (passing.kind) {
        case MachineKind::atomic:
            return std::max(passing.sectors * memory.atomic_sector, passing.lanes * memory.atomic_lane);
        case MachineKind::store:
            return std::max(rows * written_over_read,
                            passing.sectors * memory.write_sector * write_cost(passing));
        default:
            return std::max(rows, passing.sectors * memory.read_sector);
    }
}

// Of what is written in part, device memory has to give the rest. Nobody waits for it.
void DeviceMemory::complete(double now, Dice& dice) {
    for (; to_complete_ >= 1; to_complete_ -= 1) {
        const bool apart = apart_to_complete_ >= 1;
        if (apart) apart_to_complete_ -= 1;
        const double clocks =
            apart ? rates_.memory.read_scattered : parts_.complete * rates_.memory.read_sector;
        count(MachineKind::load, 1, clocks);
        (void)channels_.take(now, clocks, false, dice);
    }
}

// Each line on its own; what is asked for comes with the last of them.
double DeviceMemory::take(const Passing& passing, double now, std::uint64_t together, Dice& dice) {
    const int lines = std::clamp<int>(int(passing.lines), 1, kMostLines);
    const double clocks = clocks_of(passing);
    count(passing.kind, passing.sectors, clocks);
    // What the warps of a block want by one instruction mostly lies side by side, and comes together;
    // lines of which only a part is wanted are apart, and each comes when it comes.
    const double of_all = Dice::of(together);
    double done = now;
    for (int i = 0; i < lines; ++i) {
        const double taken = channels_.take(now, clocks / lines, passing.kind == MachineKind::store, dice);
        done = std::max(done, taken + spread(passing.beside ? of_all : dice.next()));
    }
    // The rest of the latency is the same for all: the measured one has these parts in it.
    return done + std::max(0.0, least_latency() - Channels::kClocksOfLine);
}

// What one line takes longer than others.
double DeviceMemory::spread(double chance) const {
    return -kMemorySpread * rates_.latency.memory * std::log(chance);
}
double DeviceMemory::least_latency() const {
    return rates_.latency.memory - kMemorySpread * rates_.latency.memory;
}

// Profilers count what is moved at the theoretical bandwidth, whatever it takes.
void DeviceMemory::count(MachineKind kind, double sectors, double clocks) {
    used_ += rates_.memory_peak > 0 ? std::min(clocks, sectors * rates_.memory_peak) : clocks;
    (kind == MachineKind::store ? moved_.to_memory : moved_.from_memory) += sectors;
}

}  // namespace ws
