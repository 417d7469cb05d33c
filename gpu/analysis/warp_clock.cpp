#include "gpu/analysis/warp_clock.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "gpu/analysis/clock_units.h"

namespace ws {
namespace {

constexpr int kScoreboards = 6;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
constexpr int kSectorBytes = 32;
constexpr int kSectorsOfLine = 4;
constexpr int kLanes = 32;
constexpr int kAtomicCount = 0xf8c;  // ATOMS.POPC.INC: lanes that add 1 to the same word come as one
// Of the mean latency of device memory: what some lines take longer than others, exponentially distributed.
// Measured on an H200: 2, 4 and 8 lines on their way wait 108, 207 and 356 clocks longer than one.
constexpr double kMemorySpread = 0.3;

// The parts of the GPU that work for the load/store unit.
enum class LsuWork : std::uint8_t { lines, wavefronts, others };
constexpr std::size_t kLsuWorks = 3;

std::optional<Part> part_of(MachinePipe pipe) {
    switch (pipe) {
        case MachinePipe::fma:
        case MachinePipe::fma_heavy:
            return Part::fma;
        case MachinePipe::alu:
            return Part::alu;
        case MachinePipe::fp64:
            return Part::fp64;
        case MachinePipe::xu:
            return Part::xu;
        default:
            return std::nullopt;  // units that no bound stands for
    }
}

struct Scoreboard {
    std::vector<double> done;  // when what it counts is there, in the order of issue
    bool of_memory = false;
};

// Why the next instruction has to wait, and until when.
struct Wait {
    double dependency = 0;
    double memory = 0;
};

struct Running {
    const ClockWarp* warp = nullptr;
    int block = 0;
    int row = -1;
    std::size_t at = 0;     // the next step
    double issued_at = -1;  // the last
    double next = 0;        // from its stall count
    double passed_barrier = 0;
    double copied = 0;  // when its asynchronous copies are done
    bool at_barrier = false;
    bool ended = true;
    Scoreboard boards[kScoreboards];
};

struct Resident {
    int warps = 0;
    int place = 0;
    int ended = 0;
    int waiting = 0;  // at the barrier
    double last_arrival = 0;
};

// Of a block that has ended: another one's, some clocks later.
struct Place {
    int index = 0;
    double free = 0;
};

class Clock {
  public:
    Clock(const ClockLoad& load, const ClockRates& rates)
        : load_(load),
          rates_(rates),
          lsu_(rates.access.queue),
          adu_(rates.access.queue),
          memory_(rates.memory.read_sector * kSectorsOfLine) {
        run_.by_instruction.resize(load.code->instructions.size());
        std::size_t schedulers = std::size_t(load.schedulers);
        if (load.only_latencies) {
            std::size_t warps = 1;
            for (const auto& block : load.blocks) warps = std::max(warps, block.size());
            schedulers = warps * std::size_t(load.resident_blocks);
            lsu_.make_endless();
            adu_.make_endless();
            tex_.endless = l2_.endless = slice_.endless = memory_.endless = true;
        }
        schedulers_.resize(schedulers);
        for (Scheduler& scheduler : schedulers_) scheduler.pipe_free.fill(0);
        blocks_.resize(load.blocks.size());
    }

    ClockRun run() {
        while (next_block_ < int(load_.blocks.size()) && next_block_ < load_.resident_blocks)
            admit(next_block_, 0);
        double now = 0;
        while (alive_ > 0 || (!places_.empty() && next_block_ < int(load_.blocks.size()))) {
            double soonest = double(kNever);
            for (Scheduler& scheduler : schedulers_) {
                const double at = step(scheduler, now);
                soonest = std::min(soonest, at);
            }
            for (const Place& place : std::exchange(places_, {})) {
                if (next_block_ == int(load_.blocks.size())) break;  // two have ended, one is left
                if (place.free > now + 1) {
                    places_.push_back(place);
                    soonest = std::min(soonest, place.free);
                    continue;
                }
                admit(place.index, now + 1);
                soonest = now + 1;
            }
            if (soonest >= double(kNever)) {
                if (!release_stuck(now)) break;
                continue;
            }
            now = std::max(now + 1, std::ceil(soonest));
        }
        // What is still on its way to memory belongs to the launch.
        run_.clocks = std::int64_t(std::ceil(std::max({last_, l2_.free, slice_.free, memory_.free()})));
        finish_timeline();
        sum_up();
        return std::move(run_);
    }

