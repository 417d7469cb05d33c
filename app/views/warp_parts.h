#pragma once
// The pictures of a request: lanes over the lines that they touch, their place among the elements, and banks.

#include "app/views/views.h"
#include "app/views/warp_access.h"

namespace ws {

// A request as now or the baseline makes it.
struct RequestSide {
    std::string_view name;  // "V0  8 × 8"
    bool is_now = true;
    const AccessExample* access = nullptr;     // null: there is none
    const KernelCounters* counters = nullptr;  // that it is one of
    const CountKey* key = nullptr;             // of the counters
};

// The buffer that a request goes to.
struct Plane {
    Extent size;
    int element_bytes = 1;
    bool turned = false;
    bool picture = false;  // as large as the picture that is shown of it
};
// {} where it is not known.
[[nodiscard]] Plane plane_of(const Stage& stage, const RequestSide& side);

[[nodiscard]] std::string_view rows_text(int rows);
[[nodiscard]] std::string_view wavefronts_text(int wavefronts);

// The lane that the pointer is on in a card of draw_request; -1 if it is on none.
[[nodiscard]] int hovered_lane(const Stage& stage, Box card);
void draw_request(const Stage& stage, Box card, const RequestSide& side, int lane);
// What the request reads or writes, and what the warp computes, among the blocks.
void draw_place(const Stage& stage, Box card, const RequestSide& side, int lane);
// The lanes of now's request by bank, a row for each wavefront; the baseline's where now has none.
void draw_banks(const Stage& stage, Box card, const RequestSide& now, const RequestSide& base);

}  // namespace ws
