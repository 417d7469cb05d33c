#include "gpu/analysis/device_memory_share.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace ws {
namespace {

constexpr int kMostLines = 32;  // of a request
constexpr std::uint64_t kLinesOfKib = 1024 / kLineBytes;

// The part of all loads that take no longer than so much of the mean, which is 1. Measured on an H200 that
// has nothing else to do (bench/load_order; ends cut off): about half of the lines belong to the far
// partition of the second level, and one in ten waits for something else. Clocks of lines of one KiB have a
// correlation of 0.8 to 1, others of 0.1.
struct Quantile {
    double part = 0, of_mean = 0;
};
constexpr std::array kQuantiles{Quantile{0, 0.74},     Quantile{0.01, 0.76}, Quantile{0.1, 0.787},
                                Quantile{0.2, 0.806},  Quantile{0.3, 0.827}, Quantile{0.4, 0.848},
                                Quantile{0.45, 0.93},  Quantile{0.5, 1.015}, Quantile{0.6, 1.054},
                                Quantile{0.7, 1.076},  Quantile{0.8, 1.1},   Quantile{0.9, 1.21},
                                Quantile{0.95, 1.467}, Quantile{0.99, 1.77}, Quantile{1, 2}};

}  // namespace

DeviceMemoryShare::DeviceMemoryShare(const LineParts& parts, const StoredPlaces& stored,
                                     const ClockRates& rates)
    : rates_(rates),
      parts_(parts),
      places_(cost_of_places(stored)),
      channels_(rates.memory.read_sector * double(kLineSectors),
                places_.turn * rates.memory.turn() * double(kLineSectors)) {}

void DeviceMemoryShare::owe_rest(double sectors, bool apart) {
    to_complete_ += sectors;
    if (apart) apart_to_complete_ += sectors;
}

// Of a sector that is stored, compared with such of whole lines side by side, in few places. For parts of
// lines device memory opens rows anyway, so that many places add nothing; what walks or lies anywhere pays
// for rows.
double DeviceMemoryShare::write_cost(const Passing& passing) const {
    if (passing.local) return 1;
    const bool in_parts = parts_.write > 1 && !passing.apart && passing.scattered == 0;
    return in_parts ? std::max(places_.write, parts_.write) : places_.write;
}

// For what the second level lacks. Where device memory opens a row for each line, it takes that long at
// least.
double DeviceMemoryShare::clocks_of(const Passing& passing) const {
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
void DeviceMemoryShare::complete(double now, Dice& dice) {
    for (; to_complete_ >= 1; to_complete_ -= 1) {
        const bool apart = apart_to_complete_ >= 1;
        if (apart) apart_to_complete_ -= 1;
        const double clocks =
            apart ? rates_.memory.read_scattered : parts_.complete * rates_.memory.read_sector;
        count(MachineKind::load, 1, clocks);
        channels_.read_unasked(now, clocks, dice);
    }
}

double DeviceMemoryShare::take(const Passing& passing, std::span<const LineSectors> lines, double now,
                               Dice& dice) {
    const double clocks = clocks_of(passing);
    count(passing.kind, passing.sectors, clocks);
    const int lacking = std::clamp<int>(int(passing.lines), 1, kMostLines);
    if (passing.kind == MachineKind::store) {
        for (int i = 0; i < lacking; ++i) channels_.write(now, clocks / lacking, dice);
        return now + store_latency(passing.beside ? 1 : lacking, dice);
    }
    const Channels::Ahead ahead = channels_.ahead(now);
    double done = now;
    for (int i = 0; i < lacking; ++i) {
        const bool known = std::size_t(i) < lines.size();
        const std::uint64_t line = known ? lines[std::size_t(i)].line() : 0;
        const double place = known ? Channels::place_of(line) : dice.next();
        const double chance = known ? Dice::of(~(line / kLinesOfKib)) : dice.next();
        const double read = channels_.read(now, clocks / lacking, place, ahead, dice);
        done = std::max(done, read - Channels::kClocksOfLine + latency(chance));
    }
    return done;
}

// Lines of the same KiB take equally long, of others each has a chance of its own.
double DeviceMemoryShare::latency(double chance) const {
    const auto* next = std::find_if(kQuantiles.begin() + 1, kQuantiles.end() - 1,
                                    [&](const Quantile& one) { return one.part >= chance; });
    const Quantile& last = *(next - 1);
    const double way = (chance - last.part) / (next->part - last.part);
    return rates_.latency.memory * (last.of_mean + way * (next->of_mean - last.of_mean));
}

// Until the second level says that it has what lies in so many KiB.
double DeviceMemoryShare::store_latency(int kibs, Dice& dice) const {
    double longest = 0;
    for (int i = 0; i < kibs; ++i) longest = std::max(longest, latency(dice.next()));
    return longest - Channels::kClocksOfLine;
}

// Profilers count what is moved at the theoretical bandwidth, whatever it takes.
void DeviceMemoryShare::count(MachineKind kind, double sectors, double clocks) {
    used_ += rates_.memory_peak > 0 ? std::min(clocks, sectors * rates_.memory_peak) : clocks;
    (kind == MachineKind::store ? moved_.to_memory : moved_.from_memory) += sectors;
}

}  // namespace ws
