#include "gpu/simt/rare_operands.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

// The checks and the branches of the functions are those in the machine code that NVRTC 13.0 makes for
// compute capability 7.5 to 12.0, where they are the same but for one branch of the root of doubles on 12.0.

namespace ws::simt {
namespace {

constexpr RareWay kCommon = 0;

// A way through the function, branch by branch.
class Way {
  public:
    // Whether the next branch is taken.
    bool takes(bool condition) {
        way_ = RareWay(way_ << 1 | int(condition));
        return condition;
    }
    operator RareWay() const { return way_; }

  private:
    RareWay way_ = 1;
};

std::uint32_t bits_of(float value) {
    return std::bit_cast<std::uint32_t>(value);
}
// As it lies in a register: 0 for 0 and subnormal numbers, 255 for what is infinite or no number.
int exponent_of(float value) {
    return int(bits_of(value) >> 23 & 255);
}
std::uint32_t upper_half(double value) {
    return std::uint32_t(std::bit_cast<std::uint64_t>(value) >> 32);
}
std::uint32_t upper_magnitude(double value) {
    return upper_half(value) & 0x7FFFFFFF;
}

// The exponent of a / b, as in a register, if it had room enough; rounded as a mantissa is.
int exponent_of_quotient(float a, float b) {
    int exponent = 0;
    const double fraction = std::frexp(std::abs(double(a) / double(b)), &exponent);
    return exponent + 126 + (float(fraction) == 1.0f ? 1 : 0);
}

// What FCHK finds: measured on an H100, all pairs of exponents with three mantissas each. The sequence behind
// it can do what is left: the divisor's reciprocal and the quotient are not subnormal, the remainder is
// exact.
bool is_rare_quotient(float a, float b) {
    const int dividend = exponent_of(a);
    const int divisor = exponent_of(b);
    return divisor < 2 || divisor > 251 || dividend < 25 || dividend == 255 || dividend - divisor > 126 ||
           dividend - divisor < -124;
}

RareWay quotient(float a, float b, bool flushes) {
    if (!is_rare_quotient(a, b)) return kCommon;
    const auto is_ordinary = [](float one) { return exponent_of(one) != 0 && exponent_of(one) != 255; };
    const auto is_zero = [&](float one) { return flushes ? exponent_of(one) == 0 : one == 0; };
    Way way;
    if (!way.takes(is_ordinary(a) && is_ordinary(b))) {
        if (way.takes(std::isnan(a) || std::isnan(b))) return way;
        if (way.takes(is_zero(a) && is_zero(b))) return way;
        if (way.takes(std::isinf(a) && std::isinf(b))) return way;
        if (way.takes(is_zero(a) || std::isinf(b))) return way;
        if (way.takes(std::isinf(a) || is_zero(b))) return way;
    }
    const int exponent = exponent_of_quotient(a, b);
    if (way.takes(exponent >= 1 && exponent <= 254) || flushes) return way;
    if (way.takes(exponent > 254)) return way;
    way.takes(exponent >= 1);
    way.takes(exponent < -24);
    return way;
}

RareWay reciprocal(float a, bool flushes) {
    const int exponent = exponent_of(a);
    if (exponent >= 1 && exponent <= 252) return kCommon;
    Way way;
    if (flushes) {
        if (!way.takes(exponent == 0)) way.takes(exponent == 255);
    } else if (way.takes(exponent != 0)) {
        way.takes(exponent == 255);
    }
    return way;
}

RareWay root(float a, bool flushes) {
    if (bits_of(a) - 0x0D000000 <= 0x727FFFFF) return kCommon;
    Way way;
    const float value = flushes && exponent_of(a) == 0 ? 0 : a;
    if (way.takes(value == 0)) return way;
    if (way.takes(value < 0)) return way;
    way.takes(std::isnan(value));
    return way;
}

RareWay double_quotient(double a, double b) {
    const double result = a / b;
    const std::uint32_t magnitude = upper_magnitude(result);
    const bool computes = upper_magnitude(b) >= 0x00100000 && upper_magnitude(b) < 0x7F800000 &&
                          magnitude > 0x00100000 && magnitude <= 0x7F800000;
    if (computes && upper_magnitude(a) >= 0x03600000) return kCommon;
    Way way;
    const auto is_rare = [](double one) { return one == 0 || !std::isfinite(one); };
    if (way.takes(is_rare(a) || is_rare(b))) {
        if (way.takes(std::isnan(a))) return way;
        if (way.takes(std::isnan(b))) return way;
        way.takes((a == 0) == (b == 0) && std::isinf(a) == std::isinf(b));
        return way;
    }
    if (way.takes(magnitude > 0x00100000)) return way;
    int exponent = 0;
    const double of_a = std::frexp(a, &exponent);
    const double of_b = std::frexp(b, &exponent);
    way.takes(std::fma(of_a / of_b, of_b, -of_a) == 0);  // without a remainder
    return way;
}

RareWay double_reciprocal(double a) {
    if (((upper_half(a) + 0x00300402) & 0x7FFFFFFF) >= 0x00400000) return kCommon;
    Way way;
    if (way.takes(std::isnan(a))) return way;
    if (way.takes(upper_magnitude(a) - 1 >= 0x7FEFFFFF)) return way;
    way.takes(upper_magnitude(a) < 0x01000001);
    return way;
}

RareWay double_root(double a) {
    if (upper_half(a) - 0x03500000 < 0x7CA00000) return kCommon;
    Way way;
    if (!way.takes(upper_half(a) - 0x03500000 < 0xFCC00000)) return way;
    if (way.takes(a == 0 || std::isnan(a))) return way;
    if (way.takes(a < 0)) return way;
    way.takes(std::isinf(a));
    return way;
}

RareWay double_reciprocal_root(double a) {
    if (upper_half(a) - 0x00100000 < 0x7FE00000) return kCommon;
    Way way;
    if (way.takes(a == 0)) return way;
    if (way.takes(std::isnan(a))) return way;
    if (way.takes(a < 0)) return way;
    way.takes(std::isinf(a));
    return way;
}

}  // namespace

RareCheck rare_check(const Instruction& instruction) {
    struct Row {
        std::string_view key;
        RareCheck kept, flushed;
    };
    static constexpr Row kRows[] = {
        {"div.f32", RareCheck::quotient, RareCheck::flushed_quotient},
        {"rcp.f32", RareCheck::reciprocal, RareCheck::flushed_reciprocal},
        {"sqrt.f32", RareCheck::root, RareCheck::flushed_root},
        {"div.f64", RareCheck::double_quotient, RareCheck::none},
        {"rcp.f64", RareCheck::double_reciprocal, RareCheck::none},
        {"sqrt.f64", RareCheck::double_root, RareCheck::none},
        {"rsqrt.approx.f64", RareCheck::double_reciprocal_root, RareCheck::none},
    };
    if (!instruction.operation || instruction.modifiers.rounding != 0) return RareCheck::none;
    for (const Row& row : kRows)
        if (row.key == instruction.operation->key)
            return instruction.modifiers.flush ? row.flushed : row.kept;
    return RareCheck::none;
}

namespace {

// Of each lane's operands.
template <typename T, typename WayOf>
void add_lanes(const Warp& warp, const Instruction& instruction, std::vector<RareLanes>& made,
               const WayOf& way_of) {
    const T* a = slot<T>(warp, instruction.a);
    const T* b = instruction.b >= 0 ? slot<T>(warp, instruction.b) : a;
    const auto begin = std::ptrdiff_t(made.size());
    for (std::uint32_t left = warp.mask; left != 0; left &= left - 1) {
        const int lane = std::countr_zero(left);
        const RareWay way = way_of(a[lane], b[lane]);
        if (way == kCommon) continue;
        const auto same = std::find_if(made.begin() + begin, made.end(),
                                       [&](const RareLanes& one) { return one.way == way; });
        if (same != made.end())
            same->mask |= 1u << lane;
        else
            made.push_back({1u << lane, way});
    }
}

}  // namespace

void add_rare_lanes(RareCheck check, const Warp& warp, const Instruction& instruction,
                    std::vector<RareLanes>& made) {
    const auto floats = [&](const auto& way_of) { add_lanes<float>(warp, instruction, made, way_of); };
    const auto doubles = [&](const auto& way_of) { add_lanes<double>(warp, instruction, made, way_of); };
    switch (check) {
        case RareCheck::none:
            return;
        case RareCheck::quotient:
        case RareCheck::flushed_quotient:
            return floats(
                [&](float a, float b) { return quotient(a, b, check == RareCheck::flushed_quotient); });
        case RareCheck::reciprocal:
        case RareCheck::flushed_reciprocal:
            return floats(
                [&](float a, float) { return reciprocal(a, check == RareCheck::flushed_reciprocal); });
        case RareCheck::root:
        case RareCheck::flushed_root:
            return floats([&](float a, float) { return root(a, check == RareCheck::flushed_root); });
        case RareCheck::double_quotient:
            return doubles([](double a, double b) { return double_quotient(a, b); });
        case RareCheck::double_reciprocal:
            return doubles([](double a, double) { return double_reciprocal(a); });
        case RareCheck::double_root:
            return doubles([](double a, double) { return double_root(a); });
        case RareCheck::double_reciprocal_root:
            return doubles([](double a, double) { return double_reciprocal_root(a); });
    }
}

}  // namespace ws::simt
