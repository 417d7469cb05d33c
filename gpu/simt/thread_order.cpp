#include "gpu/simt/thread_order.h"

#include <algorithm>
#include <bit>

namespace ws::simt {
namespace {

void join(std::vector<std::uint32_t>& into, const std::vector<std::uint32_t>& from) {
    if (into.size() < from.size()) into.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

// The number of the first of a warp's lanes.
std::size_t thread_of(int warp, std::uint32_t lanes) {
    return std::size_t(warp) * 32 + std::size_t(std::countr_zero(lanes));
}

std::uint64_t reading(std::uint64_t flag, int thread) {
    return flag * 1031 + std::uint64_t(thread);  // flags are at least a byte apart; a clash hides one race
}

}  // namespace

void ThreadOrder::begin_block(int threads) {
    threads_ = std::size_t(threads);
    warps_ = (threads_ + 31) / 32;
    epoch_ = 0;
    times_.assign(warps_, 1);
    meeting_.assign(warps_, 0);
    known_.assign(warps_ * warps_, 0);
    if (any_row_ || rows_.size() != warps_ * 32) rows_.assign(warps_ * 32, {});
    any_row_ = false;
    fences_.assign(warps_ * 32, 0);
    wide_.assign(warps_ * 32, false);
    flags_.clear();
    read_flags_.clear();
}

bool ThreadOrder::row_tells(int earlier, std::uint32_t time, int now) const {
    const std::vector<std::uint32_t>& row = rows_[std::size_t(now)];
    return !row.empty() && time < row[std::size_t(earlier)];
}

std::vector<std::uint32_t>& ThreadOrder::row_of(int thread) {
    any_row_ = true;
    std::vector<std::uint32_t>& row = rows_[std::size_t(thread)];
    row.resize(rows_.size());
    return row;
}

void ThreadOrder::join_rows(int warp, std::uint32_t lanes, std::vector<std::uint32_t>& sum) const {
    if (!any_row_) return;
    for (; lanes != 0; lanes &= lanes - 1) join(sum, rows_[thread_of(warp, lanes)]);
}

void ThreadOrder::learn(int warp, std::uint32_t lanes, const std::vector<std::uint32_t>& sum) {
    if (sum.empty()) return;
    for (; lanes != 0; lanes &= lanes - 1) join(row_of(int(thread_of(warp, lanes))), sum);
}

void ThreadOrder::meet(int warp, std::uint32_t lanes, std::uint32_t live) {
    const std::uint32_t now = ++times_[std::size_t(warp)];
    std::vector<std::uint32_t> sum;
    join_rows(warp, lanes, sum);
    if ((live & ~lanes) == 0) {
        meeting_[std::size_t(warp)] = now;
    } else {
        sum.resize(rows_.size());
        for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) sum[thread_of(warp, rest)] = now;
    }
    learn(warp, lanes, sum);
}

void ThreadOrder::arrive(int warp, Arrivals& arrivals) {
    arrivals.warps.resize(warps_);
    for (std::size_t other = 0; other < warps_; ++other)
        arrivals.warps[other] = std::max(arrivals.warps[other], known_[std::size_t(warp) * warps_ + other]);
    arrivals.warps[std::size_t(warp)] = ++times_[std::size_t(warp)];
    join_rows(warp, ~0u, arrivals.threads);
}

void ThreadOrder::leave(int warp, const Arrivals& arrivals) {
    for (std::size_t other = 0; other < arrivals.warps.size(); ++other) {
        std::uint32_t& known = known_[std::size_t(warp) * warps_ + other];
        known = std::max(known, arrivals.warps[other]);
    }
    meeting_[std::size_t(warp)] = ++times_[std::size_t(warp)];
    learn(warp, ~0u, arrivals.threads);
}

void ThreadOrder::fence(int warp, std::uint32_t lanes, bool wide) {
    const std::uint32_t now = ++times_[std::size_t(warp)];
    for (; lanes != 0; lanes &= lanes - 1) {
        const std::size_t thread = thread_of(warp, lanes);
        fences_[thread] = now;
        if (wide) wide_[thread] = true;
    }
}

bool ThreadOrder::fenced(int thread, bool wide) const {
    return fences_[std::size_t(thread)] != 0 && (!wide || wide_[std::size_t(thread)]);
}

std::vector<std::uint32_t> ThreadOrder::known_to(int thread, bool at_once) const {
    std::vector<std::uint32_t> known = rows_[std::size_t(thread)];
    known.resize(rows_.size());
    const auto warp = std::size_t(thread / 32);
    for (std::size_t other = 0; other < known.size(); ++other) {
        const std::uint32_t by_warp =
            other / 32 == warp ? meeting_[warp] : known_[warp * warps_ + other / 32];
        known[other] = std::max(known[other], by_warp);
    }
    known[std::size_t(thread)] = at_once ? times_[warp] + 1 : fences_[std::size_t(thread)];
    return known;
}

void ThreadOrder::set_flag(std::uint64_t flag, int thread, bool at_once) {
    join(flags_[flag], known_to(thread, at_once));
    if (at_once) ++times_[std::size_t(thread / 32)];
}

void ThreadOrder::read_flag(std::uint64_t flag, int thread) {
    if (flags_.empty()) return;
    const auto known = flags_.find(flag);
    if (known == flags_.end()) return;
    read_flags_.insert(reading(flag, thread));
    join(row_of(thread), known->second);
}

bool ThreadOrder::has_read(std::uint64_t flag, int thread) const {
    return !read_flags_.empty() && read_flags_.count(reading(flag, thread)) != 0;
}

}  // namespace ws::simt
