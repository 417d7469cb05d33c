#include "gpu/debug/history.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ws::debug {
namespace {

constexpr std::size_t kMostSnapshotBytes = 192 << 20;
constexpr std::size_t kMostSnapshots = 256;

}  // namespace

History::History(Start start) : start_(std::move(start)) {
    begin();
}

void History::begin() {
    StartedBlock fresh = start_();  // or all stays as it is, where it cannot be started
    started_.block.reset();
    started_ = std::move(fresh);
    schedule_.clear();
    passed_.clear();
    snapshots_.clear();
    snapshot_bytes_ = 0;
    undo_.clear();
    now_ = 0;
    keep_snapshot();
}

void History::keep_snapshot() {
    if (now_ % interval_ != 0 || snapshots_.contains(now_)) return;
    simt::SteppedBlock::Snapshot made = block().save();
    snapshot_bytes_ += made.size_bytes();
    snapshots_.emplace(now_, std::move(made));
    thin_snapshots();
}

void History::thin_snapshots() {
    while (snapshots_.size() > 2 &&
           (snapshots_.size() > kMostSnapshots || snapshot_bytes_ > kMostSnapshotBytes)) {
        interval_ *= 2;
        for (auto one = snapshots_.begin(); one != snapshots_.end();) {
            if (one->first % interval_ == 0) {
                ++one;
                continue;
            }
            snapshot_bytes_ -= one->second.size_bytes();
            one = snapshots_.erase(one);
        }
        if (interval_ > schedule_.size() + 1) return;
    }
}

void History::step(int warp) {
    const bool again = repeats();
    const auto waiting = [this] {
        const auto& warps = block().state().warps;
        return std::count_if(warps.begin(), warps.end(), [](const simt::WarpState& one) {
            return one.state == simt::WarpState::State::waiting;
        });
    };
    const auto before = again ? 0 : waiting();
    if (!again) schedule_.push_back(std::uint16_t(warp));
    block().step(schedule_[now_], again);
    if (!again) passed_.push_back(waiting() < before);
    for (const simt::LaneWrite& write : block().writes()) {
        if (write.place) undo_.push_back({now_, write.place, write.bytes, write.before});
    }
    ++now_;
    keep_snapshot();
}

void History::restore_before(std::uint64_t step) {
    const auto snapshot = std::prev(snapshots_.upper_bound(step));
    if (now_ >= snapshot->first) {
        while (!undo_.empty() && undo_.back().step >= snapshot->first) {
            const Undo& last = undo_.back();
            std::memcpy(last.place, last.before.data(), last.bytes);
            undo_.pop_back();
        }
        block().restore(snapshot->second);
        now_ = snapshot->first;
    }
}

void History::go_to(std::uint64_t step) {
    step = std::min<std::uint64_t>(step, schedule_.size());
    if (step < now_) restore_before(step);
    while (now_ < step) this->step(schedule_[now_]);
}

void History::forget_future() {
    if (!repeats()) return;
    std::vector<std::uint16_t> past(schedule_.begin(), schedule_.begin() + std::ptrdiff_t(now_));
    begin();
    for (const std::uint16_t warp : past) step(warp);
}

}  // namespace ws::debug
