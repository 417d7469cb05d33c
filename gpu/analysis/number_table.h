#pragma once
// Values by number, as std::unordered_map has them, but side by side and without taking any out again: where
// lines of memory are looked up by the hundred thousand, its nodes are what takes most of the time.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ws {

template <typename Value>
class NumberTable {
  public:
    // Room for so many. Who puts in what another table has, in that one's order, has to make it before: in a
    // table that grows meanwhile they would all come to lie side by side.
    void reserve(std::size_t count) {
        while (places_.size() < 2 * count) grow();
    }
    // The number's; a new one where it had none. Valid until the next one is made.
    Value& operator[](std::uint64_t number) {
        if (2 * (count_ + 1) > places_.size()) grow();
        Place& place = places_[place_of(number)];
        if (!place.taken) {
            place = {number, true, {}};
            ++count_;
        }
        return place.value;
    }
    // Null: it has none.
    [[nodiscard]] const Value* find(std::uint64_t number) const {
        if (count_ == 0) return nullptr;
        const Place& place = places_[place_of(number)];
        return place.taken ? &place.value : nullptr;
    }
    [[nodiscard]] Value* find(std::uint64_t number) {
        return const_cast<Value*>(std::as_const(*this).find(number));
    }
    [[nodiscard]] std::size_t size() const { return count_; }
    // Calls each(number, value) for all, in no order that means anything.
    template <typename F>
    void for_each(F&& each) const {
        for (const Place& place : places_)
            if (place.taken) each(place.number, place.value);
    }

  private:
    struct Place {
        std::uint64_t number = 0;
        bool taken = false;
        Value value{};
    };
    // Where it is, or would be. There is a free place.
    [[nodiscard]] std::size_t place_of(std::uint64_t number) const {
        const std::size_t last = places_.size() - 1;
        std::size_t at = std::size_t(number * 0x9e3779b97f4a7c15U >> shift_);
        while (places_[at].taken && places_[at].number != number) at = (at + 1) & last;
        return at;
    }
    void grow() {
        constexpr std::size_t kFirst = 16;
        std::vector<Place> before = std::exchange(places_, {});
        places_.resize(before.empty() ? kFirst : 2 * before.size());
        shift_ = 64 - std::countr_zero(places_.size());
        for (Place& one : before)
            if (one.taken) places_[place_of(one.number)] = std::move(one);
    }

    std::vector<Place> places_;  // a power of two
    int shift_ = 64;
    std::size_t count_ = 0;
};

}  // namespace ws
