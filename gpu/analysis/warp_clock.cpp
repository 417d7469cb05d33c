#include "gpu/analysis/warp_clock.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

#include "gpu/analysis/block_turns.h"
#include "gpu/analysis/code_fetch.h"
#include "gpu/analysis/full_window.h"
#include "gpu/analysis/issue_facts.h"
#include "gpu/analysis/latest.h"
#include "gpu/analysis/memory_path.h"
#include "gpu/analysis/running_warps.h"
#include "gpu/analysis/warp_scheduler.h"
#include "gpu/analysis/warp_states.h"

namespace ws {
namespace {

constexpr double kNever = ReadyWarps::kNever;
// Steps that are brought from memory before they are looked at: each warp's lie elsewhere.
constexpr std::ptrdiff_t kAhead = 16;
constexpr int kAtomicCount = 0xf8c;  // ATOMS.POPC.INC: lanes that add 1 to the same word come as one

class Clock {
  public:
    Clock(const ClockLoad& load, const ClockRates& rates)
        : load_(load),
          rates_(rates),
          turns_(load, rates),
          memory_(load, rates),
          code_(load, rates.code, memory_),
          states_(load.code->instructions.size(), load.timeline_clocks, load.log) {
        for (const MachineInstruction& one : load.code->instructions) facts_.push_back(issue_facts(one));
        std::size_t schedulers = std::size_t(load.schedulers);
        if (load.only_latencies) {
            std::size_t warps = 1;
            for (const auto& block : load.blocks) warps = std::max(warps, block.size());
            schedulers = warps * std::size_t(load.resident_blocks);
        }
        if (schedulers > ReadyWarps::kMost) throw std::length_error("more schedulers than warps have places");
        schedulers_.reserve(schedulers);
        for (std::size_t i = 0; i < schedulers; ++i) schedulers_.emplace_back(rates);
        asleep_.assign(schedulers, 0);
        for (std::size_t i = 0; i < schedulers_.size(); ++i)
            schedulers_[i].place = int(i) % std::max(1, load.schedulers);
        blocks_.resize(load.blocks.size());
    }

    ClockRun run() {
        while (!turns_.all_have_begun() && turns_.next() < load_.resident_blocks) admit(turns_.next(), 0);
        double now = 0;
        while (alive_ > 0 || (!places_.empty() && !turns_.all_have_begun())) {
            double soonest = kNever;
            const std::uint64_t awake = awake_at(now, soonest);
            // Units of all schedulers take from each in turn, whoever has most to ask.
            const std::size_t all = schedulers_.size();
            const std::size_t first = std::size_t(now) % all;
            const std::uint64_t before = awake & ((std::uint64_t(1) << first) - 1);
            for (std::uint64_t rest = awake >> first | before << (all - first - 1) << 1; rest != 0;
                 rest &= rest - 1) {
                const std::size_t one = first + std::size_t(std::countr_zero(rest));
                soonest = std::min(soonest, step(one < all ? one : one - all, now));
            }
            if (!places_.empty()) soonest = std::min(soonest, take_places(now));
            if (soonest >= kNever) {
                if (!release_stuck(now)) break;
                continue;
            }
            now = std::max(now + 1, std::ceil(soonest));
        }
        // What is still on its way to memory belongs to the launch.
        run_.clocks = std::int64_t(std::ceil(std::max(last_, memory_.all_free())));
        run_.timeline = states_.finish_timeline(run_.clocks);
        run_.states = states_.states;
        run_.by_instruction = std::move(states_.by_instruction);
        memory_.add_busy(run_.busy);
        run_.moved = memory_.moved();
        if (!load_.only_latencies) {
            for (const WarpScheduler& one : schedulers_) one.pipes.add_busy(run_.busy, schedulers_.size());
            run_.busy[std::size_t(Part::issue)] = double(run_.issued) / double(schedulers_.size());
        }
        return std::move(run_);
    }

  private:
    // Of blocks that have ended; returns when the next one may be taken.
    double take_places(double now) {
        double soonest = kNever;
        looked_at_.clear();
        std::swap(looked_at_, places_);  // which grow meanwhile where a block has nothing to do
        for (const BlockPlace& place : looked_at_) {
            if (turns_.all_have_begun()) break;  // two have ended, one is left
            if (place.free > now + 1) {
                places_.push_back(place);
                soonest = std::min(soonest, place.free);
                continue;
            }
            admit(place.index, now + 1);
            soonest = now + 1;
        }
        return soonest;
    }

