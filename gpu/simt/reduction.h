#pragma once
// What atomics and warp reductions do to two values.

#include <algorithm>
#include <type_traits>

#include "gpu/simt/special_operations.h"

namespace ws::simt {

// Integers wrap.
template <typename T>
T sum_of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
        return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
    else
        return a + b;
}

template <typename T>
T reduced(Reduction reduction, T old, T operand, T other) {
    switch (reduction) {
        case Reduction::add:
            return sum_of(old, operand);
        case Reduction::min:
            return std::min(old, operand);
        case Reduction::max:
            return std::max(old, operand);
        case Reduction::exch:
            return operand;
        case Reduction::cas:
            return old == operand ? other : old;
        case Reduction::inc:
            return old >= operand ? T(0) : T(old + 1);
        case Reduction::dec:
            return old == 0 || old > operand ? operand : T(old - 1);
        default:
            break;
    }
    if constexpr (std::is_integral_v<T>) {
        if (reduction == Reduction::bit_and) return old & operand;
        if (reduction == Reduction::bit_or) return old | operand;
        if (reduction == Reduction::bit_xor) return old ^ operand;
    }
    return old;
}

}  // namespace ws::simt
