#include "gpu/analysis/first_level.h"

#include <algorithm>

namespace ws {

double FirstLevel::ask(std::span<const LineSectors> wanted, std::uint64_t first_line) {
    missing_.clear();
    places_.clear();
    double there = 0;
    for (const LineSectors one : wanted) {
        const LineSectors line(first_line + one.line(), one.sectors());
        const CacheLevel::Taken taken = cache_.take(line);
        if (taken.missing != 0) {
            missing_.emplace_back(line.line(), taken.missing);
            places_.push_back(taken.place);
        }
        if (arrives_.empty()) continue;
        for (std::uint32_t rest = one.sectors() & ~taken.missing; rest != 0; rest &= rest - 1)
            there = std::max(there, arrives_[taken.place][std::size_t(std::countr_zero(rest))]);
    }
    return there;
}

void FirstLevel::bring(double when) {
    if (arrives_.empty()) return;
    for (std::size_t i = 0; i < missing_.size(); ++i)
        for (std::uint32_t rest = missing_[i].sectors(); rest != 0; rest &= rest - 1)
            arrives_[places_[i]][std::size_t(std::countr_zero(rest))] = when;
}

}  // namespace ws