    // The next block's warps, in the place of one that has ended.
    void admit(int place, double given) {
        const int block = turns_.next();
        const double now = turns_.begin(given);
        const std::vector<ClockWarp>& warps = load_.blocks[std::size_t(block)];
        blocks_[std::size_t(block)] = {.warps = int(warps.size()), .place = place, .begun = now};
        if (block + 1 == std::min(load_.resident_blocks, int(load_.blocks.size()))) full_.from = now;
        const std::size_t before = std::size_t(place) * warps.size();
        const std::size_t in_turn = turns_.first_scheduler(warps.size(), schedulers_.size());
        const std::size_t first = load_.only_latencies ? before : in_turn;
        for (std::size_t number = 0; number < warps.size(); ++number)
            begin_warp(warps[number],
                       {block, int(before + number), (first + number) % schedulers_.size(), given},
                       now + double(number) * rates_.warp_launch);
    }

    struct WarpPlace {
        int block = 0;
        int among = 0;  // those of the multiprocessor
        std::size_t scheduler = 0;
        double given = 0;  // when its block was given its place, before it begins
    };
    void begin_warp(const ClockWarp& warp, const WarpPlace& place, double now) {
        WarpScheduler& scheduler = schedulers_[place.scheduler];
        RunningWarp made;
        made.warp = &warp;
        made.block = place.block;
        made.place = place.among;
        made.at = warp.first;
        made.end = warp.end();
        made.next = now;
        made.counted = std::ceil(now);
        made.ended = false;
        auto free = std::find_if(scheduler.warps.begin(), scheduler.warps.end(),
                                 [now](const RunningWarp& one) { return one.ended && one.stored <= now; });
        if (free == scheduler.warps.end()) {
            made.row = int(scheduler.warps.size());
            scheduler.warps.push_back(std::move(made));
            scheduler.ready.add_row();
            if (place.scheduler == 0) states_.add_row();
            free = std::prev(scheduler.warps.end());
        } else {
            made.row = free->row;
            made.boards = std::move(free->boards);  // with the room that they have
            made.boards.clear();
            *free = std::move(made);
        }
        scheduler.sort_by_age();
        ++alive_;
        if (load_.log) load_.log->begins(scheduler.place, std::int64_t(std::ceil(now)));
        if (warp.steps() == 0) return end(scheduler, *free, now);
        free->step = &warp.path->steps[warp.first];
        look_ahead(*free);
        free->fetched =
            code_.fetch(scheduler.place, CodeFetch::line_of(*free->instruction), {place.given, now});
        let_go(place.scheduler, *free);
    }

    // At the instruction of its step.
    void look_ahead(RunningWarp& warp) const {
        const auto number = std::size_t(warp.step->instruction);
        warp.instruction = &load_.code->instructions[number];
        warp.facts = &facts_[number];
        warp.wait = warp.facts->waits ? warp.boards.wait_of(*warp.instruction) : ScoreboardWait{};
        warp.stops_at_barrier = warp.facts->stops_at_barrier;
    }
    void let_go(std::size_t scheduler, const RunningWarp& warp) {
        const double ready = warp.ready();
        schedulers_[scheduler].ready.set(warp.row, warp.facts->gate, ready, ready <= warp.next);
        asleep_[scheduler] = std::min(asleep_[scheduler], ready);
    }

    // Something has just taken a place in it. Who wanted the last one, too, waits for the queue from
    // this clock on, as Nsight Compute counts it.
    void note_room(WarpScheduler& scheduler, SharedQueue queue, double now) const {
        const double room = memory_.room(queue, scheduler.place);
        if (room > now + 1) scheduler.no_room[std::size_t(queue)].add(now, room);
    }

    double sleep(std::size_t scheduler, double until) { return asleep_[scheduler] = until; }
    // The schedulers that may have something to issue, as bits; of the others when the first of them may,
    // unless one that issues now lets its warps go. Without branches: which they are is as if thrown.
    [[nodiscard]] std::uint64_t awake_at(double now, double& soonest) const {
        std::uint64_t awake = 0;
        for (std::size_t i = asleep_.size(); i-- > 0;) {
            const bool is_awake = asleep_[i] <= now;
            awake = awake << 1 | std::uint64_t(is_awake);
            soonest = std::min(soonest, is_awake ? kNever : asleep_[i]);
        }
        return awake;
    }

