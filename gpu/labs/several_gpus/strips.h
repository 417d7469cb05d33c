#pragma once
// A picture in strips of rows, one for each GPU, and what each stage of the filters needs of its neighbours.

#include <cstddef>
#include <vector>

#include "gpu/core/image.h"

namespace ws::several_gpus {

// Rows beyond a row that a stage reads on each side.
inline constexpr int kBlurHalo = 3;
inline constexpr int kEdgeHalo = 1;
// Rows of the source beyond a strip from which all of its edges can be computed.
inline constexpr int kWholeHalo = kBlurHalo + kEdgeHalo;

// Rows of the picture.
struct Strip {
    int first = 0, rows = 0;
    [[nodiscard]] int end() const { return first + rows; }
    friend bool operator==(const Strip&, const Strip&) = default;
};

// Strips in order, their rows alike but for one. None is lower than the widest halo, so that what it needs
// lies with its neighbours alone: a low picture has fewer strips than there are GPUs, which then have nothing
// to do.
[[nodiscard]] std::vector<Strip> strips_of(int rows, int gpus);
// With so many rows more on each side, as far as the picture of `rows` goes.
[[nodiscard]] Strip widened(const Strip& strip, int halo, int rows);
// Bytes of all halos that go from GPU to GPU for one picture.
[[nodiscard]] std::size_t halo_bytes(Extent size, int strips);
// Rows that are computed more than once, of gray and of the blur, where each strip makes its own halo.
[[nodiscard]] int rows_twice(Extent size, int strips);

}  // namespace ws::several_gpus
