#include "gpu/simt/block_shadow.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace ws::simt {
namespace {

constexpr std::size_t kGlobalCells =
    1 << 16;  // bytes of writable buffers that a block may touch and still be watched
constexpr std::size_t kReadersAtMost = 64;  // of a byte; the oldest is forgotten
constexpr std::uint64_t kSharedPlace = 1ull << 63;

}  // namespace

void BlockShadow::begin_block(std::uint64_t shared_bytes, int threads) {
    if (shared_.size() < shared_bytes) shared_.resize(shared_bytes);
    if (keys_.empty()) {
        keys_.resize(kGlobalCells);
        key_blocks_.resize(kGlobalCells);
        global_.resize(kGlobalCells);
    }
    for (const std::uint64_t at : pending_) shared_[at].pending = false;
    pending_.clear();
    doubts_.clear();
    used_ = 0;
    pool_used_ = 0;
    ++block_;
    ++epoch_;
    order_.begin_block(threads);
}

void BlockShadow::barrier_of_all() {
    ++epoch_;
    pool_used_ = 0;
    order_.barrier_of_all();
}

// Readers of the epoch that the write of `touch` does not come after.
bool BlockShadow::unordered_readers(const Cell& cell, const Touch& touch, bool published, int& other) const {
    if (cell.read_epoch != epoch_) return false;
    const auto races = [&](const Reader& reader) {
        if (reader.strong && published) return false;
        for (std::uint32_t rest = reader.lanes; rest != 0; rest &= rest - 1) {
            const int thread = reader.warp * 32 + std::countr_zero(rest);
            if (order_.before(thread, reader.time, touch.thread)) continue;
            other = thread;
            return true;
        }
        return false;
    };
    if (races(cell.reader)) return true;
    if (cell.more_readers == 0) return false;
    const std::vector<Reader>& more = pool_[cell.more_readers - 1];
    return std::any_of(more.begin(), more.end(), races);
}

void BlockShadow::note_read(Cell& cell, const Touch& touch) {
    const Reader made{1u << (touch.thread % 32), order_.time_of(touch.thread),
                      std::uint16_t(touch.thread / 32), touch.strength != Strength::plain};
    if (cell.read_epoch != epoch_) {
        cell.read_epoch = epoch_;
        cell.reader = made;
        cell.more_readers = 0;
        return;
    }
    const auto joins = [&](Reader& reader) {
        if (reader.warp != made.warp || reader.time != made.time || reader.strong != made.strong)
            return false;
        reader.lanes |= made.lanes;
        return true;
    };
    if (joins(cell.reader)) return;
    // Readers that come before this one need not be remembered: what comes after it comes after them.
    const auto stands_for = [&](const Reader& reader) {
        if (made.strong && !reader.strong) return false;
        for (std::uint32_t rest = reader.lanes; rest != 0; rest &= rest - 1) {
            if (!order_.before(reader.warp * 32 + std::countr_zero(rest), reader.time, touch.thread))
                return false;
        }
        return true;
    };
    if (cell.more_readers == 0 && stands_for(cell.reader)) {
        cell.reader = made;
        return;
    }
    if (cell.more_readers == 0) {
        if (pool_used_ == pool_.size()) pool_.emplace_back();
        pool_[pool_used_].clear();
        cell.more_readers = std::uint32_t(++pool_used_);
    }
    std::vector<Reader>& more = pool_[cell.more_readers - 1];
    if (std::any_of(more.begin(), more.end(), joins)) return;
    std::erase_if(more, stands_for);
    if (more.size() >= kReadersAtMost) more.erase(more.begin());
    more.push_back(made);
}

void BlockShadow::visit(Cell& cell, const Touch& touch, std::uint64_t place, std::size_t at, bool published,
                        Answer& answer) {
    const auto tell = [&](Verdict verdict, int other) {
        if (verdict > answer.verdict) answer = {verdict, other, int(cell.copy_line)};
    };
    const bool atomic = touch.strength == Strength::strong;
    if (cell.block == block_ && cell.write_epoch == epoch_ &&
        !order_.before(cell.writer, cell.write_time, touch.thread)) {
        const bool strong =
            atomic || (touch.strength == Strength::is_volatile && (!touch.writes || published));
        const bool both = strong && (cell.atomic || cell.published) &&
                          !(atomic && cell.atomic && cell.width != touch.bytes);
        if (both || order_.has_read(place, touch.thread)) {
            // ordered, whichever comes first
        } else if (touch.writes && touch.value && touch.value[at] == touch.memory[at]) {
            tell(Verdict::same_value, cell.writer);
        } else if (!touch.writes && cell.atomic && touch.strength == Strength::plain) {
            tell(Verdict::revalued, cell.writer);
        } else {
            tell(Verdict::race, cell.writer);
        }
    }
    int reader = 0;
    if (touch.writes && !atomic && unordered_readers(cell, touch, published, reader))
        tell(Verdict::race, reader);
}