  private:
    struct Scheduler {
        std::vector<Running> warps;
        int last = -1;  // the warp that it issued last
        std::array<double, kMachinePipes> pipe_free{};
        std::array<std::vector<double>, kMachinePipes> taken;  // when each pipe took a warp
    };

    // The next block's warps, in the place of one that has ended: on the same schedulers.
    void admit(int place, double now) {
        const int block = next_block_++;
        now = std::max(now, admitted_ + rates_.block_launch);
        admitted_ = now;
        const std::vector<ClockWarp>& warps = load_.blocks[std::size_t(block)];
        blocks_[std::size_t(block)] = {int(warps.size()), place, 0, 0, 0};
        if (block + 1 == load_.resident_blocks) full_.from = now;
        std::size_t next = std::size_t(place) * warps.size();
        for (const ClockWarp& warp : warps) {
            const std::size_t index = next++ % schedulers_.size();
            Scheduler& scheduler = schedulers_[index];
            Running made;
            made.warp = &warp;
            made.block = block;
            made.next = now;
            made.issued_at = std::ceil(now) - 1;
            made.ended = false;
            auto free = std::find_if(scheduler.warps.begin(), scheduler.warps.end(),
                                     [](const Running& one) { return one.ended; });
            if (free == scheduler.warps.end()) {
                made.row = int(scheduler.warps.size());
                scheduler.warps.push_back(std::move(made));
                if (index == 0) run_.timeline.rows.emplace_back();
                free = std::prev(scheduler.warps.end());
            } else {
                made.row = free->row;
                *free = std::move(made);
            }
            ++alive_;
            if (free->warp->path->steps.empty()) end(*free, now);
        }
    }

    [[nodiscard]] const MachineStep& step_of(const Running& warp) const {
        return warp.warp->path->steps[warp.at];
    }
    [[nodiscard]] const MachineInstruction& instruction_of(const Running& warp) const {
        return load_.code->instructions[std::size_t(step_of(warp).instruction)];
    }

    // What the scoreboards say of the next instruction.
    [[nodiscard]] Wait wait_of(const Running& warp) const {
        const MachineInstruction& instruction = instruction_of(warp);
        Wait wait;
        const auto add = [&](const Scoreboard& board, std::size_t may_remain) {
            if (board.done.size() <= may_remain) return;
            const auto end = board.done.end() - std::ptrdiff_t(may_remain);
            const double until = *std::max_element(board.done.begin(), end);
            double& kind = board.of_memory ? wait.memory : wait.dependency;
            kind = std::max(kind, until);
        };
        for (int board = 0; board < kScoreboards; ++board)
            if (instruction.control.waits >> board & 1) add(warp.boards[board], 0);
        const AwaitedScoreboard& awaited = instruction.awaited;
        if (awaited.number >= 0 && awaited.number < kScoreboards)
            add(warp.boards[awaited.number], std::size_t(awaited.may_remain));
        return wait;
    }

    [[nodiscard]] static bool uses_lsu(const MachineInstruction& instruction) {
        return instruction.pipe == MachinePipe::lsu || instruction.pipe == MachinePipe::texture ||
               (instruction.kind == MachineKind::shuffle && instruction.pipe != MachinePipe::adu);
    }

    [[nodiscard]] double queue_ready(const MachineInstruction& instruction) const {
        if (uses_lsu(instruction)) return lsu_.ready();
        return instruction.pipe == MachinePipe::adu ? adu_.ready() : 0;
    }
    [[nodiscard]] double pipe_ready(const Scheduler& scheduler, const MachineInstruction& instruction) const {
        return std::max(scheduler.pipe_free[std::size_t(instruction.pipe)], queue_ready(instruction));
    }

    // Issues for one scheduler, if a warp is ready; returns when one will be, at the earliest.
    double step(Scheduler& scheduler, double now) {
        double soonest = double(kNever);
        int chosen = -1;
        for (std::size_t i = 0; i < scheduler.warps.size(); ++i) {
            Running& warp = scheduler.warps[i];
            if (warp.ended || warp.at_barrier) continue;
            const Wait wait = wait_of(warp);
            const double ready = std::max({warp.next, wait.dependency, wait.memory, warp.passed_barrier,
                                           pipe_ready(scheduler, instruction_of(warp))});
            if (ready > now) {
                soonest = std::min(soonest, ready);
                continue;
            }
            const bool greedy = int(i) == scheduler.last;
            if (chosen < 0 || greedy ||
                (chosen != scheduler.last && is_younger(warp, scheduler.warps[std::size_t(chosen)])))
                chosen = int(i);
        }
        if (chosen < 0) return soonest;
        scheduler.last = chosen;
        issue(scheduler, scheduler.warps[std::size_t(chosen)], now);
        return now + 1;
    }

