#pragma once
// One row of the table of versions.

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/core/kernel.h"
#include "gpu/core/plan.h"
#include "gpu/core/stage.h"

namespace ws {

struct Version {
    int number = 0;
    std::string_view title;              // "block 32 x 2"
    std::string_view changed;            // what is different from the previous version
    std::string_view why;                // why that should be faster
    PerStage<std::string_view> kernels;  // names of kernel files; empty: there is none
    PerStage<Block> blocks;
    CachePreference cache = CachePreference::none;  // of the blur kernel
    BankWidth banks = BankWidth::standard;          // of the blur kernel
    KnobValues knobs;                               // values other than the kernels' defaults
};

}  // namespace ws
