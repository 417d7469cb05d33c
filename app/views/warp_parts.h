#pragma once
// The pictures of a request: lanes over the lines that they touch, their place among the elements, and banks.

#include <span>

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
    const AccessExample* kind = nullptr;       // the same instruction's in any warp; null: it has none
    std::span<const AccessExample> beside{};   // what the warp does besides
    bool of_one_warp = false;                  // that a person looks at; else of one that counting has kept
    const ChosenWarp* warp = nullptr;          // that is looked at; null: none is, or none is known
    const WarpGrid* grid = nullptr;            // of the launch; null: not known
    [[nodiscard]] bool stale() const { return warp && warp->stale; }
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
// What the request reads or writes, and what the warp computes, among the blocks. A click or a drag chooses
// the warp of now that computes what lies there.
void draw_place(const Stage& stage, Box card, const RequestSide& side, const RequestSide& now, int lane);
// The whole picture or matrix in a corner of the card, with the place of the warp; what the pointer does with
// it comes before what it does with the card.
[[nodiscard]] float overview_room(const Canvas& canvas, Box card);  // at the right, as much as it may take
void touch_overview(const Stage& stage, Box card, const RequestSide& now, const Plane& plane);
void draw_overview(const Stage& stage, Box card, const RequestSide& now, const Plane& plane);
// The warp of `now` that computes an element of a plane, or touches it by the request that is drawn.
[[nodiscard]] std::optional<WarpPlace> warp_at(const Stage& stage, const RequestSide& now, const Plane& plane,
                                               Element2d element);
// The lanes of now's request by bank, a row for each wavefront; the baseline's where now has none.
void draw_banks(const Stage& stage, Box card, const RequestSide& now, const RequestSide& base);

}  // namespace ws
