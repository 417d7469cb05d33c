#pragma once
// The bytes of a picture in memory of malloc, so that what a decoder has filled is taken over. Like a vector
// whose size is fixed once it is made. Behind the bytes there are zeros up to the next multiple of 16:
// kernels may read a picture in words of that size.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>
#include <utility>

namespace ws {

// How far a picture of so many bytes may be read, wherever a kernel reads it.
[[nodiscard]] constexpr std::size_t readable_bytes(std::size_t bytes) {
    constexpr std::size_t kWidest = 16;
    return (bytes + kWidest - 1) / kWidest * kWidest;
}

class PixelBytes {
  public:
    struct Free {
        void operator()(std::uint8_t* bytes) const { std::free(bytes); }
    };
    using Owned = std::unique_ptr<std::uint8_t[], Free>;

    PixelBytes() = default;
    // All 0. Throws std::bad_alloc.
    explicit PixelBytes(std::size_t size) : size_(size) {
        if (size == 0) return;
        bytes_.reset(static_cast<std::uint8_t*>(std::calloc(readable_bytes(size), 1)));
        if (!bytes_) throw std::bad_alloc();
    }
    // Takes `size` bytes over. Their memory grows to what may be read, in place as a rule. Throws
    // std::bad_alloc.
    PixelBytes(Owned bytes, std::size_t size) : size_(size) {
        const std::size_t readable = readable_bytes(size);
        if (readable > size) {
            auto* grown = static_cast<std::uint8_t*>(std::realloc(bytes.get(), readable));
            if (!grown) throw std::bad_alloc();
            static_cast<void>(bytes.release());
            bytes.reset(grown);
            std::fill(grown + size, grown + readable, std::uint8_t(0));
        }
        bytes_ = std::move(bytes);
    }
    PixelBytes(std::initializer_list<std::uint8_t> values) : PixelBytes(values.size()) {
        std::copy(values.begin(), values.end(), begin());
    }
    PixelBytes(const PixelBytes& other) : PixelBytes(other.size_) {
        if (size_ > 0) std::memcpy(data(), other.data(), size_);
    }
    PixelBytes(PixelBytes&& other) noexcept
        : bytes_(std::move(other.bytes_)), size_(std::exchange(other.size_, 0)) {}
    PixelBytes& operator=(PixelBytes other) noexcept {
        bytes_ = std::move(other.bytes_);
        size_ = other.size_;
        return *this;
    }
    ~PixelBytes() = default;

    [[nodiscard]] std::uint8_t* data() { return bytes_.get(); }
    [[nodiscard]] const std::uint8_t* data() const { return bytes_.get(); }
    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] std::size_t readable_size() const { return readable_bytes(size_); }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    [[nodiscard]] std::uint8_t* begin() { return data(); }
    [[nodiscard]] std::uint8_t* end() { return data() + size_; }
    [[nodiscard]] const std::uint8_t* begin() const { return data(); }
    [[nodiscard]] const std::uint8_t* end() const { return data() + size_; }
    [[nodiscard]] std::uint8_t& operator[](std::size_t i) { return bytes_[i]; }
    [[nodiscard]] const std::uint8_t& operator[](std::size_t i) const { return bytes_[i]; }
    friend bool operator==(const PixelBytes& a, const PixelBytes& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

  private:
    Owned bytes_;
    std::size_t size_ = 0;
};

}  // namespace ws
