#include "gpu/labs/filters/rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

// Highway compiles this file once for every instruction set and picks one when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "gpu/labs/filters/rows.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace ws::filters::rows::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET == HWY_SCALAR
// A CPU without vectors, or one that Highway does not know: the definition, pixel by pixel.

void gray(const std::uint8_t* rgba, std::uint8_t* row, std::size_t n) {
    for (std::size_t x = 0; x < n; ++x) {
        const float red = 0.299f * float(rgba[4 * x]);
        const float green = 0.587f * float(rgba[4 * x + 1]);
        const float blue = 0.114f * float(rgba[4 * x + 2]);
        row[x] = std::uint8_t(int(red + green + blue));
    }
}

void blur(const std::uint8_t* row, const BlurSums& sums, std::uint8_t* out, std::size_t n) {
    constexpr int kWeights[7] = {1, 2, 3, 4, 3, 2, 1};
    for (std::size_t x = 0; x < n; ++x) {
        int along = 0;
        for (int i = 0; i < 7; ++i) along += kWeights[i] * row[x + std::size_t(i) - 3];
        const auto four = std::uint16_t(sums.four_before[x] + along - sums.row[x]);
        const auto total = std::uint16_t(sums.total[x] + four - sums.four[x]);
        sums.row[x] = std::uint16_t(along);
        sums.four[x] = four;
        sums.total[x] = total;
        out[x] = std::uint8_t(total >> 8);
    }
}

void edge(const std::uint8_t* above, const std::uint8_t* row, const std::uint8_t* below, std::uint8_t* out,
          std::size_t n) {
    for (std::size_t x = 0; x < n; ++x) {
        const int gx =
            above[x + 1] - above[x - 1] + 2 * (row[x + 1] - row[x - 1]) + below[x + 1] - below[x - 1];
        const int gy =
            above[x - 1] + 2 * above[x] + above[x + 1] - below[x - 1] - 2 * below[x] - below[x + 1];
        out[x] = std::uint8_t(std::min(255.0f, std::sqrt(float(gx * gx + gy * gy))));
    }
}

#else

constexpr hn::ScalableTag<std::uint8_t> kUint8;
constexpr hn::ScalableTag<std::uint16_t> kUint16;
constexpr hn::ScalableTag<std::int16_t> kInt16;
constexpr hn::ScalableTag<std::uint32_t> kUint32;
constexpr hn::ScalableTag<std::int32_t> kInt32;
constexpr hn::ScalableTag<float> kFloat;
using Words = hn::Vec<decltype(kUint16)>;
using Shorts = hn::Vec<decltype(kInt16)>;
using Dwords = hn::Vec<decltype(kUint32)>;
using Ints = hn::Vec<decltype(kInt32)>;
using Floats = hn::Vec<decltype(kFloat)>;

// Floats from 2^23 on have no fraction: an integer added to it stands in the last bits.
constexpr float kMagic = 8388608;

// One channel, in the lowest byte of each lane, times its weight: rounded once.
HWY_INLINE Floats weighed(Dwords channel, float weight) {
    const Dwords byte = hn::And(channel, hn::Set(kUint32, 255));
#if HWY_NATIVE_FMA  // a fused multiply-add takes the magic number off again, and spares the conversion
    const Floats number = hn::BitCast(kFloat, hn::Or(byte, hn::Set(kUint32, 0x4B000000)));
    return hn::MulAdd(number, hn::Set(kFloat, weight), hn::Set(kFloat, -weight * kMagic));
#else
    return hn::Mul(hn::ConvertTo(kFloat, hn::BitCast(kInt32, byte)), hn::Set(kFloat, weight));
#endif
}

// Gray of one vector of pixels. Each operation rounds on its own; the compiler must not fuse them.
HWY_INLINE void gray_vector(const std::uint8_t* rgba, std::uint8_t* out) {
    const Dwords pixels = hn::LoadU(kUint32, reinterpret_cast<const std::uint32_t*>(rgba));
    const Floats red = weighed(pixels, 0.299f);
    const Floats green = weighed(hn::ShiftRight<8>(pixels), 0.587f);
    const Floats blue = weighed(hn::ShiftRight<16>(pixels), 0.114f);
    const Floats sum = hn::Trunc(hn::Add(hn::Add(red, green), blue));
    const Dwords bits = hn::BitCast(kUint32, hn::Add(sum, hn::Set(kFloat, kMagic)));
    const hn::Rebind<std::uint8_t, decltype(kUint32)> bytes;
    hn::StoreU(hn::TruncateTo(bytes, bits), bytes, out);
}

