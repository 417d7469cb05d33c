#include "gpu/analysis/memory_path.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/analysis/l2_share.h"
#include "gpu/analysis/latest.h"
#include "gpu/analysis/scattered.h"
#include "gpu/analysis/walks.h"
#include "gpu/analysis/warp_clock.h"
#include "gpu/core/first_level.h"

namespace ws {
namespace {

// By which lines of the second level come sooner and later than its mean latency, evenly: by how far their
// slice is. Measured on an H200: bench/l2_latency.
constexpr double kL2Spread = 0.1;

// What the second level is asked to give comes late, also where it has that, while more work than so much, as
// part of its mean latency, lies before device memory. Measured on an H200 (bench/hits_beside_traffic),
// beside reads, writes and copies: loads that hit take 40 to 4760 clocks longer than alone, such that miss up
// to 390 more than those, or 100 fewer.
constexpr double kBeforeMemory = 0.2;

// Where local memory begins, in lines: behind all else.
constexpr std::uint64_t kLocalLines = std::uint64_t(1) << 50;

// Words of a thread's local memory: as the PTX has it, then what the compiler spilled.
int local_lines(const ClockLoad& load) {
    int words = 0;
    for (const MachineInstruction& one : load.code->instructions)
        if (one.space == MemorySpace::local) words = std::max(words, (one.offset + one.bytes) / 4);
    return load.local_words + words;
}

// What is on its way to L1 has its place there. Measured on an H200 (bench/l1_room): of lines of which each
// load lacks one or four, 206 to 224 are on their way to 28 KiB, and 450 to 480 to 60 KiB.
int places_for_lines(std::uint64_t l1_bytes) {
    constexpr std::uint64_t kMost = std::uint64_t(1) << 14;  // never as many are on their way
    return int(l1_bytes > 0 ? std::min(kMost, l1_bytes / kLineBytes) : kMost);
}

int schedulers_of(const ClockLoad& load) {
    return std::max(1, load.schedulers);
}

}  // namespace

MemoryPath::MemoryPath(const ClockLoad& load, const ClockRates& rates)
    : load_(load),
      rates_(rates),
      lsu_(schedulers_of(load), rates.lsu_queue),
      adu_(schedulers_of(load), rates.adu_queue),
      banks_(rates),
      in_l1_(rates.loads_in_l1),
      on_their_way_(rates.sectors_on_their_way),
      lines_on_their_way_(places_for_lines(load.l1_bytes)),
      l1_(CacheLevel(first_level_shape(load.l1_bytes)), Grain::sector, Home::cache),
      share_(l2_share(load.l2_share_bytes), Grain::pair, Home::partition),
      of_others_(load.shared_loads),
      written_(share_.places(), load.never_whole),
      local_lines_(local_lines(load)),
      way_(rates.sectors_to_l2, load.hot_slices),
      slice_(load.slice_round),
      memory_(load.line_parts, load.stored, rates) {
    // What the blocks before have left.
    (void)l1_.ask(load.before);
    (void)share_.ask(load.before);
    if (!load.only_latencies) return;
    lsu_.endless = adu_.endless = banks_.endless = true;
    tex_.endless = l2_.endless = way_.endless = slice_.endless = true;
    memory_.be_endless();
}

// Clocks for what goes with a request.
double MemoryPath::reading_of(const Requester& by) const {
    return by.registers * rates_.operand;
}

double MemoryPath::use_lsu(LsuWork work, const Requester& by, double now, double clocks, double from) {
    of_lsu_[std::size_t(work)] += clocks;
    const double turns = banks_.turns_of(latest(now, from, lsu_.free()), clocks);
    const UnitWork::Kind kind = work == LsuWork::lines ? UnitWork::Kind::store : UnitWork::Kind::other;
    const double done = lsu_.take(
        by.scheduler, now, {.clocks = clocks + turns, .from = from, .reading = reading_of(by), .kind = kind});
    banks_.forget(now);
    banks_.take(done - clocks, clocks);
    return done;
}

void MemoryPath::note_stored(const Requester& by) {
    stored_ = std::max(stored_, lsu_.reads(by.scheduler));
}

double MemoryPath::lane_register(const Requester& by, double now) {
    const double clocks = rates_.access.lane_register;
    of_lsu_[std::size_t(LsuWork::others)] += clocks;
    return lsu_.take(by.scheduler, now, {.clocks = clocks, .from = stored_, .overtakes = true});
}

// When it has left, with its data from L1 or, from `from` on, for the next level.
double MemoryPath::use_l1(const TracedAccess& access, double now, double from, const L1Banks::Work& work,
                          const Requester& by) {
    if (access.kind != MachineKind::load) {
        const double left = use_lsu(LsuWork::lines, by, now, work.clocks, from);
        note_stored(by);
        return left;
    }
    of_lsu_[std::size_t(LsuWork::lines)] += work.clocks;
    if (lsu_.endless) return now;
    // A load leaves the queue once its lines have been looked up. If it has a turn at the banks it waits for
    // that in L1, which loads leave in the order in which they came; what else the unit has to do goes on
    // meanwhile. If all of it comes later, it waits there only for room behind.
    const double lookup = std::max({1.0, double(access.lookups), access.lines * rates_.access.tags});
    const double looked_up = lsu_.take(
        by.scheduler, now,
        {.clocks = lookup, .from = in_l1_.oldest(), .reading = reading_of(by), .kind = UnitWork::Kind::load});
    out_ = latest(out_, banks_.give(looked_up, work), from);
    if (work.in_turn || from > now) in_l1_.put(out_);
    return out_;
}

// Until the last of the lines that it lacks has come.
double MemoryPath::latency_of_l2(const TracedAccess& access, const Asked& asked) const {
    const std::span<const LineSectors> lines = past_first_level(access, asked);
    if (access.kind != MachineKind::load || lines.empty()) return rates_.latency.l2;
    double farthest = 0;
    for (const LineSectors line : lines) farthest = std::max(farthest, Dice::of(line.line()));
    return rates_.latency.l2 * (1 + kL2Spread * (2 * farthest - 1));
}

double MemoryPath::use_adu(const Requester& by, double now, int times, bool constants) {
    const double clocks = rates_.adu * std::max(1, times);
    if (constants) constants_ += clocks;
    return adu_.take(by.scheduler, now, {.clocks = clocks});
}

double MemoryPath::code_line(double now) {
    return given(use_l2({.sectors = double(kLineSectors), .lines = 1}, 0, now), now);
}

// When the second level gives what it was asked for now and has taken at `taken`: it comes late by what lies
// before device memory.
double MemoryPath::given(double taken, double now) const {
    return std::max(taken, now + memory_.backlog(now) - kBeforeMemory * rates_.latency.memory);
}

double MemoryPath::all_free() const {
    return latest(l2_.free, slice_.free(), memory_.free(), acknowledged_);
}

Answer MemoryPath::spill(const MachineInstruction& instruction, std::uint8_t lanes, const Requester& by,
                         double now) {
    constexpr std::uint32_t kAllSectors = (1U << kLineSectors) - 1;
    std::array<LineSectors, 4> words;
    const auto count = std::size_t(std::clamp(instruction.bytes / 4, 1, int(words.size())));
    for (std::size_t i = 0; i < count; ++i)
        words[i] = {std::uint64_t(load_.local_words + std::max(0, instruction.offset) / 4) + i, kAllSectors};
    TracedAccess access;
    access.kind = instruction.kind;
    access.space = MemorySpace::local;
    access.lanes = lanes;
    access.lines = std::uint16_t(count);
    access.sectors = std::uint16_t(kLineSectors * count);
    access.by_l1 = instruction.kind == MachineKind::load;
    if (!access.by_l1) access.past_l1 = access.sectors;
    return request(access, {std::span(words).first(count), {}}, by, now);
}

Answer MemoryPath::request(const WarpTrace& trace, const TracedAccess& access, const Requester& by,
                           double now) {
    if (access.space == MemorySpace::shared) {
        const double wavefronts = access.kind == MachineKind::atomic ? access.ways : access.wavefronts;
        const double served =
            use_lsu(LsuWork::wavefronts, by, now, std::max(1.0, wavefronts * rates_.access.wavefront));
        if (access.kind == MachineKind::store) note_stored(by);
        return {served + rates_.latency.shared, served};
    }
    if (access.space == MemorySpace::constant) {
        const double served = use_adu(by, now, access.wavefronts, true);
        return {served + rates_.latency.constant, served};
    }
    return request(access, {trace.asked_by(access), trace.stored_by(access)}, by, now);
}

std::uint64_t MemoryPath::first_line(const TracedAccess& access, const Requester& by) const {
    if (access.space != MemorySpace::local) return 0;
    return kLocalLines + std::uint64_t(by.place) * std::uint64_t(local_lines_);
}

Answer MemoryPath::request(const TracedAccess& access, const Asked& asked, const Requester& by, double now) {
    const bool texture = access.space == MemorySpace::texture;
    // L1 has loads' wavefronts; what it takes for a store are lines.
    double clocks = access.wavefronts > 0
                        ? access.wavefronts * rates_.access.line
                        : std::max(access.lines * rates_.access.line, access.sectors * rates_.access.sector);
    if (texture) clocks = std::max(clocks, access.lanes * rates_.access.texture_lane);
    // L1 writes through, and keeps what is stored as if it had been loaded.
    double there = 0;
    const std::uint64_t first = first_line(access, by);
    if (access.by_l1)
        there = l1_.ask(asked.lines, first, latest(now, lsu_.free(), in_l1_.oldest(), banks_.free()));
    else if (access.kind == MachineKind::store)
        for (const LineSectors line : asked.lines) (void)l1_.put(line.moved(first));
    const Passing passing = past_l1(access, asked.lines);
    banks_.forget(now);
    L1Banks::Work work{clocks};
    if (access.kind == MachineKind::load && !texture)
        work = banks_.work_of(clocks, access.lines, access.by_l1 ? l1_.late() : passing.lines, by.narrow);
    const double from = passing.sectors > 0 ? room_behind(passing, now) : now;
    const double left = texture ? tex_.take(from, clocks) : use_l1(access, now, from, work, by);
    const double hit = left + (texture ? rates_.latency.texture : rates_.latency.l1);
    if (passing.sectors == 0) {
        // What is stored meets what was stored before.
        if (access.kind == MachineKind::store) (void)past_share(access, asked, passing);
        return {banks_.give_late(std::max(hit, there), work), left, there > hit};
    }
    // What the second level lacks goes to device memory as often as the share says.
    const Passing far = past_share(access, asked, passing);
    const double goes_on = share_past_l2(access, far);
    const Sent sent = send(passing, goes_on * far.first_asked, left);
    const double taken = std::max(sent.left, sent.taken);
    if (far.asked_share && far.sectors > 0) of_others_.note_asked(by.block, sent.left);
    double done = (passing.stores() ? taken : given(taken, sent.left)) + latency_of_l2(access, asked);
    if (texture) done += rates_.latency.texture - rates_.latency.l1;
    if (far.sectors > 0) owed_ += goes_on;
    // What lies anywhere in more than the second level keeps leaves it before it is whole.
    if (far.scattered > load_.l2_bytes) memory_.owe_rest(goes_on * far.parts, true);
    if (owed_ >= 1) {
        owed_ -= 1;
        l2_use_.add_moved(far.sectors);
        use_slice(SecondLevelUse::looked_up_for_moving(far.sectors), sent.left);
        done = std::max(done, memory_.take(far, lacking(access, asked, far), sent.left, dice_));
    } else if (far.asked_share && far.sectors > 0 && of_others_.any()) {
        if (const auto since = of_others_.asked_since(by.block, dice_.next() * (1 - goes_on)))
            done = std::max(done, *since + memory_.latency(dice_.next()));
    }
    if (load_.hot_slices > 0 && !passing.stores()) done += wait_among_atomics(access, asked, left);
    memory_.complete(sent.left, dice_);
    if (far.asked_share) share_.bring(done);
    done = std::max(done, far.there);
    if (access.by_l1) l1_.bring(done);
    if (passing.stores()) acknowledged_ = std::max(acknowledged_, done);
    if (passing.kind == MachineKind::load) {
        on_their_way_.put(done, int(passing.sectors));
        lines_on_their_way_.put(done, int(passing.places));
    }
    return {banks_.give_late(std::max(done, there), work), left, true};
}

double MemoryPath::share_past_l2(const TracedAccess& access, const Passing& far) const {
    if (access.space == MemorySpace::local)
        return access.kind == MachineKind::store ? load_.spill_stores_past_l2 : load_.spills_past_l2;
    if (far.scattered == 0) {
        const PastL2& past = load_.past_l2;
        if (access.kind == MachineKind::atomic) return past.atomics;
        return access.kind == MachineKind::store ? past.stores : past.loads;
    }
    if (far.scattered <= load_.l2_bytes) return load_.past_l2.scattered;
    // What lies anywhere in more than the second level keeps: of its lines it has so many, and of such a one
    // the half that was asked for last, unless that was the other one and the line was there then, and so on.
    const double has_half = 0.5 * load_.l2_bytes / far.scattered;
    return 1 - has_half / (1 - has_half);
}

Passing MemoryPath::past_l1(const TracedAccess& access, std::span<const LineSectors> asked) const {
    Passing made{access.kind, access.lanes};
    made.local = access.space == MemorySpace::local;
    made.apart = access.walks;
    if (made.apart && access.kind == MachineKind::store) made.row = kWalkStoreCost;
    if (made.apart && access.kind == MachineKind::load && asked.size() > 1)
        made.row = walk_load_cost(double(kLineBytes) * double(asked.back().line() - asked.front().line()) /
                                  double(asked.size() - 1));
    if (access.by_l1) {
        for (const LineSectors line : l1_.missing()) made.sectors += line.count();
        made.lines = double(l1_.missing().size());
        made.places = l1_.new_lines();
    } else {
        made.sectors = access.past_l1;
        made.lines = made.sectors * access.lines / std::max<int>(1, access.sectors);
        // Those that met before are one.
        const double go_on = made.sectors / std::max<int>(1, access.sectors);
        made.parts = go_on * access.parts;
        made.lines_of_parts = go_on * access.lines_of_parts;
        made.places = std::ceil(made.lines);
    }
    made.beside = 2 * made.sectors > 3 * made.lines;
    return made;
}

// Of what passes L1, what the multiprocessor's share of the second level has not had lately: of loads with
// the other half of 64 bytes, which device memory gives at least.
Passing MemoryPath::past_share(const TracedAccess& access, const Asked& asked, const Passing& past_l1) {
    // Local memory is looked at as a whole (spill_shares), and atomics are done there.
    if (access.space == MemorySpace::local || asked.lines.empty()) return past_l1;
    if (load_.past_l2.is_none()) return {access.kind, access.lanes};
    if (access.kind == MachineKind::store) return store_to_share(asked, past_l1);
    Passing made = past_l1;
    made.sectors = made.lines = 0;
    const std::span<const LineSectors> wanted = past_first_level(access, asked);
    made.scattered = scattered_over(wanted);
    if (made.scattered > 0) {
        // Others bring and evict these, too: the share is no measure for how long they stay.
        for (const LineSectors line : wanted) made.sectors += line.in_pairs().count();
        made.lines = made.first_asked = double(wanted.size());
        return made;
    }
    made.there = share_.ask(wanted);
    settle_replaced();
    for (const LineSectors line : share_.missing()) made.sectors += line.count();
    made.lines = double(share_.missing().size());
    made.first_asked = share_.first_asked();
    made.asked_share = true;
    return made;
}

Passing MemoryPath::store_to_share(const Asked& asked, const Passing& past_l1) {
    Passing made = past_l1;
    made.scattered = scattered_over(asked.lines);
    if (made.scattered > 0) return made;
    made.sectors = made.lines = 0;
    for (std::size_t i = 0; i < asked.lines.size(); ++i) {
        const LineSectors line = asked.lines[i];
        const CacheLevel::Taken taken = share_.put(line);
        settle_replaced();
        const WrittenSectors::Stored stored =
            written_.store(taken.place, line, line.sectors() & ~taken.missing,
                           asked.bytes.empty() ? nullptr : &asked.bytes[i], made.apart);
        made.sectors += sectors_in(stored.fresh);
        made.lines += stored.fresh != 0;
        memory_.owe_rest(load_.past_l2.alone * stored.lacking, made.apart);
    }
    // Those that met before are one.
    made.sectors = std::min(made.sectors, past_l1.sectors);
    made.lines = std::min(made.lines, past_l1.lines);
    made.parts = std::min(made.parts, made.sectors);
    return made;
}

// Sectors that had to leave the share before they were whole.
void MemoryPath::settle_replaced() {
    for (const std::size_t place : share_.replaced()) {
        const WrittenSectors::Left left = written_.leave(place);
        memory_.owe_rest(load_.past_l2.alone * left.lacking, left.apart);
    }
}

// From when on there is room for it behind the first level.
double MemoryPath::room_behind(const Passing& passing, double now) const {
    // L1 has places for so many sectors and lines that are on their way to it; a load that lacks more waits.
    if (passing.kind == MachineKind::load)
        return latest(now, on_their_way_.oldest(int(passing.sectors)),
                      lines_on_their_way_.oldest(int(passing.places)));
    // What is on the way to device memory fills the queues up to here, as what comes now finds them once it
    // has left.
    const double full_until = memory_.free() - 4 * rates_.latency.memory;
    const double from = full_until > way_.last() ? std::max(now, full_until) : now;
    return passing.stores() ? way_.room(from, passing.sectors) : from;
}

// To the second level. What is stored is on its way until that takes it, an atomic until its slice does.
MemoryPath::Sent MemoryPath::send(const Passing& passing, double far_lines, double now) {
    if (passing.kind != MachineKind::atomic)
        use_slice(SecondLevelUse::looked_up(passing.sectors, passing.lines), now);
    if (!passing.stores()) {
        const double left = way_.pass_load(now);
        return {left, use_l2(passing, far_lines, left)};
    }
    const double taken = use_l2(passing, far_lines, now);
    const double until = passing.kind == MachineKind::atomic ? slice_.take(now, load_.slice_clocks) : taken;
    return {way_.pass(now, until, passing.sectors, passing.kind == MachineKind::atomic), taken};
}

// Beside what it takes of the second level and of device memory from now on: those are not in order with it.
double MemoryPath::wait_among_atomics(const TracedAccess& access, const Asked& asked, double now) {
    double wait = 0;
    for (const LineSectors line : past_first_level(access, asked))
        wait = std::max(wait, way_.wait_of_load(now, Dice::of(~slice_of(line.line() * kLineBytes))));
    return wait;
}

// What is no atomic goes to all slices alike, so that the one with most atomics has its part of it.
void MemoryPath::use_slice(double looked_up, double now) {
    slice_.use(now, SecondLevelUse::clocks_of_slice(looked_up, rates_.l2.read_sector));
}

double MemoryPath::use_l2(const Passing& passing, double far_lines, double now) {
    const double clocks = clocks_of_l2(passing, far_lines);
    l2_use_.add(passing.sectors, passing.lines, clocks, passing.stores());
    const double taken = l2_.take(now, clocks);
    if (passing.stores() || l2_.endless) return taken;
    // What has not been taken of what is stored lets all else pass.
    loads_free_ = std::max(loads_free_, now) + clocks;
    return std::min(taken, loads_free_);
}

// `far_lines`: of the lines, those that had to be brought. Each line is looked up in the near one of the two
// partitions; half of those that are not there belong to the other one, and are looked up there, too. What is
// stored always goes where it belongs.
double MemoryPath::clocks_of_l2(const Passing& passing, double far_lines) const {
    constexpr double kElsewhere = 0.5;
    const Level& l2 = rates_.l2;
    switch (passing.kind) {
        case MachineKind::atomic:
            return std::max(passing.sectors * l2.atomic_sector, passing.lanes * l2.atomic_lane);
        case MachineKind::store: {
            const double whole = passing.sectors - passing.parts;
            const double lines = passing.lines - passing.lines_of_parts;
            return std::max(whole * l2.write_sector + passing.parts * l2.write_part,
                            lines * (1 + kElsewhere) * l2.read_line + passing.lines_of_parts * l2.write_line);
        }
        default:
            return std::max(passing.sectors * l2.read_sector,
                            (passing.lines + kElsewhere * far_lines) * l2.read_line);
    }
}

// The load/store unit is one, and so is the ADU, whatever they work for: their whole time stands with what
// they have most of.
void MemoryPath::add_busy(std::array<double, kParts>& all) const {
    const auto busy = [&](Part part) -> double& { return all[std::size_t(part)]; };
    constexpr std::array<Part, kLsuWorks> kOfWork{Part::l1, Part::shared, Part::lsu};
    const auto most = std::max_element(of_lsu_.begin(), of_lsu_.end()) - of_lsu_.begin();
    for (std::size_t work = 0; work < kLsuWorks; ++work)
        busy(kOfWork[work]) =
            std::ptrdiff_t(work) == most ? std::max(banks_.busy, of_lsu_[work]) : of_lsu_[work];
    busy(Part::texture) = tex_.busy;
    const bool mostly_constants = 2 * constants_ >= adu_.busy;
    busy(Part::constant) = mostly_constants ? adu_.busy : constants_;
    busy(Part::adu) = mostly_constants ? adu_.busy - constants_ : adu_.busy;
    busy(Part::l2) = l2_use_.busy(rates_.l2.read_sector);
    busy(Part::memory) = memory_.used();
}

}  // namespace ws
