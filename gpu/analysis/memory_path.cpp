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

int schedulers_of(const ClockLoad& load) {
    return std::max(1, load.schedulers);
}

}  // namespace

MemoryPath::MemoryPath(const ClockLoad& load, const ClockRates& rates)
    : load_(load),
      rates_(rates),
      lsu_(schedulers_of(load), rates.lsu_queue.own, rates.lsu_queue.shared),
      adu_(schedulers_of(load), rates.adu_queue.own, rates.adu_queue.shared),
      in_l1_(rates.loads_in_l1),
      memory_(rates.memory.read_sector * kSectorsOfLine) {
    if (!load.only_latencies) return;
    lsu_.endless = adu_.endless = data_.endless = true;
    tex_.endless = l2_.endless = slice_.endless = memory_.endless = true;
}

double MemoryPath::use_lsu(LsuWork work, const Requester& by, double now, double clocks, double from) {
    of_lsu_[std::size_t(work)] += clocks;
    const double done = lsu_.take(by.scheduler, now, clocks, std::max(data_.free, from));
    (void)data_.take(done - clocks, clocks);
    return done;
}

// When its data are there, from L1 or, from `from` on, for the next level.
double MemoryPath::use_l1(const TracedAccess& access, double now, double from, double clocks,
                          const Requester& by) {
    if (access.kind != MachineKind::load) return use_lsu(LsuWork::lines, by, now, clocks, from);
    of_lsu_[std::size_t(LsuWork::lines)] += clocks;
    if (lsu_.endless) return now;
    // A load leaves the queue once its lines have been looked up. It waits in L1, which loads leave in the
    // order in which they came; what else the unit has to do goes on meanwhile.
    const double lookup = std::max(1.0, access.lines * rates_.access.tags);
    const double looked_up = lsu_.take(by.scheduler, now, lookup, in_l1_.oldest());
    out_ = std::max({out_, data_.take(looked_up, clocks), from});
    in_l1_.put(out_);
    return out_;
}

double MemoryPath::use_adu(const Requester& by, double now, int times, bool constants) {
    const double clocks = rates_.adu * std::max(1, times);
    if (constants) constants_ += clocks;
    return adu_.take(by.scheduler, now, clocks);
}

double MemoryPath::code_line(double now) {
    const double clocks = kSectorsOfLine * rates_.l2.read_sector;
    l2_use_.add(kSectorsOfLine, 1, clocks, false);
    return l2_.take(now, clocks);
}

double MemoryPath::all_free() const {
    return std::max({l2_.free, slice_.free, memory_.free()});
}

Answer MemoryPath::spill(const MachineInstruction& instruction, std::uint8_t lanes, double now,
                         const Requester& by) {
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
        return request(access, now, load_.spill_stores_past_l2, by);
    }
    spilled_ += load_.spills_past_l1;
    if (spilled_ >= 1) {
        spilled_ -= 1;
        access.past_l1 = access.sectors;
    }
    return request(access, now, load_.spills_past_l2, by);
}

Answer MemoryPath::request(const TracedAccess& access, double now, const Requester& by) {
    if (access.space == MemorySpace::shared) {
        const double wavefronts = access.kind == MachineKind::atomic ? access.ways : access.wavefronts;
        const double served =
            use_lsu(LsuWork::wavefronts, by, now, std::max(1.0, wavefronts * rates_.access.wavefront));
        return {served + rates_.latency.shared, served};
    }
    if (access.space == MemorySpace::constant) {
        const double served = use_adu(by, now, access.wavefronts, true);
        return {served + rates_.latency.constant, served};
    }
    return request(access, now, load_.past_l2, by);
}

Answer MemoryPath::request(const TracedAccess& access, double now, double past_l2, const Requester& by) {
    const bool texture = access.space == MemorySpace::texture;
    // L1 has loads' wavefronts; what it takes for a store are lines.
    double clocks = access.wavefronts > 0
                        ? access.wavefronts * rates_.access.line
                        : std::max(access.lines * rates_.access.line, access.sectors * rates_.access.sector);
    if (texture) clocks = std::max(clocks, access.lanes * rates_.access.texture_lane);
    // What is on the way to memory fills the queues up to here.
    double from = now;
    if (access.past_l1 > 0) from = std::max(now, all_free() - 4 * rates_.latency.memory);
    const double left = texture ? tex_.take(from, clocks) : use_l1(access, now, from, clocks, by);
    if (access.past_l1 == 0) return {left + (texture ? rates_.latency.texture : rates_.latency.l1), left};
    double done = use_l2(access, left) + rates_.latency.l2;
    if (texture) done += rates_.latency.texture - rates_.latency.l1;
    // Requests go to device memory as often as the share says.
    owed_ += past_l2;
    if (owed_ >= 1) {
        owed_ -= 1;
        l2_use_.add_moved(access.past_l1);
        done = std::max(done, use_memory(access, left, by.together));
    }
    return {done, left};
}

double MemoryPath::use_l2(const TracedAccess& access, double now) {
    const bool atomic = access.kind == MachineKind::atomic;
    const double clocks = clocks_of(rates_.l2, access);
    l2_use_.add(access.past_l1, lines_past_l1(access), clocks, atomic || access.kind == MachineKind::store);
    const double taken = l2_.take(now, clocks);
    return atomic ? std::max(taken, slice_.take(now, load_.slice_clocks)) : taken;
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
        busy(kOfWork[work]) = std::ptrdiff_t(work) == most ? data_.busy : of_lsu_[work];
    busy(Part::texture) = tex_.busy;
    const bool mostly_constants = 2 * constants_ >= adu_.busy;
    busy(Part::constant) = mostly_constants ? adu_.busy : constants_;
    busy(Part::adu) = mostly_constants ? adu_.busy - constants_ : adu_.busy;
    busy(Part::l2) = l2_use_.busy(rates_.l2.read_sector);
    busy(Part::memory) = memory_use_;
}

}  // namespace ws
