#pragma once
// The sixteen barriers of a block (PTX ISA, bar and barrier): warps arrive, with or without waiting, and go
// on when as many threads have arrived as the barrier is for.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ws::simt {

enum class BarrierKind : std::uint8_t { sync, arrive, popc, all, any };

class Barriers {
  public:
    static constexpr int kCount = 16;
    // A warp's; it counts as 32 threads however many are active.
    struct Arrival {
        BarrierKind kind = BarrierKind::sync;
        std::uint32_t id = 0;
        std::uint32_t threads = 0;  // that the barrier is for; 0: all of the block
        int warp = 0;
        int line = 0;
        int control = -1;  // the instruction
        std::uint32_t lanes = 0;
        std::uint32_t yes = 0;  // of a reduction: lanes whose predicate holds
    };
    struct Passage {
        std::vector<Arrival> waiting;
        std::uint32_t yes = 0;  // threads whose predicate holds...
        std::uint32_t of = 0;   // ...of these
    };

    void begin_block(int warps);
    // What is wrong with the arrival, empty if nothing.
    [[nodiscard]] std::string arrive(const Arrival& arrival);
    // Whether the barrier is met, with so many warps that have not ended.
    [[nodiscard]] bool met(std::uint32_t id, int running) const;
    // Those that go on, until the next ones do; the barrier is as new.
    [[nodiscard]] const Passage& pass(std::uint32_t id);
    // Who waits at it, of how many warps that have arrived.
    [[nodiscard]] const std::vector<Arrival>& waiting(std::uint32_t id) const {
        return barriers_[id].passage.waiting;
    }
    [[nodiscard]] std::uint32_t arrived(std::uint32_t id) const { return barriers_[id].arrived; }
    // Who waits where, for a deadlock's message; `line` gets the first one's.
    [[nodiscard]] std::string waiting_text(int& line) const;

  private:
    struct Barrier {
        std::uint32_t threads = 0;
        std::uint32_t arrived = 0;  // warps
        Passage passage;
        void clear();
    };
    std::uint32_t warps_ = 0;
    std::array<Barrier, kCount> barriers_;
    Passage passing_;
};

}  // namespace ws::simt
