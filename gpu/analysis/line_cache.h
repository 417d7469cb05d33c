#pragma once
// A cache of lines of code, by blocks of so many beside each other that have their place together, but come
// one by one. The block of a set that was used longest ago makes room for another. Times are in clocks.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace ws {

class LineCache {
  public:
    // Of the room, which is in lines, each set has so many blocks.
    LineCache(int lines, int room, int block, int ways)
        : at_(std::size_t(lines)),
          block_(block),
          ways_(std::size_t(ways)),
          sets_(std::size_t(std::max(1, room / block / ways))) {}

    // It has come, or is on its way until it is ready.
    [[nodiscard]] bool has(int line) const { return at_[std::size_t(line)].in; }
    [[nodiscard]] double ready(int line) const { return at_[std::size_t(line)].ready; }
    // It was used now; true: for the first time since it came.
    bool use(int line) {
        const int block = line / block_;
        use_block(set_of(block), block);
        return !std::exchange(at_[std::size_t(line)].used, true);
    }
    void put(int line, double ready) {
        const int block = line / block_;
        Set& set = set_of(block);
        if (!use_block(set, block)) {
            if (set.size() == ways_) {
                remove(set.back());
                set.pop_back();
            }
            set.insert(set.begin(), block);
        }
        at_[std::size_t(line)] = {ready, true, false};
    }

  private:
    struct Entry {
        double ready = 0;
        bool in = false, used = false;
    };
    using Set = std::vector<int>;  // blocks, the last used one first

    // Of its set the block is now the last used one, unless it is not there.
    static bool use_block(Set& set, int block) {
        const auto at = std::find(set.begin(), set.end(), block);
        if (at == set.end()) return false;
        std::rotate(set.begin(), at, at + 1);
        return true;
    }
    [[nodiscard]] Set& set_of(int block) { return sets_[std::size_t(block) % sets_.size()]; }
    void remove(int block) {
        const int end = std::min((block + 1) * block_, int(at_.size()));
        for (int line = block * block_; line < end; ++line) at_[std::size_t(line)].in = false;
    }

    std::vector<Entry> at_;
    int block_;
    std::size_t ways_;
    std::vector<Set> sets_;
};

}  // namespace ws
