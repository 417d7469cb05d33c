#include "gpu/analysis/memory_path.h"

#include <algorithm>
#include <cmath>

#include "gpu/analysis/warp_clock.h"

namespace ws {
namespace {

constexpr int kSectorBytes = 32;
constexpr int kSectorsOfLine = 4;
constexpr int kLanes = 32;
// Of the mean latency of device memory: what some lines take longer than others, exponentially distributed.
// Measured on an H200: 2, 4 and 8 lines on their way wait 108, 207 and 356 clocks longer than one.
constexpr double kMemorySpread = 0.3;

double lines_past_l1(const TracedAccess& access) {
    return double(access.past_l1) * access.lines / std::max<int>(1, access.sectors);
}

bool side_by_side(const TracedAccess& access) {
    return 2 * access.sectors > 3 * access.lines;
}

// Of a level behind the first one, for what it lacks.
double clocks_of(const Level& level, const TracedAccess& access) {
    const double sectors = access.past_l1;
    const double lines = lines_past_l1(access);
    switch (access.kind) {
        case MachineKind::atomic:
            return std::max(sectors * level.atomic_sector, access.lanes * level.atomic_lane);
        case MachineKind::store: {
            const double whole = std::min(sectors, double(access.bytes) / kSectorBytes);
            const double clocks = whole * level.write_sector + (sectors - whole) * level.write_part;
            // Less than half of what it touches: a line for each.
            return 2 * whole < sectors ? std::max(clocks, lines * level.write_line) : clocks;
        }
        default:
            // What is left of a line mostly comes with its neighbours.
            return 2 * sectors > 3 * lines ? sectors * level.read_sector
                                           : std::max(sectors * level.read_sector, lines * level.read_line);
    }
}

}  // namespace

MemoryPath::MemoryPath(const ClockLoad& load, const ClockRates& rates)
    : load_(load),
      rates_(rates),
      lsu_(rates.access.queue),
      adu_(rates.access.queue),
      memory_(rates.memory.read_sector * kSectorsOfLine) {
    if (!load.only_latencies) return;
    lsu_.make_endless();
    adu_.make_endless();
    tex_.endless = l2_.endless = slice_.endless = memory_.endless = true;
}

double MemoryPath::use_lsu(LsuWork work, double now, double clocks) {
    of_lsu_[std::size_t(work)] += clocks;
    return lsu_.take(now, clocks);
}

double MemoryPath::use_adu(double now, int times, bool constants) {
    const double clocks = rates_.adu * std::max(1, times);
    if (constants) constants_ += clocks;
    return adu_.take(now, clocks);
}

double MemoryPath::all_free() const {
    return std::max({l2_.free, slice_.free, memory_.free()});
}

double MemoryPath::spill(const MachineInstruction& instruction, std::uint8_t lanes, double now,
                         std::uint64_t together) {
    TracedAccess access;
    access.kind = instruction.kind;
    access.space = MemorySpace::local;
    access.lanes = lanes;
    access.lines = std::uint16_t(std::max(1, instruction.bytes / 4));
    access.sectors = std::uint16_t(kSectorsOfLine * access.lines);
    access.bytes = std::uint16_t(kSectorBytes * access.sectors);
    // L1 writes through.
    if (access.kind == MachineKind::store) {
        access.past_l1 = access.sectors;
        return request(access, now, load_.spill_stores_past_l2, together);
    }
    spilled_ += load_.spills_past_l1;
    if (spilled_ >= 1) {
        spilled_ -= 1;
        access.past_l1 = access.sectors;
    }
    return request(access, now, load_.spills_past_l2, together);
}

double MemoryPath::request(const TracedAccess& access, double now, std::uint64_t together) {
    if (access.space == MemorySpace::shared) {
        const double wavefronts = access.kind == MachineKind::atomic ? access.ways : access.wavefronts;
        return use_lsu(LsuWork::wavefronts, now, std::max(1.0, wavefronts * rates_.access.wavefront)) +
               rates_.latency.shared;
    }
    if (access.space == MemorySpace::constant)
        return use_adu(now, access.wavefronts, true) + rates_.latency.constant;
    return request(access, now, load_.past_l2, together);
}

double MemoryPath::request(const TracedAccess& access, double now, double past_l2, std::uint64_t together) {
    const bool texture = access.space == MemorySpace::texture;
    // L1 has loads' wavefronts; what it takes for a store are lines.
    double clocks = access.wavefronts > 0
                        ? access.wavefronts * rates_.access.line
                        : std::max(access.lines * rates_.access.line, access.sectors * rates_.access.sector);
    if (texture) clocks = std::max(clocks, access.lanes * rates_.access.texture_lane);
    // What is on the way to memory fills the queues up to here.
    double from = now;
    if (access.past_l1 > 0) from = std::max(now, all_free() - 4 * rates_.latency.memory);
    const double served = texture ? tex_.take(from, clocks) : use_lsu(LsuWork::lines, from, clocks);
    const double hit = served + (texture ? rates_.latency.texture : rates_.latency.l1);
    if (access.past_l1 == 0) return hit;
    double done = use_l2(access, served);
    if (texture) done += rates_.latency.texture - rates_.latency.l1;
    // Requests go to device memory as often as the share says.
    owed_ += past_l2;
    if (owed_ >= 1) {
        owed_ -= 1;
        l2_use_.add_moved(access.past_l1);
        done = std::max(done, use_memory(access, served, together));
    }
    return done;
}

double MemoryPath::use_l2(const TracedAccess& access, double now) {
    const bool atomic = access.kind == MachineKind::atomic;
    const double clocks = clocks_of(rates_.l2, access);
    l2_use_.add(access.past_l1, lines_past_l1(access), clocks, atomic || access.kind == MachineKind::store);
    const double taken = l2_.take(now, clocks);
    return (atomic ? std::max(taken, slice_.take(now, load_.slice_clocks)) : taken) + rates_.latency.l2;
}

// Each line on its own; what is asked for comes with the last of them.
double MemoryPath::use_memory(const TracedAccess& access, double now, std::uint64_t together) {
    const int lines = std::clamp<int>(int(lines_past_l1(access)), 1, kLanes);
    const double clocks = clocks_of(rates_.memory, access);
    memory_use_ += at_peak(access.kind, clocks);
    // The rest of the latency is the same for all: the measured one has these parts in it.
    const double spread = kMemorySpread * rates_.latency.memory;
    const double least = rates_.latency.memory - spread - Channels::kClocksOfLine;
    // What the warps of a block want by one instruction mostly lies side by side, and comes together;
    // lines of which only a part is wanted are apart, and each comes when it comes.
    const bool beside = side_by_side(access);
    const double of_all = Dice::of(together);
    double done = now;
    for (int i = 0; i < lines; ++i) {
        const double taken = memory_.take(now, clocks / lines, access.kind == MachineKind::store, dice_);
        done = std::max(done, taken - spread * std::log(beside ? of_all : dice_.next()));
    }
    return done + std::max(0.0, least);
}

// What takes device memory so long at the measured rates, at its theoretical bandwidth.
double MemoryPath::at_peak(MachineKind kind, double clocks) const {
    if (rates_.memory_peak <= 0 || kind == MachineKind::atomic) return clocks;
    const Level& memory = rates_.memory;
    const double reached = kind == MachineKind::store ? memory.write_sector : memory.read_sector;
    return clocks * std::min(1.0, rates_.memory_peak / reached);
}

// The load/store unit is one, and so is the ADU, whatever they work for: their whole time stands with what
// they have most of.
void MemoryPath::add_busy(std::array<double, kParts>& all) const {
    const auto busy = [&](Part part) -> double& { return all[std::size_t(part)]; };
    constexpr std::array<Part, kLsuWorks> kOfWork{Part::l1, Part::shared, Part::lsu};
    const auto most = std::max_element(of_lsu_.begin(), of_lsu_.end()) - of_lsu_.begin();
    for (std::size_t work = 0; work < kLsuWorks; ++work)
        busy(kOfWork[work]) = std::ptrdiff_t(work) == most ? lsu_.busy() : of_lsu_[work];
    busy(Part::texture) = tex_.busy;
    const bool mostly_constants = 2 * constants_ >= adu_.busy();
    busy(Part::constant) = mostly_constants ? adu_.busy() : constants_;
    busy(Part::adu) = mostly_constants ? adu_.busy() - constants_ : adu_.busy();
    busy(Part::l2) = l2_use_.busy(rates_.l2.read_sector);
    busy(Part::memory) = memory_use_;
}

}  // namespace ws
