#pragma once
// Wrong pixels marked in the picture itself: a frame with a warning around each cluster, so that none is
// missed however small, and a frame around each pixel where pixels are large.

#include "app/views/picture_parts.h"
#include "app/views/views.h"

namespace ws {

// Marks what snapshot.difference has, within a part that shows the result or its difference. `result` and
// `defined` are what was compared; where they do not fit the picture, single pixels are not marked.
void draw_wrong_marks(const Stage& stage, const PicturePart& part, const HostBytes& result,
                      const HostBytes& defined);
// How many pixels are wrong, with a warning, over the picture and ending at `right`.
void draw_wrong_label(const Stage& stage, float right, float y);

// Where a key leads: the next wrong place (1) or the one before (-1), large enough to read its pixels.
[[nodiscard]] std::optional<MoveCamera> to_next_wrong(const Difference& difference, const Camera& camera,
                                                      int by);

}  // namespace ws