    // Issues for one scheduler, if a warp is ready; returns when one will be, at the earliest.
    double step(std::size_t index, double now) {
        WarpScheduler& scheduler = schedulers_[index];
        if (scheduler.held >= 0)
            return scheduler.issues_at > now ? sleep(index, scheduler.issues_at) : issue_held(index, now);
        if (scheduler.free > now) return sleep(index, scheduler.free);
        const ReadyWarps::Choice choice = scheduler.ready.choose(now, [&](IssueGate gate) {
            return std::max(scheduler.pipes.ready(gate.pipe), memory_.room(gate.queue, scheduler.place));
        });
        if (choice.row < 0) return sleep(index, choice.soonest);
        scheduler.held = choice.row;
        const RunningWarp& warp = scheduler.warps[std::size_t(choice.row)];
        scheduler.issues_at =
            load_.only_latencies || warp.facts->gate.queue == SharedQueue::lsu
                ? now
                : scheduler.ports.issue(*warp.instruction, warp.facts->reads, warp.row, now);
        if (scheduler.issues_at > now) {
            scheduler.blocked.add(now, scheduler.issues_at);
            return sleep(index, scheduler.issues_at);
        }
        return issue_held(index, now);
    }

    double issue_held(std::size_t index, double now) {
        WarpScheduler& scheduler = schedulers_[index];
        RunningWarp& warp = scheduler.warps[std::size_t(std::exchange(scheduler.held, -1))];
        const IssueFacts& facts = *warp.facts;
        scheduler.free = now + facts.places;
        if (facts.places > 1) scheduler.blocked.add(now + 1, scheduler.free);
        issue(index, warp, now);
        if (facts.gate.queue != SharedQueue::none) note_room(scheduler, facts.gate.queue, now);
        // The same queue holds special registers.
        if (facts.gate.queue == SharedQueue::lsu) note_room(scheduler, SharedQueue::special, now);
        (void)sleep(index, scheduler.free);
        return now + 1;
    }

    void issue(std::size_t index, RunningWarp& warp, double now) {
        WarpScheduler& scheduler = schedulers_[index];
        const MachineStep& step = *warp.step;
        const MachineInstruction& instruction = *warp.instruction;
        const IssueFacts& facts = *warp.facts;
        double waits = 0;
        if (!load_.only_latencies) {
            count_wait(scheduler, warp, now);
            states_.issued(timeline_place(scheduler, warp), step.instruction, now);
            waits = scheduler.pipes.take(facts.gate.pipe, facts.passes, now);
        }
        warp.counted = now + 1;
        if (warp.passed_barrier > 0 && warp.stops_at_barrier) warp.passed_barrier = 0;
        if (full_.begins(now)) note_full(now);
        ++run_.issued;
        last_ = std::max(last_, now + 1);
        if (facts.waits) warp.boards.clear_waited(instruction);
        if (!facts.plain) begin_work(scheduler, warp, now, waits);
        warp.next = now + facts.stall;
        if (++warp.at == warp.end) return end(scheduler, warp, now);
        ++warp.step;
        __builtin_prefetch(warp.step + kAhead);
        look_ahead(warp);
        if (facts.turn != Turn::none)
            warp.next += clocks_of(facts.turn, warp.step->instruction != step.instruction + 1, rates_);
        const int line = warp.facts->line;
        if (line != facts.line)
            warp.fetched = code_.fetch(scheduler.place, line, {now, warp.next, line == facts.line + 1});
        if (facts.is_block_barrier) arrive(scheduler, warp, step.instruction, now);
        if (warp.at_barrier && warp.stops_at_barrier)
            scheduler.ready.hold(warp.row);
        else
            let_go(index, warp);
    }

    // Of what others than the pipe do for the warp's next instruction, before which it has waited.
    void begin_work(WarpScheduler& scheduler, RunningWarp& warp, double now, double waits) {
        const MachineStep& step = *warp.step;
        const MachineInstruction& instruction = *warp.instruction;
        const IssueFacts& facts = *warp.facts;
        const Requester by{scheduler.place, warp.block, warp.place, facts.registers, facts.narrow};
        const double done = result_of(warp, step, instruction, by, now) + waits;
        double read = now;
        if (facts.gate.queue == SharedQueue::lsu) {
            read = std::max(now, memory_.lsu_reads(scheduler.place));
            if (!load_.only_latencies)
                scheduler.ports.read_later(instruction, warp.row, read, rates_.operand);
        } else if (facts.gate.queue == SharedQueue::adu) {  // a barrier has none
            read = std::max(now, memory_.adu_reads(scheduler.place));
        }
        warp.boards.set(instruction, now, done, read + rates_.latency.operands);
    }

