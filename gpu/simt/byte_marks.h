#pragma once
// A mark for each byte of a region. Regions are large and a launch touches a part of them, or a sample of its
// blocks does: marks that stay as they were at first take no memory.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace ws::simt {

class ByteMarks {
  public:
    ByteMarks() = default;
    ByteMarks(std::size_t size, std::uint16_t first)
        : cells_(zeroed(size)), size_(size), room_(size), first_(first) {}

    [[nodiscard]] std::size_t size() const { return size_; }
    // Further ones are as all were at first.
    void grow(std::size_t size) {
        if (size > room_) {
            room_ = std::max(size, 2 * room_);
            Cells larger = zeroed(room_);
            std::copy_n(cells_.get(), size_, larger.get());
            cells_ = std::move(larger);
        }
        size_ = std::max(size_, size);
    }

    // By several threads at a time, too.
    [[nodiscard]] std::uint16_t load(std::size_t byte) const {
        return std::atomic_ref(cells_[byte]).load(std::memory_order_relaxed) ^ first_;
    }
    void store(std::size_t byte, std::uint16_t mark) {
        std::atomic_ref(cells_[byte]).store(mark ^ first_, std::memory_order_relaxed);
    }
    // By one thread alone.
    void fill(std::size_t byte, std::size_t count, std::uint16_t mark) {
        std::fill_n(cells_.get() + byte, count, std::uint16_t(mark ^ first_));
    }
    // The first that has the mark; size(): none.
    [[nodiscard]] std::size_t find(std::uint16_t mark) const {
        return std::size_t(std::find(begin(), end(), cell_of(mark)) - begin());
    }
    [[nodiscard]] std::size_t count(std::uint16_t mark) const {
        return std::size_t(std::count(begin(), end(), cell_of(mark)));
    }

  private:
    struct Free {
        void operator()(std::uint16_t* cells) const { std::free(cells); }
    };
    using Cells = std::unique_ptr<std::uint16_t[], Free>;
    // The system gives pages of zeros when they are touched, and not before.
    static Cells zeroed(std::size_t size) {
        Cells made(
            static_cast<std::uint16_t*>(std::calloc(std::max<std::size_t>(1, size), sizeof(std::uint16_t))));
        if (!made) throw std::bad_alloc();
        return made;
    }
    [[nodiscard]] std::uint16_t cell_of(std::uint16_t mark) const { return std::uint16_t(mark ^ first_); }
    [[nodiscard]] const std::uint16_t* begin() const { return cells_.get(); }
    [[nodiscard]] const std::uint16_t* end() const { return cells_.get() + size_; }

    Cells cells_;  // 0: as at first
    std::size_t size_ = 0, room_ = 0;
    std::uint16_t first_ = 0;
};

}  // namespace ws::simt
