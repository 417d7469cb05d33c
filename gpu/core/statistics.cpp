#include "gpu/core/statistics.h"

#include <algorithm>
#include <cmath>

namespace ws {
namespace {

// The value below which the share `part` of the sorted values lies, interpolated between neighbours.
double quantile(const std::vector<double>& sorted, double part) {
    const double position = part * double(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (position - double(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Statistics statistics_of(std::vector<double> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    return {quantile(values, 0.5), quantile(values, 0.25), quantile(values, 0.75), int(values.size())};
}

bool differ(const Statistics& a, const Statistics& b) {
    if (a.samples == 0 || b.samples == 0) return false;
    return std::abs(a.median - b.median) > std::max(a.spread(), b.spread());
}

void SampleWindow::add(double value) {
    if (values_.size() < kCapacity) {
        values_.push_back(value);
        return;
    }
    values_[next_] = value;
    next_ = (next_ + 1) % kCapacity;
}

std::vector<float> SampleWindow::history() const {
    std::vector<float> ordered;
    ordered.reserve(values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
        ordered.push_back(float(values_[(next_ + i) % values_.size()]));
    }
    return ordered;
}

}  // namespace ws