    [[nodiscard]] static bool is_younger(const Running& a, const Running& b) {
        return a.block != b.block ? a.block > b.block : a.row > b.row;
    }

    void issue(Scheduler& scheduler, Running& warp, double now) {
        const MachineStep step = step_of(warp);
        const MachineInstruction& instruction = instruction_of(warp);
        account(scheduler, warp, instruction, now);
        warp.passed_barrier = 0;
        if (now >= full_.from && !full_.before) full_.before = run_.issued;
        ++run_.issued;
        last_ = std::max(last_, now + 1);
        use_pipe(scheduler, instruction.pipe, now);
        scheduler.taken[std::size_t(instruction.pipe)].push_back(now);
        clear_waited(warp, instruction);
        const double done = result_of(warp, step, instruction, now);
        set_boards(warp, instruction, now, done);
        warp.issued_at = now;
        warp.next = now + std::max(1, instruction.control.stall);
        ++warp.at;
        if (instruction.kind == MachineKind::branch && warp.at < warp.warp->path->steps.size() &&
            step_of(warp).instruction != step.instruction + 1)
            warp.next += rates_.taken_branch;
        if (warp.at == warp.warp->path->steps.size()) return end(warp, now);
        if (instruction.kind == MachineKind::barrier && instruction.name == "BAR") arrive(warp, now);
    }

    void use_pipe(Scheduler& scheduler, MachinePipe pipe, double now) {
        if (load_.only_latencies) return;
        const double clocks = rates_.pipe_clocks[std::size_t(pipe)];
        double& free = scheduler.pipe_free[std::size_t(pipe)];
        free = std::max(free, now) + clocks;
        if (const std::optional<Part> part = part_of(pipe))
            run_.busy[std::size_t(*part)] += clocks / double(schedulers_.size());
    }

    // When the load/store unit has done it.
    double use_lsu(LsuWork work, double now, double clocks) {
        of_lsu_[std::size_t(work)] += clocks;
        return lsu_.take(now, clocks);
    }

    static void clear_waited(Running& warp, const MachineInstruction& instruction) {
        for (int board = 0; board < kScoreboards; ++board)
            if (instruction.control.waits >> board & 1) warp.boards[board].done.clear();
    }

    void set_boards(Running& warp, const MachineInstruction& instruction, double now, double done) {
        const auto put = [&](int board, double at, bool memory) {
            if (board >= kScoreboards) return;
            Scoreboard& one = warp.boards[board];
            std::erase_if(one.done, [now](double there) { return there <= now; });
            one.of_memory = one.done.empty() ? memory : one.of_memory || memory;
            one.done.push_back(at);
        };
        const bool memory =
            instruction.kind != MachineKind::shuffle &&
            (instruction.space == MemorySpace::global || instruction.space == MemorySpace::local ||
             instruction.space == MemorySpace::texture || instruction.space == MemorySpace::generic ||
             instruction.name == "LDGDEPBAR");
        if (instruction.control.write_barrier >= 0) put(instruction.control.write_barrier, done, memory);
        if (instruction.control.read_barrier >= 0) {
            const double read = uses_lsu(instruction) ? std::max(now, lsu_.free()) : now;
            put(instruction.control.read_barrier, read + rates_.latency.operands, memory);
        }
    }

