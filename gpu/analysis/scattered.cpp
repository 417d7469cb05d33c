#include "gpu/analysis/scattered.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace ws {

double scattered_over(std::span<const LineSectors> lines) {
    constexpr std::size_t kFew = 4;
    constexpr std::uint64_t kBeside = 16;  // lines of 2 KiB, about what a row of device memory has
    constexpr double kEqual = 1.5;
    if (lines.size() < kFew) return 0;
    std::size_t alone = 0;
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) {
        const std::uint64_t gap = lines[i].line() - lines[i - 1].line();
        least = std::min(least, gap);
        most = std::max(most, gap);
        alone += gap > kBeside;
    }
    if (2 * alone < lines.size() || double(most) < kEqual * double(least)) return 0;
    return double(lines.back().line() - lines.front().line()) * double(kLineBytes);
}

}  // namespace ws
