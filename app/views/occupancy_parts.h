#pragma once
// A multiprocessor as the blocks of a kernel fill it, and what each of them takes.

#include <string_view>

#include "app/views/parts.h"
#include "gpu/core/occupancy.h"

namespace ws {

// Keys of texts.
[[nodiscard]] std::string_view limiter_name(Limiter limiter);
[[nodiscard]] std::string_view limiter_short_name(Limiter limiter);
[[nodiscard]] std::string_view limiter_tip(Limiter limiter);

// 65536 as "65 536".
[[nodiscard]] std::string_view grouped(int value);
// "33 registers × 1024 threads, as they are allocated: 36 864 > 32 768": why nothing fits.
[[nodiscard]] std::string_view excess_text(const Occupancy& occupancy);
// The baseline's; null if it is not known.
[[nodiscard]] const Occupancy* base_occupancy(const Stage& stage, const StepSnapshot& step);

void draw_multiprocessor(const Stage& stage, Box card, const StepSnapshot& step);
void draw_resources(const Stage& stage, Box card, const StepSnapshot& step);

}  // namespace ws
