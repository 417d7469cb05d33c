#pragma once
// The copies to shared memory that the warps of a block began with cp.async and have not waited for. What
// they read is kept here: a target keeps its old bytes until its thread's wait.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/simt/instruction.h"

namespace ws::simt {

class AsyncCopies {
  public:
    static constexpr std::size_t kMostBytes = 16;  // of a lane's copy

    // What one instruction of a warp began.
    struct Batch {
        std::uint32_t lanes = 0;                                      // whose data have not arrived
        std::uint32_t arriving = 0;                                   // of them, with the present wait
        int bytes = 0;                                                // of each
        std::array<std::uint32_t, kLanes> offset;                     // in shared memory
        alignas(64) std::array<std::byte, kLanes * kMostBytes> data;  // lane after lane

        [[nodiscard]] std::byte* data_of(int lane) { return data.data() + lane * bytes; }
    };

    void begin_block(std::size_t warps, std::byte* shared, std::uint64_t shared_bytes);
    // Copies of these lanes, whose offsets and data the caller fills in, before anything else is begun.
    [[nodiscard]] Batch& begin(int warp, std::uint32_t lanes, int bytes);
    // Ends a group of each of these lanes.
    void commit(int warp, std::uint32_t lanes);
    // What arrives with a wait of these lanes for all but their latest `groups` groups; negative: for
    // everything, committed or not. Calls arrived(batch, lanes) of each batch.
    template <typename Arrived>
    void wait(int warp, std::uint32_t lanes, int groups, const Arrived& arrived);

  private:
    static constexpr std::size_t kNone = ~std::size_t(0);
    struct Event {
        std::size_t batch = kNone;     // that was begun; or
        std::uint32_t committing = 0;  // who ended a group
    };
    using Events = std::vector<Event>;  // of a warp, in their order, from its oldest batch on

    // Of these lanes, those for whom a batch arrives.
    void find_arriving(const Events& events, std::uint32_t lanes, int groups);
    void land(Batch& batch, std::uint32_t lanes);
    void forget_landed(Events& events);
    // Copies may arrive before they are waited for. So do the oldest of a warp once more is under way than
    // shared memory holds, as in a kernel that never waits.
    void land_oldest(Events& events);

    std::byte* shared_ = nullptr;
    std::uint64_t shared_bytes_ = 0;
    std::uint64_t bytes_ = 0;  // under way
    bool used_ = false;        // by this block
    std::vector<Events> events_;
    std::vector<Batch> batches_;
    std::vector<std::size_t> free_;  // of them
    // By k: lanes that have ended more than k groups since the event that is looked at.
    std::vector<std::uint32_t> ended_more_;
};

template <typename Arrived>
void AsyncCopies::wait(int warp, std::uint32_t lanes, int groups, const Arrived& arrived) {
    Events& events = events_[std::size_t(warp)];
    find_arriving(events, lanes, groups);
    for (const Event& event : events) {
        if (event.batch == kNone || batches_[event.batch].arriving == 0) continue;
        Batch& batch = batches_[event.batch];
        const std::uint32_t arriving = batch.arriving;
        land(batch, arriving);
        arrived(batch, arriving);
    }
    forget_landed(events);
}

}  // namespace ws::simt