    // When the result is there.
    double result_of(Running& warp, const MachineStep& step, const MachineInstruction& instruction,
                     double now) {
        const TracedAccess* access =
            step.access >= 0 ? &warp.warp->trace->accesses[std::size_t(step.access)] : nullptr;
        switch (instruction.kind) {
            case MachineKind::load:
            case MachineKind::store:
            case MachineKind::atomic:
            case MachineKind::texture:
                if (access && instruction.opcode == kAtomicCount)
                    return use_lsu(LsuWork::wavefronts, now, access->wavefronts) + rates_.latency.shared;
                if (access) return request(warp, *access, now, load_.past_l2);
                if (instruction.space == MemorySpace::local) return spill(warp, instruction, step, now);
                return use_lsu(LsuWork::others, now, 1) + rates_.latency.l1;  // no lane is let through
            case MachineKind::copy:                                           // done in their order
                if (access) warp.copied = std::max(warp.copied, request(warp, *access, now, load_.past_l2));
                return now + rates_.latency.operands;
            case MachineKind::shuffle:
                // MATCH looks at one value after the other; here each lane has its own.
                if (instruction.pipe == MachinePipe::adu)
                    return use_adu(now, step.lanes) + rates_.latency.shuffle;
                return use_lsu(LsuWork::others, now, 1) + rates_.latency.shuffle;
            case MachineKind::constant_load:
                if (instruction.pipe != MachinePipe::adu) return now + rates_.latency.constant;
                return use_adu(now, access ? access->wavefronts : 1, true) + rates_.latency.constant;
            case MachineKind::wait:
                return instruction.name == "LDGDEPBAR" ? std::max(now, warp.copied) : now;
            default:
                break;
        }
        if (instruction.pipe == MachinePipe::fp64) return now + rates_.latency.doubles;
        if (instruction.pipe == MachinePipe::adu && instruction.kind != MachineKind::barrier)
            return use_adu(now, 1) + rates_.latency.special;
        if (instruction.pipe == MachinePipe::lsu)
            return use_lsu(LsuWork::others, now, 1) + rates_.latency.special;
        return now + rates_.latency.special;
    }

    // A word that does not fit the registers: each lane's beside the next one's.
    double spill(const Running& warp, const MachineInstruction& instruction, const MachineStep& step,
                 double now) {
        TracedAccess access;
        access.kind = instruction.kind;
        access.space = MemorySpace::local;
        access.lanes = step.lanes;
        access.lines = std::uint16_t(std::max(1, instruction.bytes / 4));
        access.sectors = std::uint16_t(4 * access.lines);
        access.bytes = std::uint16_t(kSectorBytes * access.sectors);
        // L1 writes through.
        if (access.kind == MachineKind::store) {
            access.past_l1 = access.sectors;
            return request(warp, access, now, load_.spill_stores_past_l2);
        }
        spilled_ += load_.spills_past_l1;
        if (spilled_ >= 1) {
            spilled_ -= 1;
            access.past_l1 = access.sectors;
        }
        return request(warp, access, now, load_.spills_past_l2);
    }

    double request(const Running& warp, const TracedAccess& access, double now, double past_l2) {
        if (access.space == MemorySpace::shared) {
            const double wavefronts = access.kind == MachineKind::atomic ? access.ways : access.wavefronts;
            return use_lsu(LsuWork::wavefronts, now, std::max(1.0, wavefronts * rates_.access.wavefront)) +
                   rates_.latency.shared;
        }
        if (access.space == MemorySpace::constant)
            return use_adu(now, access.wavefronts, true) + rates_.latency.constant;
        const bool texture = access.space == MemorySpace::texture;
        // L1 has loads' wavefronts; what it takes for a store are lines.
        double clocks = access.wavefronts > 0 ? access.wavefronts * rates_.access.line
                                              : std::max(access.lines * rates_.access.line,
                                                         access.sectors * rates_.access.sector);
        if (texture) clocks = std::max(clocks, access.lanes * rates_.access.texture_lane);
        // What is on the way to memory fills the queues up to here.
        double from = now;
        if (access.past_l1 > 0)
            from =
                std::max(now, std::max({l2_.free, memory_.free(), slice_.free}) - 4 * rates_.latency.memory);
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
            done = std::max(done, use_memory(warp, access, served));
        }
        return done;
    }

    double use_l2(const TracedAccess& access, double now) {
        const bool atomic = access.kind == MachineKind::atomic;
        const double clocks = clocks_of(rates_.l2, access);
        l2_use_.add(access.past_l1, lines_past_l1(access), clocks,
                    atomic || access.kind == MachineKind::store);
        const double taken = l2_.take(now, clocks);
        return (atomic ? std::max(taken, slice_.take(now, load_.slice_clocks)) : taken) + rates_.latency.l2;
    }

