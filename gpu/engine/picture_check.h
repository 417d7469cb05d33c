#pragma once
// Does the running version give the defined picture?

#include "gpu/core/device.h"
#include "gpu/core/snapshot.h"

namespace ws {

// Runs the plan twice into poisoned memory and compares with `reference`. Pixels that keep both poisons were
// never written.
[[nodiscard]] Check check_picture(Device& device, const Plan& plan, const GrayImage& reference);

// The comparison alone: two runs over different poisons against the reference.
[[nodiscard]] Check compare(const GrayImage& first, std::uint8_t first_poison, const GrayImage& second,
                            std::uint8_t second_poison, const GrayImage& reference);

}  // namespace ws
