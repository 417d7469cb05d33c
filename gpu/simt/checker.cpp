#include "gpu/simt/checker.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/simt/report.h"

namespace ws::simt {
namespace {

using std::uint64_t;
using Verdict = BlockShadow::Verdict;

const char* verb(bool writes) {
    return writes ? "write" : "read";
}

std::string name_of(const Region& region) {
    return region.index == Region::kHeap ? "the heap"
           : region.index < 0            ? "a variable"
                                         : fmt::format("buffer {}", region.index);
}

Touch access_of(const Warp& warp, const LaneTouch& at) {
    return {warp.index * kLanes + at.lane,      at.reads, at.writes, memory_of(at.instruction).strength,
            memory_of(at.instruction).releases, at.bytes, at.place,  at.value};
}

bool is_compare_and_swap(const LaneTouch& at) {
    return at.instruction.kind == AccessKind::atomic &&
           detail_of<AtomicAccess>(at.instruction).reduction == Reduction::cas;
}

}  // namespace

void Checker::Shared::report(const LaunchOutcome& outcome) const {
    if (!whole_) return;
    if (!outcome.stopped && !outcome.cancelled) marks_.find_unwritten(findings_);
    marks_.keep_written();
}

void Checker::begin_block(const Worker& worker) {
    shadow_.begin_block(worker.shared.size(),
                        worker.place.shape[0] * worker.place.shape[1] * worker.place.shape[2]);
    read_flags_.clear();
    arrived_ = {};
}

// Plain reads that raced with atomics are reported once no compare-and-swap can follow.
void Checker::end_block(const Worker& worker) {
    for (const BlockShadow::Doubt& doubt : shadow_.take_doubts()) {
        simt::report(worker, doubt.instruction->line, doubt.thread,
                     doubt.shared ? Finding::Kind::race_shared : Finding::Kind::race_global, [&] {
                         const std::string other =
                             doubt.other < 0 ? "another block" : "thread " + thread_text(worker, doubt.other);
                         return fmt::format(
                             "plain read of what atomics write races with {}: no barrier "
                             "lies between them",
                             other);
                     });
    }
}

void Checker::pass(std::uint32_t barrier, std::span<const Barriers::Arrival> waiting, bool all) {
    if (all) shadow_.barrier_of_all();
    for (const Barriers::Arrival& arrival : waiting) {
        if (!all) shadow_.order().leave(arrival.warp, arrived_[barrier]);
    }
    arrived_[barrier] = {};
}

void Checker::touch(Warp& warp, const LaneTouch& at) {
    if (at.space == Space::shared) check_shared(warp, at, access_of(warp, at));
    if (at.space == Space::global && at.region->writable) check_global(warp, at, access_of(warp, at));
}

void Checker::begin_copy(Warp& warp, const LaneTouch& at) {
    const Touch access{.thread = warp.index * kLanes + at.lane, .writes = true, .bytes = at.bytes};
    report_answer(warp, at, access, shadow_.begin_copy(at.address, access, at.instruction.line),
                  [&] { return fmt::format("offset {} of shared memory", at.address); });
}

// Reports what the block's shadow found of an access to `what`.
template <typename What>
void Checker::report_answer(Warp& warp, const LaneTouch& at, const Touch& access,
                            const BlockShadow::Answer& answer, const What& what) {
    const Worker& worker = *warp.worker;
    const bool shared = at.space == Space::shared;
    const char* verb = simt::verb(access.writes);
    const auto report_it = [&](Finding::Kind kind, const auto& message) {
        simt::report(warp, at.instruction, at.lane, kind, message);
    };
    switch (answer.verdict) {
        case Verdict::fine:
            return;
        case Verdict::uninitialised:
            return report_it(Finding::Kind::uninitialised, [&] {
                return fmt::format("read of {} bytes at {} that no thread of the block wrote", access.bytes,
                                   what());
            });
        case Verdict::same_value:
            return report_it(Finding::Kind::same_value, [&] {
                return fmt::format(
                    "write at {} of the value that thread {} wrote: no barrier lies between them", what(),
                    thread_text(worker, answer.other));
            });
        case Verdict::revalued:
            return shadow_.doubt({&at.instruction, access.thread, answer.other, shared, at.address});
        case Verdict::pending:
            return report_it(Finding::Kind::async_copy, [&] {
                return fmt::format(
                    "{} at {}, to which the cp.async of line {} by thread {} still copies: no wait lies "
                    "between "
                    "them",
                    verb, what(), answer.copy_line, thread_text(worker, answer.other));
            });
        case Verdict::race:
            return report_it(shared ? Finding::Kind::race_shared : Finding::Kind::race_global, [&] {
                const std::string copied =
                    answer.copy_line ? fmt::format(", which copied by cp.async in line {}", answer.copy_line)
                                     : "";
                return fmt::format("{} at {} races with thread {}{}: no barrier lies between them", verb,
                                   what(), thread_text(worker, answer.other), copied);
            });
    }
}

void Checker::check_shared(Warp& warp, const LaneTouch& at, const Touch& access) {
    if (is_compare_and_swap(at)) shadow_.clear_doubt(access.thread, at.address);
    report_answer(warp, at, access, shadow_.shared(at.address, access),
                  [&] { return fmt::format("offset {} of shared memory", at.address); });
}

void Checker::check_global(Warp& warp, const LaneTouch& at, const Touch& access) {
    if (is_compare_and_swap(at)) shadow_.clear_doubt(access.thread, at.address);
    check_between_blocks(warp, at, access);
    report_answer(warp, at, access, shadow_.global(at.address, access), [&] {
        return fmt::format("offset {} of {}", at.address - at.region->base, name_of(*at.region));
    });
}

// Fences and flags between blocks; whether the access is a volatile write that publishes.
bool Checker::begin_grid_ordering(const Worker& worker, const LaneTouch& at, const Touch& access) {
    GridOrder* grid = marks_.order();
    if (!grid || access.strength == Strength::plain || !memory_of(at.instruction).beyond_block) return false;
    const auto known = std::find(read_flags_.begin(), read_flags_.end(), at.address);
    if (access.reads && known == read_flags_.end()) read_flags_.push_back(at.address);
    ThreadOrder& order = shadow_.order();
    if (!access.writes || !(access.releases || order.fenced(access.thread, true))) return false;
    grid->set_flag(at.address, std::uint32_t(worker.place.linear_block), order.epoch(),
                   order.known_to(access.thread, access.releases), read_flags_);
    return access.strength == Strength::is_volatile;
}

void Checker::check_between_blocks(Warp& warp, const LaneTouch& at, const Touch& access) {
    const Worker& worker = *warp.worker;
    const uint64_t offset = at.address - at.region->base;
    const bool publishes = begin_grid_ordering(worker, at, access);
    const BlockMarks::Answer found =
        marks_.mark(worker.place.linear_block, at, access, read_flags_, publishes);
    const auto report_it = [&](Finding::Kind kind, const auto& message) {
        simt::report(warp, at.instruction, at.lane, kind, message);
    };
    if (access.reads && found.empty) {
        report_it(Finding::Kind::uninitialised, [&] {
            return fmt::format("read of {} bytes at offset {} of {} that nothing wrote", access.bytes, offset,
                               name_of(*at.region));
        });
    }
    if (found.race) {
        report_it(Finding::Kind::race_global, [&] {
            return fmt::format("{} at offset {} of {} races with a write by another block",
                               verb(access.writes), offset, name_of(*at.region));
        });
    } else if (found.revalued) {
        shadow_.doubt({&at.instruction, access.thread, -1, false, at.address});
    } else if (found.same_value) {
        report_it(Finding::Kind::same_value, [&] {
            return fmt::format("write at offset {} of {} of the value that another block wrote", offset,
                               name_of(*at.region));
        });
    }
    if (access.writes) {
        const ThreadOrder& order = shadow_.order();
        marks_.record(at, {std::uint32_t(worker.place.linear_block), order.epoch(),
                           order.time_of(access.thread), std::uint16_t(access.thread)});
    }
}

}  // namespace ws::simt