    // Each line on its own; what is asked for comes with the last of them.
    double use_memory(const Running& warp, const TracedAccess& access, double now) {
        const int lines = std::clamp<int>(int(lines_past_l1(access)), 1, kLanes);
        const double clocks = clocks_of(rates_.memory, access);
        memory_use_ += at_peak(access.kind, clocks);
        // The rest of the latency is the same for all: the measured one has these parts in it.
        const double spread = kMemorySpread * rates_.latency.memory;
        const double least = rates_.latency.memory - spread - Channels::kClocksOfLine;
        // What the warps of a block want by one instruction mostly lies side by side, and comes together;
        // lines of which only a part is wanted are apart, and each comes when it comes.
        const bool beside = side_by_side(access);
        const double of_all = Dice::of(std::uint64_t(warp.block) << 32 | std::uint64_t(warp.at));
        double done = now;
        for (int i = 0; i < lines; ++i) {
            const double taken = memory_.take(now, clocks / lines, access.kind == MachineKind::store, dice_);
            done = std::max(done, taken - spread * std::log(beside ? of_all : dice_.next()));
        }
        return done + std::max(0.0, least);
    }

    // What takes device memory so long at the measured rates, at its theoretical bandwidth.
    [[nodiscard]] double at_peak(MachineKind kind, double clocks) const {
        if (rates_.memory_peak <= 0 || kind == MachineKind::atomic) return clocks;
        const Level& memory = rates_.memory;
        const double reached = kind == MachineKind::store ? memory.write_sector : memory.read_sector;
        return clocks * std::min(1.0, rates_.memory_peak / reached);
    }

    [[nodiscard]] static double lines_past_l1(const TracedAccess& access) {
        return double(access.past_l1) * access.lines / std::max<int>(1, access.sectors);
    }
    [[nodiscard]] static bool side_by_side(const TracedAccess& access) {
        return 2 * access.sectors > 3 * access.lines;
    }

    // A unit of the whole multiprocessor, for constants by address, barriers and special registers.
    double use_adu(double now, int times, bool constants = false) {
        const double clocks = rates_.adu * std::max(1, times);
        if (constants) constants_ += clocks;
        return adu_.take(now, clocks);
    }

    // Of a level behind the first one, for what it lacks.
    [[nodiscard]] static double clocks_of(const Level& level, const TracedAccess& access) {
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
                return 2 * sectors > 3 * lines
                           ? sectors * level.read_sector
                           : std::max(sectors * level.read_sector, lines * level.read_line);
        }
    }

    void arrive(Running& warp, double now) {
        Resident& block = blocks_[std::size_t(warp.block)];
        warp.at_barrier = true;
        block.last_arrival = use_adu(now, 1);
        ++block.waiting;
        pass_if_all(warp.block);
    }

    void pass_if_all(int index) {
        Resident& block = blocks_[std::size_t(index)];
        if (block.waiting == 0 || block.waiting + block.ended < block.warps) return;
        block.waiting = 0;
        for (Scheduler& scheduler : schedulers_) {
            for (Running& warp : scheduler.warps) {
                if (warp.ended || warp.block != index || !warp.at_barrier) continue;
                warp.at_barrier = false;
                warp.passed_barrier = block.last_arrival + rates_.barrier;
            }
        }
    }

    void empty_place(double now) {
        if (now >= full_until_) return;
        full_until_ = now;
        if (next_block_ <= load_.resident_blocks || !full_.before) return;
        run_.full_clocks = std::int64_t(now - full_.from);
        run_.full_issued = run_.issued - *full_.before;
    }

    void end(Running& warp, double now) {
        warp.ended = true;
        --alive_;
        Resident& block = blocks_[std::size_t(warp.block)];
        ++block.ended;
        if (block.ended == block.warps) {
            run_.block_ends.push_back(std::int64_t(now) + 1);
            if (next_block_ < int(load_.blocks.size()))
                places_.push_back({block.place, now + rates_.block_turn});
            else
                empty_place(now + 1);
        } else {
            pass_if_all(warp.block);
        }
    }

