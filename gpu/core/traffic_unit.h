#pragma once
// What a GPU splits a request to global memory into: 32-byte sectors from 3.0 on; before, transactions of
// lines and segments.

#include <string_view>

#include "gpu/core/gpu_profile.h"

namespace ws {

[[nodiscard]] constexpr std::string_view traffic_unit(ComputeCapability capability) {
    return capability.major >= 3 ? "sectors" : "transactions";
}

[[nodiscard]] constexpr std::string_view singular(std::string_view unit) {
    return unit.substr(0, unit.size() - 1);
}

}  // namespace ws
