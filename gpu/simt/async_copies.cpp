#include "gpu/simt/async_copies.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ws::simt {
namespace {

constexpr std::size_t kMostEvents = 1 << 16;  // of a warp

template <int kBytes>
void land_lanes(std::byte* shared, AsyncCopies::Batch& batch, std::uint32_t lanes) {
    if (lanes == kAllLanes) {
        for (int lane = 0; lane < kLanes; ++lane)
            std::memcpy(shared + batch.offset[std::size_t(lane)], batch.data.data() + lane * kBytes, kBytes);
        return;
    }
    for (; lanes != 0; lanes &= lanes - 1) {
        const int lane = std::countr_zero(lanes);
        std::memcpy(shared + batch.offset[std::size_t(lane)], batch.data.data() + lane * kBytes, kBytes);
    }
}

}  // namespace

void AsyncCopies::begin_block(std::size_t warps, std::byte* shared, std::uint64_t shared_bytes) {
    shared_ = shared;
    shared_bytes_ = shared_bytes;
    events_.resize(warps);
    if (!used_) return;
    for (Events& events : events_) events.clear();
    free_.clear();
    for (std::size_t i = 0; i < batches_.size(); ++i) free_.push_back(i);
    bytes_ = 0;
    used_ = false;
}

AsyncCopies::Batch& AsyncCopies::begin(int warp, std::uint32_t lanes, int bytes) {
    Events& events = events_[std::size_t(warp)];
    used_ = true;
    bytes_ += std::uint64_t(std::popcount(lanes) * bytes);
    while ((bytes_ > shared_bytes_ || events.size() > kMostEvents) && !events.empty()) land_oldest(events);
    if (free_.empty()) {
        free_.push_back(batches_.size());
        batches_.emplace_back();
    }
    events.push_back({free_.back(), 0});
    Batch& batch = batches_[free_.back()];
    free_.pop_back();
    batch.lanes = lanes;
    batch.arriving = 0;
    batch.bytes = bytes;
    return batch;
}

void AsyncCopies::commit(int warp, std::uint32_t lanes) {
    Events& events = events_[std::size_t(warp)];
    if (events.empty()) return;  // nothing that it could end
    events.push_back({kNone, lanes});
    if (events.size() > kMostEvents) land_oldest(events);
}

// Goes through the events from the latest back.
void AsyncCopies::find_arriving(const Events& events, std::uint32_t lanes, int groups) {
    if (groups >= 0 && std::size_t(groups) >= events.size()) return;
    ended_more_.assign(std::size_t(std::max(groups, 0)) + 1, groups < 0 ? kAllLanes : 0);
    for (auto event = events.rbegin(); event != events.rend(); ++event) {
        if (event->batch != kNone) {
            Batch& batch = batches_[event->batch];
            batch.arriving = batch.lanes & lanes & ended_more_.back();
            continue;
        }
        for (std::size_t k = ended_more_.size() - 1; k > 0; --k)
            ended_more_[k] |= ended_more_[k - 1] & event->committing;
        ended_more_[0] |= event->committing;
    }
}

void AsyncCopies::land(Batch& batch, std::uint32_t lanes) {
    if (batch.bytes == 16)
        land_lanes<16>(shared_, batch, lanes);
    else if (batch.bytes == 8)
        land_lanes<8>(shared_, batch, lanes);
    else
        land_lanes<4>(shared_, batch, lanes);
    batch.lanes &= ~lanes;
    batch.arriving = 0;
    bytes_ -= std::uint64_t(std::popcount(lanes) * batch.bytes);
}

// And the groups that ended before the oldest batch that is left.
void AsyncCopies::forget_landed(Events& events) {
    bool any = false;
    const auto forgotten = [&](const Event& event) {
        if (event.batch == kNone) return !any;
        const bool landed = batches_[event.batch].lanes == 0;
        if (landed) free_.push_back(event.batch);
        any |= !landed;
        return landed;
    };
    auto kept = events.begin();
    for (const Event& event : events) {
        if (!forgotten(event)) *kept++ = event;
    }
    events.erase(kept, events.end());
}

void AsyncCopies::land_oldest(Events& events) {
    Batch& oldest = batches_[events.front().batch];
    land(oldest, oldest.lanes);
    forget_landed(events);
}

}  // namespace ws::simt