    // Warps that wait for a barrier which the path of others lacks.
    bool release_stuck(double now) {
        bool released = false;
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            if (blocks_[b].waiting == 0) continue;
            blocks_[b].last_arrival = now;
            blocks_[b].waiting = 0;
            released = true;
        }
        for (Scheduler& scheduler : schedulers_) {
            for (Running& warp : scheduler.warps) {
                if (!warp.at_barrier) continue;
                warp.at_barrier = false;
                warp.passed_barrier = now + rates_.barrier;
            }
        }
        return released;
    }

    // Where the clocks since the warp's last instruction went.
    void account(const Scheduler& scheduler, Running& warp, const MachineInstruction& instruction,
                 double now) {
        const int index = step_of(warp).instruction;
        const Wait wait = wait_of(warp);
        double from = warp.issued_at + 1;
        const auto span = [&](WarpState state, double until, int at) {
            until = std::min(until, now);
            if (until <= from) return;
            add_span(scheduler, warp, state, from, until, at);
            from = until;
        };
        const auto wait_for = [&](WarpState state, double until) { span(state, until, index); };
        wait_for(WarpState::dependency, warp.next);
        // At a barrier, which it has issued, and not at what comes behind it.
        if (warp.passed_barrier > 0)
            span(WarpState::barrier, warp.passed_barrier, warp.warp->path->steps[warp.at - 1].instruction);
        wait_for(wait.memory > wait.dependency ? WarpState::memory : WarpState::dependency,
                 std::max(wait.memory, wait.dependency));
        // When the pipe took another one it could have taken this one: that clock is no wait for it.
        const auto pipe = std::size_t(instruction.pipe);
        const std::vector<double>& taken = scheduler.taken[pipe];
        const auto others = double(taken.end() - std::lower_bound(taken.begin(), taken.end(), from));
        const double by_pipe = others * (rates_.pipe_clocks[pipe] - 1);
        const double by_queue = std::min(queue_ready(instruction), now) - from - others;
        wait_for(WarpState::pipe, from + std::max({0.0, by_pipe, by_queue}));
        wait_for(WarpState::not_selected, now);
        add_span(scheduler, warp, WarpState::issuing, now, now + 1, index);
    }

    void add_span(const Scheduler& scheduler, const Running& warp, WarpState state, double from, double until,
                  int index) {
        const auto clocks = std::int64_t(std::ceil(until) - std::ceil(from));
        if (clocks <= 0) return;
        run_.states[std::size_t(state)] += clocks;
        run_.by_instruction[std::size_t(index)][std::size_t(state)] += clocks;
        const auto begin = std::int64_t(std::ceil(from));
        if (&scheduler != &schedulers_.front() || from >= full_until_) return;
        run_.timeline.states[std::size_t(state)] += clocks;
        if (begin >= load_.timeline_clocks) return;
        run_.timeline.rows[std::size_t(warp.row)].spans.push_back({begin, begin + clocks, state, index});
    }

    void finish_timeline() {
        const double clocks = std::min(double(run_.clocks), full_until_);
        WarpTimeline& timeline = run_.timeline;
        if (clocks > 0)
            timeline.issue_percent =
                100.0 * double(timeline.states[std::size_t(WarpState::issuing)]) / clocks;
        timeline.clocks = std::min(std::int64_t(clocks), load_.timeline_clocks);
    }

    // The load/store unit is one, and so is the ADU, whatever they work for: their whole time stands with
    // what they have most of.
    void sum_up() {
        const auto busy = [&](Part part) -> double& { return run_.busy[std::size_t(part)]; };
        if (!load_.only_latencies) busy(Part::issue) = double(run_.issued) / double(schedulers_.size());
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

    const ClockLoad& load_;
    const ClockRates& rates_;
    ClockRun run_;
    std::vector<Scheduler> schedulers_;
    std::vector<Resident> blocks_;
    std::vector<Place> places_;
    Queued lsu_, adu_;
    Queue tex_, l2_, slice_;  // slice: the second level's that most atomics go to
    Channels memory_;
    SecondLevelUse l2_use_;
    double memory_use_ = 0;  // clocks at the theoretical bandwidth
    Dice dice_;
    std::array<double, kLsuWorks> of_lsu_{};
    double constants_ = 0;  // of the ADU's clocks
    // Every place is taken from here on; a block's beginning may be known long before.
    struct Full {
        double from = double(kNever);
        std::optional<std::int64_t> before;  // instructions that were issued until then
    };
    Full full_;
    double full_until_ = double(kNever);  // as many blocks are resident as may be
    double admitted_ = -1e9;              // when the last block was
    double owed_ = 0, spilled_ = 0;       // to the next level, of a request
    double last_ = 0;
    int next_block_ = 0;
    int alive_ = 0;
};

}  // namespace

ClockRun run_clock(const ClockLoad& load, const ClockRates& rates) {
    return Clock(load, rates).run();
}

}  // namespace ws
