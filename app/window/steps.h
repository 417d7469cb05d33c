#pragma once
// What a key leads to from what is shown: the next block, GPU, kernel, place of the picture.

#include <optional>

#include "app/views/picture_parts.h"
#include "app/window/edit.h"
#include "gpu/core/snapshot.h"

namespace ws {

// Nothing where the kernel takes no other side in this direction.
[[nodiscard]] std::optional<WorkEdit> stepped_block(const StepSnapshot& step, const StepBlock& asked);
// From the warp that is drawn; nothing where none is known.
[[nodiscard]] std::optional<ViewEdit> stepped_warp(const StepSnapshot& step, const StepWarp& asked);
// Round the list: the automatic choice, then all GPUs.
[[nodiscard]] WorkEdit stepped_gpu(const Snapshot& snapshot, int by);
// Round the kernels that are worth a place.
[[nodiscard]] ViewEdit stepped_kernel(const Snapshot& snapshot, const ViewState& view, int by);
// Round what the curves of all versions can go over; nothing where there is nothing else.
[[nodiscard]] std::optional<ViewEdit> stepped_axis(const Snapshot& snapshot, const ViewState& view, int by);

// On the page of latency hiding; nothing at an end, or where there are no clocks.
[[nodiscard]] std::optional<ViewEdit> stepped_resident(const StepSnapshot& step, const ViewState& view,
                                                       const StepResident& asked);
[[nodiscard]] std::optional<ViewEdit> moved_clocks(const StepSnapshot& step, const ViewState& view,
                                                   const MoveClocks& asked);
[[nodiscard]] std::optional<ViewEdit> stepped_clock(const StepSnapshot& step, const ViewState& view, int by);

// Back from what a key has opened over the page: A alone, the curves of all versions, the advice, a line
// that runs. Nothing where none of them is shown.
[[nodiscard]] std::optional<ViewEdit> stepped_out(const ViewState& view);

// Nothing where no picture is shown.
[[nodiscard]] std::optional<ViewEdit> zoomed_picture(const PictureParts& parts, const ViewState& view,
                                                     Extent picture, float factor);
[[nodiscard]] std::optional<ViewEdit> panned_picture(const PictureParts& parts, const ViewState& view,
                                                     Extent picture, const PanPicture& asked);

}  // namespace ws
