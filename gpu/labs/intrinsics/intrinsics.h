#pragma once
// Intrinsics against exact functions: what each costs, and how far its results are from the right ones over
// all floats of a binade. To add a function: one in both .cu files, a step, a row in intrinsics.cpp and its
// bounds in functions.cpp.

#include "gpu/core/lab.h"

namespace ws::intrinsics {

// Each step has the buffer step + 1. Behind every intrinsic comes its exact function.
namespace step {
enum Step : int {
    sine,
    sine_exact,
    cosine,
    cosine_exact,
    exponential,
    exponential_exact,
    logarithm,
    logarithm_exact,
    binary_logarithm,
    binary_logarithm_exact,
    power,
    power_exact,
    reciprocal,
    reciprocal_exact,
    root,
    root_exact,
    reciprocal_root,
    reciprocal_root_exact,
    quotient,
    quotient_exact,
    count
};
}

[[nodiscard]] const Lab& lab();

}  // namespace ws::intrinsics
