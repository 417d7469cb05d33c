#pragma once
// The labs. To add one: a folder here and its line in labs.cpp.

#include <span>
#include <string_view>

#include "gpu/core/lab.h"

namespace ws {

[[nodiscard]] std::span<const Lab* const> labs();
// Throws UsageError with those that there are.
[[nodiscard]] const Lab& lab_named(std::string_view id);

}  // namespace ws
