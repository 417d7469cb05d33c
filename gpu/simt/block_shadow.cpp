#include "gpu/simt/block_shadow.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace ws::simt {
namespace {

constexpr std::size_t kGlobalWords =
    1 << 15;  // twice the words of writable buffers that a block may touch and still be watched
constexpr std::size_t kReadersAtMost = 64;  // of a byte; the oldest is forgotten
constexpr std::uint64_t kSharedPlace = 1ull << 63;

}  // namespace

void BlockShadow::begin_block(std::uint64_t shared_bytes, int threads) {
    if (shared_.size() < shared_bytes / 4 + 1) shared_.resize(shared_bytes / 4 + 1);
    if (keys_.empty()) {
        keys_.resize(kGlobalWords);
        key_blocks_.resize(kGlobalWords);
        global_.resize(kGlobalWords);
    }
    for (const std::uint64_t at : pending_) {
        for (Cell& cell : shared_[at]) cell.pending = false;
    }
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

// What an access does to the order of threads, and what its cells need.
BlockShadow::Visit BlockShadow::begin(std::uint64_t place, const Touch& touch) {
    Visit made{touch,
               place,
               {1u << (touch.thread % 32), order_.time_of(touch.thread), std::uint16_t(touch.thread / 32),
                touch.strength != Strength::plain},
               false};
    if (touch.strength == Strength::plain) return made;
    if (touch.reads) order_.read_flag(place, touch.thread);
    if (touch.writes && (touch.releases || order_.fenced(touch.thread, false))) {
        order_.set_flag(place, touch.thread, touch.releases);
        made.reader.time = order_.time_of(touch.thread);
        made.published = touch.strength == Strength::is_volatile;
    }
    return made;
}

// Readers of the epoch that the write does not come after.
bool BlockShadow::unordered_readers(const Cell& cell, const Visit& visit, int& other) const {
    const auto races = [&](const Reader& reader) {
        if (reader.strong && visit.published) return false;
        for (std::uint32_t rest = reader.lanes; rest != 0; rest &= rest - 1) {
            const int thread = reader.warp * 32 + std::countr_zero(rest);
            if (order_.before(thread, reader.time, visit.touch.thread)) continue;
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

void BlockShadow::record_read(Cell& cell, const Visit& visit) {
    const Reader& made = visit.reader;
    const auto joins = [&](Reader& reader) {
        if (reader.warp != made.warp || reader.time != made.time || reader.strong != made.strong)
            return false;
        reader.lanes |= made.lanes;
        return true;
    };
    if (cell.read_epoch != epoch_) {
        cell.read_epoch = epoch_;
        cell.reader = made;
        cell.more_readers = 0;
        return;
    }
    if (joins(cell.reader)) return;
    // Readers that come before this one need not be remembered: what comes after it comes after them.
    const auto stands_for = [&](const Reader& reader) {
        if (made.strong && !reader.strong) return false;
        for (std::uint32_t rest = reader.lanes; rest != 0; rest &= rest - 1) {
            if (!order_.before(reader.warp * 32 + std::countr_zero(rest), reader.time, visit.touch.thread))
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

// Against the last write of the epoch, which another thread made.
void BlockShadow::check_write(const Cell& cell, const Visit& visit, std::size_t at, std::size_t count,
                              Answer& answer) const {
    const Touch& touch = visit.touch;
    if (order_.before(cell.writer, cell.write_time, touch.thread)) return;
    const bool atomic = touch.strength == Strength::strong;
    const bool strong =
        atomic || (touch.strength == Strength::is_volatile && (!touch.writes || visit.published));
    const bool one_width = !atomic || !cell.atomic || cell.width == touch.bytes;
    if (strong && (cell.atomic || cell.published) && one_width) return;
    if (order_.has_read(visit.place, touch.thread)) return;
    Verdict verdict = Verdict::race;
    if (touch.writes && touch.value &&
        std::equal(touch.value + at, touch.value + at + count, touch.memory + at))
        verdict = Verdict::same_value;
    else if (!touch.writes && cell.atomic && touch.strength == Strength::plain)
        verdict = Verdict::revalued;
    if (verdict > answer.verdict) answer = {verdict, cell.writer, int(cell.copy_line)};
}

void BlockShadow::check(const Cell& cell, const Visit& visit, std::size_t at, std::size_t count,
                        Answer& answer) const {
    const Touch& touch = visit.touch;
    if (cell.write_epoch == epoch_ && cell.block == block_ && cell.writer != touch.thread)
        check_write(cell, visit, at, count, answer);
    int reader = 0;
    if (touch.writes && cell.read_epoch == epoch_ && touch.strength != Strength::strong &&
        answer.verdict < Verdict::race && unordered_readers(cell, visit, reader))
        answer = {Verdict::race, reader, int(cell.copy_line)};
}

void BlockShadow::record(Cell& cell, const Visit& visit) {
    const Touch& touch = visit.touch;
    if (!touch.writes) return record_read(cell, visit);
    cell.block = block_;
    cell.writer = std::uint16_t(touch.thread);
    cell.write_epoch = epoch_;
    cell.write_time = visit.reader.time;
    cell.atomic = touch.strength == Strength::strong;
    cell.published = visit.published;
    cell.width = std::uint8_t(touch.bytes);
    cell.copy_line = 0;
}

// Each byte has its own cell from now on.
void BlockShadow::split(Word& word) {
    word[0].whole = false;
    for (std::size_t k = 1; k < 4; ++k) {
        word[k] = word[0];
        if (word[0].more_readers == 0 || word[0].read_epoch != epoch_) continue;
        if (pool_used_ == pool_.size()) pool_.emplace_back();
        pool_[pool_used_] = pool_[word[0].more_readers - 1];
        word[k].more_readers = std::uint32_t(++pool_used_);
    }
}

// Calls work(cell, first byte, bytes) for bytes of a word: for all at once while they share their past.
template <typename Work>
void BlockShadow::for_cells(Word& word, std::size_t first, std::size_t count, const Work& work) {
    if (word[0].whole && count == 4) return work(word[0], std::size_t(0), std::size_t(4));
    if (word[0].whole) split(word);
    for (std::size_t k = first; k < first + count; ++k) work(word[k], k, std::size_t(1));
}

// Calls work(cell, byte of the access, bytes).
template <typename Work>
void BlockShadow::for_shared_cells(std::uint64_t offset, int bytes, const Work& work) {
    const std::uint64_t end = offset + std::uint64_t(bytes);
    for (std::uint64_t at = offset; at < end;) {
        const std::uint64_t next = std::min(end, at / 4 * 4 + 4);
        for_cells(shared_[at / 4], at % 4, next - at, [&](Cell& cell, std::size_t first, std::size_t count) {
            work(cell, std::size_t(at / 4 * 4 + first - offset), count);
        });
        at = next;
    }
}

BlockShadow::Answer BlockShadow::shared(std::uint64_t offset, const Touch& touch) {
    Answer answer;
    const Visit visit = begin(offset | kSharedPlace, touch);
    for_shared_cells(offset, touch.bytes, [&](Cell& cell, std::size_t at, std::size_t count) {
        if (cell.pending) {
            if (answer.verdict != Verdict::pending)
                answer = {Verdict::pending, cell.copier, int(cell.copy_line)};
            return;
        }
        if (touch.reads && cell.block != block_ && answer.verdict < Verdict::uninitialised)
            answer = {Verdict::uninitialised, 0, 0};
        check(cell, visit, at, count, answer);
        record(cell, visit);
    });
    return answer;
}

// Null if the block touches too much: the rest is not watched.
BlockShadow::Word* BlockShadow::global_word(std::uint64_t address) {
    const std::uint64_t key = address / 4;
    std::size_t index = std::size_t(key * 0x9E3779B97F4A7C15ull >> 48) % kGlobalWords;
    while (key_blocks_[index] == block_ && keys_[index] != key) index = (index + 1) % kGlobalWords;
    if (key_blocks_[index] != block_) {
        if (used_ > kGlobalWords / 2) return nullptr;
        ++used_;
        keys_[index] = key;
        key_blocks_[index] = block_;
        global_[index][0] = {};  // whole: the others are not looked at
    }
    return &global_[index];
}

void BlockShadow::forget(std::uint64_t address, std::uint64_t bytes) {
    if (used_ == 0) return;
    for (std::uint64_t key = address / 4; key < (address + bytes + 3) / 4; ++key) {
        std::size_t index = std::size_t(key * 0x9E3779B97F4A7C15ull >> 48) % kGlobalWords;
        while (key_blocks_[index] == block_ && keys_[index] != key) index = (index + 1) % kGlobalWords;
        if (key_blocks_[index] == block_) global_[index][0] = {};
    }
}

BlockShadow::Answer BlockShadow::global(std::uint64_t address, const Touch& touch) {
    Answer answer;
    const Visit visit = begin(address, touch);
    const std::uint64_t end = address + std::uint64_t(touch.bytes);
    for (std::uint64_t at = address; at < end;) {
        const std::uint64_t next = std::min(end, at / 4 * 4 + 4);
        Word* word = global_word(at);
        if (!word) return answer;
        for_cells(*word, at % 4, next - at, [&](Cell& cell, std::size_t first, std::size_t count) {
            check(cell, visit, std::size_t(at / 4 * 4 + first - address), count, answer);
            record(cell, visit);
        });
        at = next;
    }
    return answer;
}

BlockShadow::Answer BlockShadow::begin_copy(std::uint64_t offset, const Touch& touch, int line) {
    Answer answer;
    const Visit visit = begin(offset | kSharedPlace, touch);
    for_shared_cells(offset, touch.bytes, [&](Cell& cell, std::size_t at, std::size_t count) {
        if (cell.pending) {
            answer = {Verdict::pending, cell.copier, int(cell.copy_line)};
        } else {
            check(cell, visit, at, count, answer);
        }
        cell.pending = true;
        cell.copier = std::uint16_t(touch.thread);
        cell.copy_line = std::uint32_t(line);
        pending_.push_back((offset + at) / 4);
    });
    return answer;
}

void BlockShadow::end_copy(std::uint64_t offset, int bytes, int thread) {
    const Touch written{.thread = thread, .writes = true, .bytes = bytes};
    const Visit visit = begin(offset | kSharedPlace, written);
    for_shared_cells(offset, bytes, [&](Cell& cell, std::size_t /*at*/, std::size_t /*count*/) {
        const std::uint32_t line = cell.copy_line;
        record(cell, visit);
        cell.copy_line = line;
        cell.pending = false;
    });
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
