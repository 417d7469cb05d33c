#include "gpu/simt/checks.h"

#include <algorithm>

namespace ws::simt {

namespace {
constexpr std::size_t kGlobalCells =
    1 << 16;  // bytes of writable buffers that a block may touch and still be watched
}

bool FindingLog::wants(Finding::Kind kind, int line, std::uint64_t order) {
    const std::lock_guard lock(mutex_);
    const auto known = entries_.find({kind, line});
    if (known == entries_.end() || order < known->second.order) return true;
    ++known->second.finding.count;
    return false;
}

void FindingLog::add(Finding::Kind kind, int line, std::uint64_t order, const std::string& message) {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[{kind, line}];
    const std::uint64_t count = entry.order == ~0ull ? 1 : entry.finding.count + 1;
    if (order < entry.order) {
        entry.order = order;
        entry.finding = {kind, severity_of(kind), message, line, count};
    }
    entry.finding.count = count;
}

std::vector<Finding> FindingLog::take() {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<std::uint64_t, Finding>> ordered;
    ordered.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) ordered.emplace_back(entry.order, entry.finding);
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Finding> made;
    made.reserve(ordered.size());
    for (auto& [order, finding] : ordered) made.push_back(std::move(finding));
    return made;
}

void BlockShadow::begin_block(std::uint64_t shared_bytes) {
    if (shared_.size() < shared_bytes) shared_.resize(shared_bytes);
    if (keys_.empty()) {
        keys_.resize(kGlobalCells);
        key_blocks_.resize(kGlobalCells);
        global_.resize(kGlobalCells);
    }
    used_ = 0;
    ++block_;
    ++epoch_;
}

BlockShadow::Verdict BlockShadow::visit(Cell& cell, int thread, std::uint32_t warp_epoch, bool reads,
                                        bool writes, bool atomic, int& other) const {
    // Without a barrier in between; lanes of one warp are also ordered by its synchronising instructions.
    const auto unordered = [&](std::uint16_t with, std::uint32_t epoch, std::uint32_t their_warp_epoch) {
        if (epoch != epoch_ || with == thread) return false;
        return with / 32 != thread / 32 || their_warp_epoch == warp_epoch;
    };
    Verdict verdict = Verdict::fine;
    if (cell.block == block_ && unordered(cell.writer, cell.write_epoch, cell.write_warp_epoch) &&
        !(atomic && cell.atomic)) {
        verdict = Verdict::race;
        other = cell.writer;
    }
    if (writes && !atomic) {
        for (const std::uint16_t reader : {cell.reader, cell.reader_before}) {
            if (verdict == Verdict::race || !unordered(reader, cell.read_epoch, cell.read_warp_epoch))
                continue;
            verdict = Verdict::race;
            other = reader;
        }
    }
    if (reads && !writes) {
        const bool first = cell.read_epoch != epoch_;
        cell.reader_before = first ? std::uint16_t(thread) : cell.reader;
        cell.reader = std::uint16_t(thread);
        cell.read_epoch = epoch_;
        cell.read_warp_epoch = warp_epoch;
    }
    if (writes) {
        cell.block = block_;
        cell.writer = std::uint16_t(thread);
        cell.write_epoch = epoch_;
        cell.write_warp_epoch = warp_epoch;
        cell.atomic = atomic;
    }
    return verdict;
}

BlockShadow::Verdict BlockShadow::shared(std::uint64_t offset, int bytes, int thread,
                                         std::uint32_t warp_epoch, bool reads, bool writes, bool atomic,
                                         int& other) {
    Verdict worst = Verdict::fine;
    for (std::uint64_t at = offset; at < offset + std::uint64_t(bytes); ++at) {
        Cell& cell = shared_[at];
        if (reads && cell.block != block_) worst = std::max(worst, Verdict::uninitialised);
        worst = std::max(worst, visit(cell, thread, warp_epoch, reads, writes, atomic, other));
    }
    return worst;
}

BlockShadow::Verdict BlockShadow::global(std::uint64_t address, int bytes, int thread,
                                         std::uint32_t warp_epoch, bool reads, bool writes, bool atomic,
                                         int& other) {
    Verdict worst = Verdict::fine;
    for (std::uint64_t at = address; at < address + std::uint64_t(bytes); ++at) {
        std::size_t index = std::size_t(at * 0x9E3779B97F4A7C15ull >> 48) % kGlobalCells;
        while (key_blocks_[index] == block_ && keys_[index] != at) index = (index + 1) % kGlobalCells;
        if (key_blocks_[index] != block_) {
            if (used_ > kGlobalCells / 2) return worst;  // too much for one block: the rest is not watched
            ++used_;
            keys_[index] = at;
            key_blocks_[index] = block_;
            global_[index] = {};
        }
        worst = std::max(worst, visit(global_[index], thread, warp_epoch, reads, writes, atomic, other));
    }
    return worst;
}

}  // namespace ws::simt
