#include "gpu/labs/several_gpus/strips.h"

#include <algorithm>
#include <cstdint>

namespace ws::several_gpus {

std::vector<Strip> strips_of(int rows, int gpus) {
    const int count = std::clamp(rows / kBlurHalo, 1, std::max(1, gpus));
    const auto border = [&](int number) { return int(std::int64_t(rows) * number / count); };
    std::vector<Strip> strips;
    strips.reserve(std::size_t(count));
    for (int i = 0; i < count; ++i) strips.push_back({border(i), border(i + 1) - border(i)});
    return strips;
}

Strip widened(const Strip& strip, int halo, int rows) {
    const int first = std::max(0, strip.first - halo);
    return {first, std::min(rows, strip.end() + halo) - first};
}

std::size_t halo_bytes(Extent size, int strips) {
    return std::size_t(strips - 1) * 2 * (kBlurHalo + kEdgeHalo) * std::size_t(size.width);
}

int rows_twice(Extent size, int strips) {
    int twice = 0;
    for (const Strip& strip : strips_of(size.height, strips))
        twice += widened(strip, kWholeHalo, size.height).rows + widened(strip, kEdgeHalo, size.height).rows -
                 2 * strip.rows;
    return twice;
}

}  // namespace ws::several_gpus
