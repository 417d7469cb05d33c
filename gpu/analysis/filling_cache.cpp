#include "gpu/analysis/filling_cache.h"

#include <algorithm>
#include <bit>

namespace ws {

double FillingCache::ask(std::span<const LineSectors> wanted, std::uint64_t first_line) {
    missing_.clear();
    places_.clear();
    double there = 0;
    for (const LineSectors one : wanted) {
        const LineSectors line(first_line + one.line(), one.sectors());
        const CacheLevel::Taken taken = cache_.take(line);
        if (taken.missing != 0) {
            const LineSectors lacking(line.line(), taken.missing);
            const LineSectors brought = grain_ == Grain::pair ? lacking.in_pairs() : lacking;
            if (brought != lacking) (void)cache_.take(brought);
            missing_.push_back(brought);
            places_.push_back(taken.place);
        }
        if (arrives_.empty()) continue;
        for (std::uint32_t rest = one.sectors() & ~taken.missing; rest != 0; rest &= rest - 1)
            there = std::max(there, arrives_[taken.place][std::size_t(std::countr_zero(rest))]);
    }
    return there;
}

void FillingCache::put(LineSectors line) {
    const CacheLevel::Taken taken = cache_.take(line);
    if (arrives_.empty()) return;
    for (std::uint32_t rest = taken.missing; rest != 0; rest &= rest - 1)
        arrives_[taken.place][std::size_t(std::countr_zero(rest))] = 0;
}

void FillingCache::bring(double when) {
    if (arrives_.empty()) return;
    for (std::size_t i = 0; i < missing_.size(); ++i)
        for (std::uint32_t rest = missing_[i].sectors(); rest != 0; rest &= rest - 1)
            arrives_[places_[i]][std::size_t(std::countr_zero(rest))] = when;
}

}  // namespace ws
