#include "gpu/analysis/ready_warps.h"

#include <algorithm>
#include <stdexcept>

namespace ws {

void ReadyWarps::set_order(std::span<const Place> places) {
    if (places.size() > kMost) throw std::length_error("more warps than a scheduler has places for");
    order_.clear();
    ready_.clear();
    last_of_.clear();
    starved_ = 0;
    for (const Place& one : places) {
        Row& row = rows_[std::size_t(one.row)];
        row.place = int(order_.size());
        if (row.block != one.block) {
            row.block = one.block;
            row.issued = kNotYet;
            row.yielded = true;
            row.idle = row.starved = false;
            if (last_ == one.row) last_ = kNone;
        }
        if (order_.empty() || rows_[std::size_t(order_.back())].block != one.block) last_of_.push_back(kNone);
        row.block_place = int(last_of_.size()) - 1;
        int& last = last_of_.back();
        const double latest = last < 0 ? kNotYet : rows_[std::size_t(order_[std::size_t(last)])].issued;
        if (row.issued > latest) last = row.place;
        starved_ += row.starved ? 1 : 0;
        order_.push_back(one.row);
        ready_.push_back(row.ready);
    }
    awake_ = 0;
    next_ = ready_.empty() ? kNever : *std::min_element(ready_.begin(), ready_.end());
}

void ReadyWarps::set(int number, IssueGate gate, double ready, bool only_stalled) {
    Row& row = rows_[std::size_t(number)];
    row.gate = gate;
    row.in_run = only_stalled && !row.yielded;
    row.ready = ready;
    ready_[std::size_t(row.place)] = ready;
    awake_ &= ~(std::uint64_t(1) << row.place);
    next_ = std::min(next_, ready);
}

void ReadyWarps::wake(double now) {
    // Without branches: which of them are ready is as if thrown.
    std::uint64_t awake = 0;
    double next = kNever;
    for (std::size_t place = ready_.size(); place-- > 0;) {
        const double ready = ready_[place];
        const bool now_ready = ready <= now;
        awake = awake << 1 | std::uint64_t(now_ready);
        next = std::min(next, now_ready ? kNever : ready);
    }
    awake_ |= awake;
    next_ = next;
}

void ReadyWarps::end_rounds(double now) {
    for (; round_ends_ <= now; round_ends_ += kRound) {
        for (const int number : order_) {
            Row& row = rows_[std::size_t(number)];
            if (row.idle && !row.starved) {
                row.starved = true;
                ++starved_;
            }
            row.idle = true;
        }
    }
}

}  // namespace ws
