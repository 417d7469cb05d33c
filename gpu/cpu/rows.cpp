#include "gpu/cpu/rows.h"

#include <cstring>

// Highway compiles this file once for every instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gpu/cpu/rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ws::rows::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr hn::ScalableTag<std::int32_t> kInt32;
constexpr hn::ScalableTag<std::uint32_t> kUint32;
constexpr hn::ScalableTag<float> kFloat;
constexpr hn::ScalableTag<std::uint16_t> kUint16;
constexpr hn::ScalableTag<std::int16_t> kInt16;
using Bytes32 = hn::Rebind<std::uint8_t, decltype(kInt32)>;   // as many bytes as a vector has 32-bit lanes
using Bytes16 = hn::Rebind<std::uint8_t, decltype(kUint16)>;  // as many as it has 16-bit lanes

// Gray of one vector of pixels. Each operation rounds on its own; the compiler must not fuse them.
HWY_INLINE void gray_vector(const std::uint8_t* rgba, std::uint8_t* out) {
    const auto pixels = hn::LoadU(kUint32, reinterpret_cast<const std::uint32_t*>(rgba));
    const auto mask = hn::Set(kUint32, 255);
    const auto channel = [&](auto bits) {
        return hn::ConvertTo(kFloat, hn::BitCast(kInt32, hn::And(bits, mask)));
    };
    const auto red = hn::Mul(hn::Set(kFloat, 0.299f), channel(pixels));
    const auto green = hn::Mul(hn::Set(kFloat, 0.587f), channel(hn::ShiftRight<8>(pixels)));
    const auto blue = hn::Mul(hn::Set(kFloat, 0.114f), channel(hn::ShiftRight<16>(pixels)));
    const auto sum = hn::ConvertTo(kInt32, hn::Add(hn::Add(red, green), blue));
    hn::StoreU(hn::DemoteTo(Bytes32(), sum), Bytes32(), out);
}

void gray(const std::uint8_t* rgba, std::uint8_t* row, std::size_t n) {
    const std::size_t lanes = hn::Lanes(kInt32);
    std::size_t x = 0;
    for (; x + lanes <= n; x += lanes) gray_vector(rgba + 4 * x, row + x);
    if (x == n) return;
    // The last pixels go through a buffer: the picture may end with this row.
    HWY_ALIGN std::uint8_t rest[4 * HWY_MAX_BYTES] = {};
    std::memcpy(rest, rgba + 4 * x, 4 * (n - x));
    gray_vector(rest, row + x);
}

template <typename V>
HWY_INLINE V weigh(V a, V b, V c, V d, V e, V f, V g) {
    const V outer = hn::Add(a, g);
    const V second = hn::Add(b, f);
    const V third = hn::Add(c, e);
    const V once = hn::Add(hn::Add(outer, third), hn::ShiftLeft<1>(hn::Add(second, third)));
    return hn::Add(once, hn::ShiftLeft<2>(d));
}

void weigh_along(const std::uint8_t* row, std::uint16_t* sums, std::size_t n) {
    const std::size_t lanes = hn::Lanes(kUint16);
    const Bytes16 bytes;
    for (std::size_t x = 0; x < n; x += lanes) {
        const auto at = [&](int offset) {
            return hn::PromoteTo(kUint16, hn::LoadU(bytes, row + x + offset));
        };
        hn::StoreU(weigh(at(-3), at(-2), at(-1), at(0), at(1), at(2), at(3)), kUint16, sums + x);
    }
}

void weigh_across(const std::uint16_t* const sums[7], std::uint8_t* row, std::size_t n) {
    const std::size_t lanes = hn::Lanes(kUint16);
    for (std::size_t x = 0; x < n; x += lanes) {
        const auto at = [&](int i) { return hn::LoadU(kUint16, sums[i] + x); };
        const auto sum = weigh(at(0), at(1), at(2), at(3), at(4), at(5), at(6));
        const auto pixel = hn::BitCast(kInt16, hn::ShiftRight<8>(sum));
        hn::StoreU(hn::DemoteTo(Bytes16(), pixel), Bytes16(), row + x);
    }
}

void edge(const std::uint8_t* above, const std::uint8_t* row, const std::uint8_t* below, std::uint8_t* out,
          std::size_t n) {
    const std::size_t lanes = hn::Lanes(kInt32);
    const Bytes32 bytes;
    for (std::size_t x = 0; x < n; x += lanes) {
        const auto at = [&](const std::uint8_t* from, int offset) {
            return hn::PromoteTo(kInt32, hn::LoadU(bytes, from + x + offset));
        };
        const auto twice = [](auto v) { return hn::ShiftLeft<1>(v); };
        const auto north_west = at(above, -1);
        const auto north_east = at(above, 1);
        const auto south_west = at(below, -1);
        const auto south_east = at(below, 1);
        const auto rising = hn::Sub(north_east, south_west);  // the diagonals serve both gradients
        const auto falling = hn::Sub(south_east, north_west);
        const auto gx = hn::Add(hn::Add(rising, falling), twice(hn::Sub(at(row, 1), at(row, -1))));
        const auto gy = hn::Add(hn::Sub(rising, falling), twice(hn::Sub(at(above, 0), at(below, 0))));
        // All values stay below 2^24, where floats are exact. DemoteTo saturates: over 255 becomes 255.
        const auto fx = hn::ConvertTo(kFloat, gx);
        const auto fy = hn::ConvertTo(kFloat, gy);
        const auto length = hn::Sqrt(hn::Add(hn::Mul(fx, fx), hn::Mul(fy, fy)));
        hn::StoreU(hn::DemoteTo(bytes, hn::ConvertTo(kInt32, length)), bytes, out + x);
    }
}

const char* instruction_set() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace ws::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ws::rows {

HWY_EXPORT(gray);
HWY_EXPORT(weigh_along);
HWY_EXPORT(weigh_across);
HWY_EXPORT(edge);
HWY_EXPORT(instruction_set);

void gray(const std::uint8_t* rgba, std::uint8_t* row, std::size_t n) {
    HWY_DYNAMIC_DISPATCH(gray)(rgba, row, n);
}
void weigh_along(const std::uint8_t* row, std::uint16_t* sums, std::size_t n) {
    HWY_DYNAMIC_DISPATCH(weigh_along)(row, sums, n);
}
void weigh_across(const std::uint16_t* const sums[7], std::uint8_t* row, std::size_t n) {
    HWY_DYNAMIC_DISPATCH(weigh_across)(sums, row, n);
}
void edge(const std::uint8_t* above, const std::uint8_t* row, const std::uint8_t* below, std::uint8_t* out,
          std::size_t n) {
    HWY_DYNAMIC_DISPATCH(edge)(above, row, below, out, n);
}
const char* instruction_set() {
    return HWY_DYNAMIC_DISPATCH(instruction_set)();
}

}  // namespace ws::rows
#endif
