#include "gpu/simt/async_copies.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ws::simt {
namespace {

constexpr std::size_t kMostBatches = 1 << 12;  // of a warp
constexpr std::size_t kBatchesAtOnce = 32;     // that there is room for

template <int kBytes>
void land_lanes(std::byte* shared, const AsyncCopies::Batch& batch, std::uint32_t lanes) {
    if (lanes == kAllLanes) {
        std::uint32_t wrong = 0;
        for (std::uint32_t lane = 0; lane < kLanes; ++lane)
            wrong |= batch.offset[lane] ^ (batch.offset[0] + lane * kBytes);
        if (wrong == 0)
            return void(std::memcpy(shared + batch.offset[0], batch.data.data(), kLanes * kBytes));
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

// Those that are left move to the front where that gives enough.
void AsyncCopies::Log::make_room(std::size_t count) {
    if (end + count <= batches.size()) return;
    if (first >= batches.size() / 2) {
        std::move(batches.begin() + std::ptrdiff_t(first), batches.begin() + std::ptrdiff_t(end),
                  batches.begin());
        end -= first;
        first = 0;
    }
    if (end + count > batches.size()) batches.resize(2 * (end + count));
}

AsyncCopies::Batch& AsyncCopies::Log::add() {
    make_room(1);
    Batch& made = batches[end++];
    made.lanes = made.arriving = made.committing = 0;
    made.bytes = 0;
    return made;
}

void AsyncCopies::begin_block(std::size_t warps, std::byte* shared, std::uint64_t shared_bytes) {
    shared_ = shared;
    shared_bytes_ = shared_bytes;
    logs_.resize(warps);
    if (!used_) return;
    for (Log& log : logs_) log.first = log.end = 0;
    bytes_ = 0;
    used_ = false;
}

AsyncCopies::Batch& AsyncCopies::begin(int warp, std::uint32_t lanes, int bytes) {
    Log& log = logs_[std::size_t(warp)];
    used_ = true;
    bytes_ += std::uint64_t(std::popcount(lanes) * bytes);
    while ((bytes_ > shared_bytes_ || log.all().size() > kMostBatches) && !log.empty()) land_oldest(log);
    Batch& batch = log.add();
    batch.lanes = lanes;
    batch.bytes = bytes;
    return batch;
}

void AsyncCopies::commit(int warp, std::uint32_t lanes) {
    Log& log = logs_[std::size_t(warp)];
    if (log.empty()) return;  // nothing that it could end
    log.add().committing = lanes;
    if (log.all().size() > kMostBatches) land_oldest(log);
}

AsyncCopies::Room AsyncCopies::open(int warp) {
    Log& log = logs_[std::size_t(warp)];
    log.make_room(kBatchesAtOnce);
    Batch* const data = log.batches.data();
    return {data + log.first, data + log.end, data + log.end + kBatchesAtOnce,
            shared_bytes_ > bytes_ ? shared_bytes_ - bytes_ : 0};
}

void AsyncCopies::close(int warp, const Room& room) {
    Log& log = logs_[std::size_t(warp)];
    const auto end = std::size_t(room.next - log.batches.data());
    if (end == log.end) return;
    for (std::size_t i = log.end; i < end; ++i)
        bytes_ += std::uint64_t(std::popcount(log.batches[i].lanes) * log.batches[i].bytes);
    log.end = end;
    used_ = true;
    while (log.all().size() > kMostBatches) land_oldest(log);
}

// Goes through the batches from the latest back.
void AsyncCopies::find_arriving(Log& log, std::uint32_t lanes, int groups) {
    const std::span<Batch> all = log.all();
    if (groups >= 0 && std::size_t(groups) >= all.size()) return;
    ended_more_.assign(std::size_t(std::max(groups, 0)) + 1, groups < 0 ? kAllLanes : 0);
    for (auto batch = all.rbegin(); batch != all.rend(); ++batch) {
        if (batch->bytes != 0) {
            batch->arriving = batch->lanes & lanes & ended_more_.back();
            continue;
        }
        for (std::size_t k = ended_more_.size() - 1; k > 0; --k)
            ended_more_[k] |= ended_more_[k - 1] & batch->committing;
        ended_more_[0] |= batch->committing;
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
void AsyncCopies::forget_landed(Log& log) {
    while (!log.empty() && log.batches[log.first].lanes == 0) ++log.first;
    if (log.empty()) log.first = log.end = 0;
}

void AsyncCopies::land_oldest(Log& log) {
    Batch& oldest = log.batches[log.first];
    land(oldest, oldest.lanes);
    forget_landed(log);
}

}  // namespace ws::simt
