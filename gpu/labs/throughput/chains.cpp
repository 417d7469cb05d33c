#include "gpu/labs/throughput/chains.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "gpu/core/thread_pool.h"
#include "gpu/labs/throughput/throughput.h"

namespace ws::throughput {
namespace {

using u32 = std::uint32_t;

// As throughput.cuh has it.
u32 mixed(u32 word) {
    return word * 0x9E3779B9u;
}
float fraction(u32 word) {
    return std::bit_cast<float>(0x3F800000u | mixed(word) >> 9);
}

// `link` takes the value and what the element adds in each; it has kEach operations. Halves and products with
// them are exact, so that it is all the same whether a compiler fuses the addition.
template <int kEach = 1, typename Value, typename Link>
Value chain(Value first, Link link) {
    Value value = first;
    for (int i = 0; i < kOperations / kEach; ++i) value = link(value, first);
    return value;
}

struct Pair {
    u32 a, b, c;
    explicit Pair(u32 word) : a(mixed(word)), b(word ^ a >> 16), c(~a ^ b << 3) {}
};
template <int kEach, typename Link>
u32 pair_chain(Pair pair, Link link) {
    for (int i = 0; i < kOperations / kEach; ++i) link(pair);
    return pair.a ^ pair.b << 1;
}

// Functions are those of doubles, rounded once in each link.
float through_floats(int step, u32 word) {
    const float first = fraction(word);
    const auto argument = [](float value, float summand) { return double(value * 0.5f + summand); };
    switch (step) {
        case step::float_add:
            return chain(first, [](float v, float c) { return v + c; });
        case step::convert:
            return chain<2>(first, [](float v, float c) { return float(int(v)) + c; });
        case step::reciprocal:
            return chain(first, [&](float v, float c) { return float(1 / argument(v, c)); });
        case step::root:
            return chain(first, [&](float v, float c) { return float(1 / std::sqrt(argument(v, c))); });
        case step::sine:
            return chain(first, [&](float v, float c) { return float(std::sin(argument(v, c))); });
        case step::exponential:
            return chain(first, [&](float v, float c) { return float(std::exp2(argument(v, -c))); });
        case step::logarithm:
            return chain(first, [&](float v, float c) { return float(std::log2(argument(v, c))); });
        case step::divide:
            return chain(first, [&](float v, float c) { return float(double(c) / argument(v, 1)); });
        case step::separate:
            return chain<2>(first, [](float v, float c) { return v * 0.5f + c; });
        default:  // fused
            return chain(first, [](float v, float c) { return v * 0.5f + c; });
    }
}

float through_doubles_and_back(u32 word) {
    const std::uint64_t up = std::uint64_t(mixed(word) >> 28) << 32;
    return chain<2>(fraction(word), [up](float v, float) {
        return float(std::bit_cast<double>(std::bit_cast<std::uint64_t>(double(v)) + up));
    });
}

// Each value is made of the two before it: `link` takes the last and the one before.
template <typename Link>
u32 chain_of_two(u32 word, Link link) {
    u32 a = mixed(word);
    u32 b = word ^ a >> 16;
    for (int i = 0; i < kOperations / 2; ++i) {
        const u32 made = link(a, b);
        b = a;
        a = made;
    }
    return a ^ b << 1;
}

template <typename Narrow>
u32 saturated(u32 word) {
    using Limits = std::numeric_limits<Narrow>;
    return u32(std::clamp(std::int32_t(word), std::int32_t(Limits::min()), std::int32_t(Limits::max())));
}

u32 through_words(int step, u32 word) {
    const Pair pair(word);
    switch (step) {
        case step::integer_add:
            return pair_chain<2>(pair, [](Pair& p) {
                p.a += p.b;
                p.b += p.a;
            });
        case step::logic:
            return pair_chain<2>(pair, [](Pair& p) {
                p.a ^= p.b & p.c;
                p.b ^= p.a & p.c;
            });
        case step::choose:
            return pair_chain<4>(pair, [](Pair& p) {
                p.a = p.a < p.b ? p.c : p.a;
                p.b = p.b < p.a ? p.c : p.b;
            });
        case step::rotate:
            return pair_chain<1>(pair, [](Pair& p) { p.a = std::rotl(p.a, int(p.c & 31)); });
        case step::multiply: {
            u32 a = mixed(word) | 1;
            u32 b = word >> 3 | 1;
            for (int i = 0; i < kOperations / 2; ++i) {
                a *= b;
                b *= a;
            }
            return (a ^ b) & 0xFFFFFF;
        }
        case step::from_byte:
            return chain_of_two(word, [](u32 a, u32 b) { return u32(std::int8_t(a)) + std::uint8_t(b); });
        case step::from_short:
            return chain_of_two(word, [](u32 a, u32 b) { return u32(std::int16_t(a)) + std::uint16_t(b); });
        case step::to_byte:
            return chain_of_two(
                word, [](u32 a, u32 b) { return saturated<std::uint8_t>(b) - saturated<std::int8_t>(a); });
        case step::to_short:
            return chain_of_two(
                word, [](u32 a, u32 b) { return saturated<std::uint16_t>(b) - saturated<std::int16_t>(a); });
        default:  // modulo
            return chain(mixed(word), [](u32 v, u32) { return v * 0x2C9277B5u + v % 1024; });
    }
}

template <typename Result>
void put(Result result, std::uint8_t* out, std::size_t place) {
    std::memcpy(out + sizeof result * place, &result, sizeof result);
}

void through_chain(int step, u32 word, std::uint8_t* out, std::size_t place) {
    if (step == step::doubles) {
        const double first = 1 + mixed(word) * 0x1p-32;
        put(chain(first, [](double v, double c) { return v * 0.5 + c; }), out, place);
    } else if (step == step::widen) {
        put(through_doubles_and_back(word), out, place);
    } else if ((step >= step::integer_add && step <= step::multiply) || step >= step::modulo) {
        put(through_words(step, word), out, place);
    } else {
        put(through_floats(step, word), out, place);
    }
}

}  // namespace

void through_chains(ThreadPool& pool, int step, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    const auto width = std::size_t(size.width);
    pool.for_slices(size.height, [&](int first, int last) {
        for (std::size_t i = width * std::size_t(first); i < width * std::size_t(last); ++i) {
            u32 word = 0;
            std::memcpy(&word, in + 4 * i, sizeof word);
            through_chain(step, word, out, i);
        }
    });
}

}  // namespace ws::throughput
