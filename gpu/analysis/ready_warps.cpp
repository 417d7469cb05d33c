#include "gpu/analysis/ready_warps.h"

#include <algorithm>
#include <stdexcept>

namespace ws {

void ReadyWarps::set_order(std::span<const Place> places) {
    if (places.size() > kMost) throw std::length_error("more warps than a scheduler has places for");
    const auto ready_before = ready_;
    std::array<int, kMost> places_before;
    for (std::size_t i = 0; i < places.size(); ++i)
        places_before[i] = rows_[std::size_t(places[i].row)].place;
    for (std::size_t i = 0; i < count_; ++i) rows_[std::size_t(order_[i])].place = kNone;
    int last = last_ < kMost ? order_[last_] : kNone;
    const Warps in_run = std::exchange(in_run_, 0);
    const Warps idle = std::exchange(idle_, 0);
    const Warps starved = std::exchange(starved_, 0);
    awake_.fill(0);
    known_ = gates_ = 0;
    next_ = kNever;
    count_ = places.size();
    int blocks = 0;
    double latest = kNotYet;
    for (std::size_t at = 0; at < count_; ++at) {
        const Place& one = places[at];
        Row& row = rows_[std::size_t(one.row)];
        const int place = int(at);
        const int place_before = places_before[at];
        const Warps warp = warp_at(place);
        const auto keep = [&](Warps& set, Warps set_before) {
            if (place_before >= 0 && (set_before & warp_at(place_before)) != 0) set |= warp;
        };
        keep(in_run_, in_run);
        if (row.block == one.block) {
            keep(idle_, idle);
            keep(starved_, starved);
        } else {
            row.block = one.block;
            row.issued = kNotYet;
            row.yielded = true;
            if (last == one.row) last = kNone;
        }
        if (at == 0 || places[at - 1].block != one.block) {
            blocks_[std::size_t(blocks++)] = {};
            latest = kNotYet;
        }
        Block& block = blocks_[std::size_t(blocks - 1)];
        block.warps |= warp;
        if (row.issued > latest) {
            latest = row.issued;
            block.until_last = up_to(warp);
        }
        row.place = place;
        order_[at] = one.row;
        block_at_[at] = blocks - 1;
        ready_[at] = place_before >= 0 ? ready_before[std::size_t(place_before)] : kNever;
        next_ = std::min(next_, ready_[at]);
    }
    const int place_of_last = last >= 0 ? rows_[std::size_t(last)].place : kNone;
    last_ = place_of_last >= 0 ? std::size_t(place_of_last) : kMost;
}

void ReadyWarps::wake(double now) {
    // Without branches: which of them are ready is as if thrown.
    Warps ready = 0;
    double next = kNever;
    for (std::size_t place = count_; place-- > 0;) {
        const double one = ready_[place];
        const bool now_ready = one <= now;
        ready = ready << 1 | Warps(now_ready);
        next = std::min(next, now_ready ? kNever : one);
    }
    next_ = next;
    for (Warps rest = ready & ~known_; rest != 0; rest &= rest - 1) {
        const int place = first(rest);
        const std::size_t gate = number_of(rows_[std::size_t(order_[std::size_t(place)])].gate);
        awake_[gate] |= warp_at(place);
        gates_ |= std::uint64_t(1) << gate;
    }
    known_ |= ready;
}

void ReadyWarps::end_rounds(double now) {
    const Warps all = count_ == 0 ? 0 : up_to(warp_at(int(count_) - 1));
    for (; round_ends_ <= now; round_ends_ += kRound) {
        starved_ |= idle_;
        idle_ = all;
    }
}

}  // namespace ws
