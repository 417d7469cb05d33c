#pragma once
// The copies to shared memory that the warps of a block began with cp.async and have not waited for. What
// they read is kept here: a target keeps its old bytes until its thread's wait.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/simt/instruction.h"

namespace ws::simt {

class AsyncCopies {
  public:
    static constexpr std::size_t kMostBytes = 16;  // of a lane's copy

    // What one instruction of a warp began; or, of 0 bytes, the end of a group.
    struct Batch {
        std::uint32_t lanes = 0;                                      // whose data have not arrived
        std::uint32_t arriving = 0;                                   // of them, with the present wait
        std::uint32_t committing = 0;                                 // who ended a group
        std::int32_t bytes = 0;                                       // of each lane
        std::array<std::uint32_t, kLanes> offset;                     // in shared memory
        alignas(64) std::array<std::byte, kLanes * kMostBytes> data;  // lane after lane

        [[nodiscard]] std::byte* data_of(int lane) { return data.data() + lane * bytes; }
    };
    // Where translated code begins copies and ends groups of a warp by itself, until there is no more room.
    struct Room {
        Batch* first = nullptr;  // the oldest that has not landed, if it is not the next
        Batch* next = nullptr;
        Batch* end = nullptr;
        std::uint64_t bytes_left = 0;  // before the oldest ones have to land
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
    // While one is open nothing else happens to the warp's copies.
    [[nodiscard]] Room open(int warp);
    void close(int warp, const Room& room);

  private:
    // Of a warp, in their order, from its oldest that has not landed on.
    struct Log {
        std::vector<Batch> batches;
        std::size_t first = 0, end = 0;

        [[nodiscard]] bool empty() const { return first == end; }
        [[nodiscard]] std::span<Batch> all() { return {batches.data() + first, end - first}; }
        void make_room(std::size_t count);
        Batch& add();
    };

    // Of these lanes, those for whom a batch arrives.
    void find_arriving(Log& log, std::uint32_t lanes, int groups);
    void land(Batch& batch, std::uint32_t lanes);
    static void forget_landed(Log& log);
    // Copies may arrive before they are waited for. So do the oldest of a warp once more is under way than
    // shared memory holds, as in a kernel that never waits.
    void land_oldest(Log& log);

    std::byte* shared_ = nullptr;
    std::uint64_t shared_bytes_ = 0;
    std::uint64_t bytes_ = 0;  // under way
    bool used_ = false;        // by this block
    std::vector<Log> logs_;    // by warp
    // By k: lanes that have ended more than k groups since the event that is looked at.
    std::vector<std::uint32_t> ended_more_;
};

template <typename Arrived>
void AsyncCopies::wait(int warp, std::uint32_t lanes, int groups, const Arrived& arrived) {
    Log& log = logs_[std::size_t(warp)];
    find_arriving(log, lanes, groups);
    for (Batch& batch : log.all()) {
        const std::uint32_t arriving = batch.arriving;
        if (arriving == 0) continue;
        land(batch, arriving);
        arrived(batch, arriving);
    }
    forget_landed(log);
}

}  // namespace ws::simt
