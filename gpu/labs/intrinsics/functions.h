#pragma once
// What the functions of this lab are, and how far CUDA's guide lets them be off.

namespace ws::intrinsics {

// As intrinsics.cuh has them.
inline constexpr float kExponent = 2.5f;
inline constexpr float kDividend = 3.14159274f;

struct Function {
    // Right in more digits than a float has.
    double (*exact)(double argument) = nullptr;
    // In ulp from the result that is rounded correctly; infinite where nothing is stated.
    double (*allowed_of_intrinsic)(float argument, float defined) = nullptr;
    double (*allowed_of_exact)(float argument, float defined) = nullptr;
};
// In the order of the steps, two of which each is.
[[nodiscard]] const Function& function_of(int step);

}  // namespace ws::intrinsics
