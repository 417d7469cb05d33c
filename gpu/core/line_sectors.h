#pragma once
// Sectors of 32 bytes in a line of 128, which caches are asked for together.

#include <cstdint>

namespace ws {

inline constexpr std::uint64_t kLineBytes = 128;
inline constexpr std::uint64_t kLineSectors = 4;
inline constexpr std::uint64_t kSectorBytes = kLineBytes / kLineSectors;

// How many of a line's they are. As the digits of a number: where the compiler may not use the processor's
// instruction, counting bits is a call.
[[nodiscard]] constexpr int sectors_in(std::uint32_t sectors) {
    constexpr std::uint64_t kCounts = 0x4332322132212110;
    return int(kCounts >> (4 * sectors) & 0xF);
}

class LineSectors {
  public:
    LineSectors() = default;
    // `sectors`: bit n for the n-th of them. Lines lie below 2^60.
    LineSectors(std::uint64_t line, std::uint32_t sectors) : bits_(line << kLineSectors | sectors) {}
    static LineSectors of_sector(std::uint64_t sector) {
        return {sector / kLineSectors, 1u << (sector % kLineSectors)};
    }

    [[nodiscard]] std::uint64_t line() const { return bits_ >> kLineSectors; }
    [[nodiscard]] std::uint32_t sectors() const { return std::uint32_t(bits_ & 0xF); }
    [[nodiscard]] int count() const { return sectors_in(sectors()); }
    // So many lines further on; modulo 2^60, so that a difference of two lines leads back.
    [[nodiscard]] LineSectors moved(std::uint64_t lines) const { return {line() + lines, sectors()}; }
    // With the other half of each 64 bytes that it has a sector of.
    [[nodiscard]] LineSectors in_pairs() const {
        constexpr std::uint32_t kFirstOfPairs = 0b0101;
        const std::uint32_t pairs = (sectors() | sectors() >> 1) & kFirstOfPairs;
        return {line(), pairs | pairs << 1};
    }
    // How many both have, of the same line.
    [[nodiscard]] int common(LineSectors other) const { return sectors_in(sectors() & other.sectors()); }
    void add(LineSectors more) { bits_ |= more.sectors(); }
    friend bool operator==(LineSectors, LineSectors) = default;

  private:
    std::uint64_t bits_ = 0;
};

}  // namespace ws