    // When the result is there.
    double result_of(RunningWarp& warp, const MachineStep& step, const MachineInstruction& instruction,
                     const Requester& by, double now) {
        const TracedAccess* access =
            step.access >= 0 ? &warp.warp->trace->accesses[std::size_t(step.access)] : nullptr;
        switch (instruction.kind) {
            case MachineKind::load:
            case MachineKind::store:
            case MachineKind::atomic:
            case MachineKind::texture:
                if (access && access->space == MemorySpace::shared &&
                    (instruction.opcode == kAtomicCount || instruction.elected))
                    return memory_.use_lsu(LsuWork::wavefronts, by, now,
                                           instruction.elected ? 1 : access->wavefronts) +
                           rates_.latency.shared;
                if (access)
                    return answered(warp, *access, memory_.request(*warp.warp->trace, *access, by, now));
                if (instruction.space == MemorySpace::local)
                    return in_order(warp, instruction.kind, memory_.spill(instruction, step.lanes, by, now));
                return memory_.use_lsu(LsuWork::others, by, now, 1) +
                       rates_.latency.l1;  // no lane is let through
            case MachineKind::copy:        // done in their order
                if (access)
                    warp.copied =
                        std::max(warp.copied, memory_.request(*warp.warp->trace, *access, by, now).done);
                return now + rates_.latency.operands;
            case MachineKind::shuffle:
                // MATCH looks at one value after the other; here each lane has its own.
                if (instruction.pipe == MachinePipe::adu)
                    return memory_.use_adu(by, now, step.lanes) + rates_.latency.shuffle;
                return memory_.use_lsu(LsuWork::others, by, now, 1) + rates_.latency.shuffle;
            case MachineKind::constant_load:
                if (instruction.pipe != MachinePipe::adu) return now + rates_.latency.constant;
                return memory_.use_adu(by, now, access ? access->wavefronts : 1, true) +
                       rates_.latency.constant;
            case MachineKind::wait:
                return instruction.name == "LDGDEPBAR" ? std::max(now, warp.copied) : now;
            default:
                break;
        }
        const double latency = rates_.latency.*warp.facts->latency;
        if (instruction.pipe == MachinePipe::adu && instruction.kind != MachineKind::barrier)
            return memory_.use_adu(by, now, 1) + latency;
        if (warp.facts->gate.queue == SharedQueue::special) return memory_.lane_register(by, now) + latency;
        if (instruction.pipe == MachinePipe::lsu)
            return memory_.use_lsu(LsuWork::others, by, now, 1) + latency;
        return now + latency;
    }

    // A warp that ends waits until what it stored has left.
    double answered(RunningWarp& warp, const TracedAccess& access, const Answer& answer) const {
        if (access.kind != MachineKind::load && access.space != MemorySpace::shared)
            warp.stored = std::max(warp.stored, answer.left + rates_.drain);
        return in_order(warp, access.kind, answer);
    }
    [[nodiscard]] static double in_order(RunningWarp& warp, MachineKind kind, const Answer& answer) {
        return kind == MachineKind::load && answer.from_behind ? warp.in_order(answer.done) : answer.done;
    }

    void arrive(WarpScheduler& scheduler, RunningWarp& warp, int instruction, double now) {
        ResidentBlock& block = blocks_[std::size_t(warp.block)];
        warp.at_barrier = true;
        warp.barrier = instruction;
        block.last_arrival = memory_.use_adu({scheduler.place, warp.block, warp.place}, now, 1);
        ++block.waiting;
        pass_if_all(warp.block);
    }

    void pass_if_all(int index) {
        ResidentBlock& block = blocks_[std::size_t(index)];
        if (block.waiting == 0 || block.waiting + block.ended < block.warps) return;
        block.waiting = 0;
        pass_barrier(index, block.last_arrival);
    }

    void pass_barrier(int block, double last_arrival) {
        for (std::size_t i = 0; i < schedulers_.size(); ++i) {
            for (RunningWarp& warp : schedulers_[i].warps) {
                if (warp.ended || warp.block != block || !warp.at_barrier) continue;
                warp.at_barrier = false;
                warp.passed_barrier = last_arrival + rates_.barrier;
                if (warp.stops_at_barrier) let_go(i, warp);
            }
        }
    }