// What an access does to the order of threads; whether it is a volatile write that publishes.
bool BlockShadow::begin_ordering(std::uint64_t place, const Touch& touch) {
    if (touch.strength == Strength::plain) return false;
    if (touch.reads) order_.read_flag(place, touch.thread);
    if (!touch.writes || !(touch.releases || order_.fenced(touch.thread, false))) return false;
    order_.set_flag(place, touch.thread, touch.releases);
    return touch.strength == Strength::is_volatile;
}

void BlockShadow::record(Cell& cell, const Touch& touch, bool published) {
    if (!touch.writes) return note_read(cell, touch);
    cell.block = block_;
    cell.writer = std::uint16_t(touch.thread);
    cell.write_epoch = epoch_;
    cell.write_time = order_.time_of(touch.thread);
    cell.atomic = touch.strength == Strength::strong;
    cell.published = published;
    cell.width = std::uint8_t(touch.bytes);
    cell.copy_line = 0;
}

BlockShadow::Answer BlockShadow::shared(std::uint64_t offset, const Touch& touch) {
    Answer answer;
    const std::uint64_t place = offset | kSharedPlace;
    const bool published = begin_ordering(place, touch);
    for (std::size_t k = 0; k < std::size_t(touch.bytes); ++k) {
        Cell& cell = shared_[offset + k];
        if (cell.pending) {
            if (answer.verdict != Verdict::pending)
                answer = {Verdict::pending, cell.copier, int(cell.copy_line)};
            continue;
        }
        if (touch.reads && cell.block != block_ && answer.verdict < Verdict::uninitialised)
            answer = {Verdict::uninitialised, 0, 0};
        visit(cell, touch, place, k, published, answer);
        record(cell, touch, published);
    }
    return answer;
}

BlockShadow::Answer BlockShadow::global(std::uint64_t address, const Touch& touch) {
    Answer answer;
    const bool published = begin_ordering(address, touch);
    for (std::size_t k = 0; k < std::size_t(touch.bytes); ++k) {
        const std::uint64_t at = address + k;
        std::size_t index = std::size_t(at * 0x9E3779B97F4A7C15ull >> 48) % kGlobalCells;
        while (key_blocks_[index] == block_ && keys_[index] != at) index = (index + 1) % kGlobalCells;
        if (key_blocks_[index] != block_) {
            if (used_ > kGlobalCells / 2) return answer;  // too much for one block: the rest is not watched
            ++used_;
            keys_[index] = at;
            key_blocks_[index] = block_;
            global_[index] = {};
        }
        visit(global_[index], touch, address, k, published, answer);
        record(global_[index], touch, published);
    }
    return answer;
}

BlockShadow::Answer BlockShadow::begin_copy(std::uint64_t offset, const Touch& touch, int line) {
    Answer answer;
    for (std::uint64_t at = offset; at < offset + std::uint64_t(touch.bytes); ++at) {
        Cell& cell = shared_[at];
        if (cell.pending) {
            answer = {Verdict::pending, cell.copier, int(cell.copy_line)};
        } else {
            visit(cell, touch, at | kSharedPlace, 0, false, answer);
        }
        cell.pending = true;
        cell.copier = std::uint16_t(touch.thread);
        cell.copy_line = std::uint32_t(line);
        pending_.push_back(at);
    }
    return answer;
}

void BlockShadow::end_copy(std::uint64_t offset, int bytes, int thread) {
    const Touch written{.thread = thread, .writes = true, .bytes = bytes};
    for (std::uint64_t at = offset; at < offset + std::uint64_t(bytes); ++at) {
        Cell& cell = shared_[at];
        const std::uint32_t line = cell.copy_line;
        record(cell, written, false);
        cell.copy_line = line;
        cell.pending = false;
    }
}

void BlockShadow::doubt(const Doubt& doubt) {
    doubts_.emplace(doubt.place * 1031 + std::uint64_t(doubt.thread), doubt);
}

void BlockShadow::clear_doubt(int thread, std::uint64_t place) {
    if (!doubts_.empty()) doubts_.erase(place * 1031 + std::uint64_t(thread));
}

std::vector<BlockShadow::Doubt> BlockShadow::take_doubts() {
    std::vector<Doubt> made;
    made.reserve(doubts_.size());
    for (const auto& [key, doubt] : doubts_) made.push_back(doubt);
    doubts_.clear();
    return made;
}

}  // namespace ws::simt