void gray(const std::uint8_t* rgba, std::uint8_t* row, std::size_t n) {
    const std::size_t lanes = hn::Lanes(kUint32);
    std::size_t x = 0;
    for (; x + lanes <= n; x += lanes) {
        hwy::Prefetch(rgba + 4 * (n + x));
        gray_vector(rgba + 4 * x, row + x);
    }
    if (x == n) return;
    // The last pixels go through a buffer: the picture may end with this row.
    HWY_ALIGN std::uint8_t rest[4 * HWY_MAX_BYTES] = {};
    std::memcpy(rest, rgba + 4 * x, 4 * (n - x));
    gray_vector(rest, row + x);
}

// A vector of pixels is worked on as two of 16 bits: its even pixels and its odd ones. What an even one has
// to its right is the odd one of the same 16 bits; what it has to its left is an odd one read two pixels
// before.
HWY_INLINE Words pixels_at(const std::uint8_t* from) {
    return hn::BitCast(kUint16, hn::LoadU(kUint8, from));
}
HWY_INLINE Words even(Words pixels) {
    return hn::And(pixels, hn::Set(kUint16, 255));
}
HWY_INLINE Words odd(Words pixels) {
    return hn::ShiftRight<8>(pixels);
}

// The sums down the columns: each is the one before, with one row more and one row less.
HWY_INLINE Words weigh_down(Words along, const BlurSums& sums, std::size_t at) {
    const auto load = [at](const std::uint16_t* from) { return hn::LoadU(kUint16, from + at); };
    const Words four = hn::Sub(hn::Add(load(sums.four_before), along), load(sums.row));
    const Words total = hn::Sub(hn::Add(load(sums.total), four), load(sums.four));
    hn::StoreU(along, kUint16, sums.row + at);
    hn::StoreU(four, kUint16, sums.four + at);
    hn::StoreU(total, kUint16, sums.total + at);
    return total;
}

// 1 2 3 4 3 2 1 is 1 1 1 1 taken twice, in both directions.
void blur(const std::uint8_t* row, const BlurSums& sums, std::uint8_t* out, std::size_t n) {
    const std::size_t lanes = hn::Lanes(kUint8);
    for (std::size_t x = 0; x < n; x += lanes) {
        const Words left = pixels_at(row + x - 2);
        const Words own = pixels_at(row + x);
        const Words right = pixels_at(row + x + 2);
        const Words a = odd(pixels_at(row + x - 4));  // three before the even pixel; then one further each
        const Words b = even(left);
        const Words c = odd(left);
        const Words d = even(own);
        const Words e = odd(own);
        const Words f = even(right);
        const Words g = odd(right);
        const Words h = even(pixels_at(row + x + 4));
        const Words bc = hn::Add(b, c);
        const Words cd = hn::Add(c, d);
        const Words de = hn::Add(d, e);
        const Words ef = hn::Add(e, f);
        const Words fg = hn::Add(f, g);
        const Words middle = hn::Add(hn::Add(hn::Add(bc, de), hn::Add(cd, ef)), hn::Add(de, fg));
        const Words along_even = hn::Add(middle, hn::Add(hn::Add(a, b), cd));
        const Words along_odd = hn::Add(middle, hn::Add(ef, hn::Add(g, h)));
        const Words evens = odd(weigh_down(along_even, sums, x));  // divided by 256
        const Words odds = hn::AndNot(hn::Set(kUint16, 255), weigh_down(along_odd, sums, x + lanes / 2));
        hn::StoreU(hn::BitCast(kUint8, hn::Or(evens, odds)), kUint8, out + x);
    }
}

// The sum of the squares of each pair of 16-bit numbers.
HWY_INLINE Ints squares_of_pairs(Shorts pairs) {
#if HWY_ARCH_X86
    Ints unused = hn::Zero(kInt32);  // one instruction, which leaves the pairs where they are
    return hn::ReorderWidenMulAccumulate(kInt32, pairs, pairs, hn::Zero(kInt32), unused);
#else
    const Ints both = hn::BitCast(kInt32, pairs);
    const Ints upper = hn::ShiftRight<16>(both);
    const Ints lower = hn::ShiftRight<16>(hn::ShiftLeft<16>(both));
    return hn::Add(hn::Mul(lower, lower), hn::Mul(upper, upper));
#endif
}