    // As many blocks are resident as may be, or all.
    void note_full(double now) {
        if (!std::exchange(was_full_, true)) {
            run_.begin_clocks = std::int64_t(now);
            run_.begin_issued = run_.issued;
        }
        if (run_.issued < load_.in_step) return;
        count_waits(now);
        full_.begin(load_.in_step > 0 ? now : full_.from, run_.issued, states_);
    }
    void end_full(double now) {
        if (full_.begins(now)) full_.miss();
        if (!full_.is_open()) return;
        count_waits(now);
        full_.end(now, run_.issued, states_, run_);
    }
    // What warps that have not issued yet have waited for until now.
    void count_waits(double now) {
        if (load_.only_latencies) return;
        for (WarpScheduler& scheduler : schedulers_) {
            for (RunningWarp& warp : scheduler.warps) {
                if (warp.ended) continue;
                count_wait(scheduler, warp, now);
                warp.counted = std::max(warp.counted, std::ceil(now));
            }
        }
    }
    void count_wait(const WarpScheduler& scheduler, const RunningWarp& warp, double now) {
        if (warp.counted < now)
            states_.waited(timeline_place(scheduler, warp), warp.step->instruction,
                           scheduler.holds_of(warp, now), now);
    }

    // Nobody comes to the place of a block that has ended, and is gone later.
    void empty_place(double now, double drained) {
        if (drained >= full_until_) return;
        full_until_ = drained;
        states_.end_of_full(drained);
        if (turns_.next() > load_.resident_blocks) end_full(now);
    }
    // No block is left to take its place: until now all were at work.
    void first_end(double now) {
        if (load_.resident_blocks >= int(load_.blocks.size())) end_full(now);
    }

    // Its place stays taken until what it stored has arrived.
    void end(WarpScheduler& scheduler, RunningWarp& warp, double now) {
        scheduler.ready.hold(warp.row);
        first_end(now);
        warp.ended = true;
        --alive_;
        ResidentBlock& block = blocks_[std::size_t(warp.block)];
        ++block.ended;
        if (std::exchange(warp.at_barrier, false)) --block.waiting;  // its way was shortened
        warp.stored = std::max(warp.stored, turns_.gone(block, now));
        block.drained = std::max(block.drained, warp.stored);
        last_ = std::max(last_, warp.stored);
        if (load_.log) load_.log->ends(scheduler.place, std::int64_t(std::ceil(warp.stored)));
        if (warp.at > warp.warp->first && !load_.only_latencies)
            states_.drains(timeline_place(scheduler, warp), warp.warp->path->steps[warp.at - 1].instruction,
                           now + 1, warp.stored);
        if (block.ended == block.warps) {
            run_.block_ends.push_back(std::int64_t(std::ceil(block.drained)));
            if (turns_.all_have_begun())
                empty_place(now, block.drained);
            else
                places_.push_back(turns_.place_of(block));
        } else {
            pass_if_all(warp.block);
        }
    }

    // Warps that wait for a barrier which the path of others lacks.
    bool release_stuck(double now) {
        bool released = false;
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            if (blocks_[b].waiting == 0) continue;
            blocks_[b].waiting = 0;
            pass_barrier(int(b), now);
            released = true;
        }
        return released;
    }

    // The timeline shows one scheduler.
    [[nodiscard]] WarpStates::Place timeline_place(const WarpScheduler& scheduler,
                                                   const RunningWarp& warp) const {
        return {scheduler.place, load_.timeline_clocks > 0 && scheduler.place == 0 ? warp.row : -1};
    }

    const ClockLoad& load_;
    const ClockRates& rates_;
    ClockRun run_;
    std::vector<IssueFacts> facts_;  // of each instruction
    std::vector<WarpScheduler> schedulers_;
    std::vector<double> asleep_;  // by scheduler: until then none of its warps can issue
    std::vector<ResidentBlock> blocks_;
    BlockTurns turns_;
    std::vector<BlockPlace> places_;
    std::vector<BlockPlace> looked_at_;  // of them, the last time: it has the room
    MemoryPath memory_;
    CodeFetch code_;
    WarpStates states_;
    bool was_full_ = false;
    FullWindow full_;
    double full_until_ = kNever;  // as many blocks are resident as may be
    double last_ = 0;
    int alive_ = 0;
};

}  // namespace

ClockRun run_clock(const ClockLoad& load, const ClockRates& rates) {
    return Clock(load, rates).run();
}

}  // namespace ws
