#include "gpu/analysis/ready_warps.h"

#include <algorithm>

#include "gpu/core/error.h"

namespace ws {

void ReadyWarps::set_order(std::span<const int> rows) {
    if (rows.size() > kMost) throw Error("a scheduler has more warps than a multiprocessor has places for");
    order_.assign(rows.begin(), rows.end());
    ready_.clear();
    for (std::size_t place = 0; place < order_.size(); ++place) {
        Row& row = rows_[std::size_t(order_[place])];
        row.place = int(place);
        ready_.push_back(row.ready);
    }
    awake_ = 0;
    next_ = ready_.empty() ? kNever : *std::min_element(ready_.begin(), ready_.end());
}

void ReadyWarps::set(int number, IssueGate gate, double ready) {
    Row& row = rows_[std::size_t(number)];
    row.gate = gate;
    row.ready = ready;
    ready_[std::size_t(row.place)] = ready;
    awake_ &= ~(std::uint64_t(1) << row.place);
    next_ = std::min(next_, ready);
}

void ReadyWarps::wake(double now) {
    next_ = kNever;
    for (std::size_t place = 0; place < ready_.size(); ++place) {
        if (ready_[place] <= now)
            awake_ |= std::uint64_t(1) << place;
        else
            next_ = std::min(next_, ready_[place]);
    }
}

}  // namespace ws