// The length of the gradient from the halves of its squares: 255 at most, in the last bits. A quarter more
// under the root does not reach the next integer, but keeps exact roots from the tie that the magic number
// (less a half, so that it cuts off) would round to even.
HWY_INLINE Dwords length_bits(Ints half) {
    const auto twice = hn::MulAdd(hn::ConvertTo(kFloat, half), hn::Set(kFloat, 2), hn::Set(kFloat, 0.25f));
    const auto square = hn::Min(twice, hn::Set(kFloat, 255.0f * 255.0f + 0.25f));
    return hn::BitCast(kUint32, hn::Add(hn::Sqrt(square), hn::Set(kFloat, kMagic - 0.5f)));
}

// Lengths of gradients, gx^2 + gy^2 being 2 (a^2 + b^2) with a = (gx + gy) / 2 and b = (gx - gy) / 2.
HWY_INLINE Words lengths(Shorts a, Shorts b) {
    const Dwords a_bits = hn::BitCast(kUint32, a);
    const Dwords b_bits = hn::BitCast(kUint32, b);
    const Shorts lower = hn::OddEven(hn::BitCast(kInt16, hn::ShiftLeft<16>(b_bits)), a);  // a, b of even ones
    const Shorts upper = hn::OddEven(b, hn::BitCast(kInt16, hn::ShiftRight<16>(a_bits)));
    const Dwords evens = length_bits(squares_of_pairs(lower));
    const Dwords odds = length_bits(squares_of_pairs(upper));
    return hn::OddEven(hn::BitCast(kUint16, hn::ShiftLeft<16>(odds)), hn::BitCast(kUint16, evens));
}

// Three neighbours in each of three rows.
struct Neighbours {
    Words north_west, north, north_east, west, east, south_west, south, south_east;
};
HWY_INLINE Words lengths(const Neighbours& of) {
    const auto difference = [](Words from, Words to) { return hn::BitCast(kInt16, hn::Sub(to, from)); };
    const Shorts along = difference(of.west, of.east);
    const Shorts down = difference(of.north, of.south);
    const Shorts a = hn::Add(hn::Add(along, down), difference(of.north_west, of.south_east));
    const Shorts b = hn::Add(hn::Sub(along, down), difference(of.south_west, of.north_east));
    return lengths(a, b);
}

void edge(const std::uint8_t* above, const std::uint8_t* row, const std::uint8_t* below, std::uint8_t* out,
          std::size_t n) {
    for (std::size_t x = 0; x < n; x += hn::Lanes(kUint8)) {
        const auto before = [x](const std::uint8_t* from) { return odd(pixels_at(from + x - 2)); };
        const auto after = [x](const std::uint8_t* from) { return even(pixels_at(from + x + 2)); };
        const Words north = pixels_at(above + x);
        const Words own = pixels_at(row + x);
        const Words south = pixels_at(below + x);
        const Words evens = lengths({before(above), even(north), odd(north), before(row), odd(own),
                                     before(below), even(south), odd(south)});
        const Words odds = lengths({even(north), odd(north), after(above), even(own), after(row), even(south),
                                    odd(south), after(below)});
        hn::StoreU(hn::BitCast(kUint8, hn::Or(evens, hn::ShiftLeft<8>(odds))), kUint8, out + x);
    }
}

#endif

}  // namespace ws::filters::rows::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace ws::filters::rows {

HWY_EXPORT(gray);
HWY_EXPORT(blur);
HWY_EXPORT(edge);

void gray(const std::uint8_t* rgba, std::uint8_t* row, std::size_t n) {
    HWY_DYNAMIC_DISPATCH(gray)(rgba, row, n);
}
void blur(const std::uint8_t* row, const BlurSums& sums, std::uint8_t* out, std::size_t n) {
    HWY_DYNAMIC_DISPATCH(blur)(row, sums, out, n);
}
void edge(const std::uint8_t* above, const std::uint8_t* row, const std::uint8_t* below, std::uint8_t* out,
          std::size_t n) {
    HWY_DYNAMIC_DISPATCH(edge)(above, row, below, out, n);
}

}  // namespace ws::filters::rows
#endif
