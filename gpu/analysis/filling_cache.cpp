#include "gpu/analysis/filling_cache.h"

#include <algorithm>
#include <bit>

namespace ws {

double FillingCache::ask(std::span<const LineSectors> wanted, std::uint64_t first_line, double now) {
    missing_.clear();
    places_.clear();
    replaced_.clear();
    first_asked_ = first_asked_sectors_ = late_ = new_lines_ = 0;
    double there = 0;
    for (const LineSectors one : wanted) {
        const LineSectors line(first_line + one.line(), one.sectors());
        const CacheLevel::Taken taken = take(line);
        new_lines_ += !taken.known;
        const std::uint32_t first = note_asked(taken.place, one.sectors());
        first_asked_ += first != 0;
        // What it had to bring, or has brought with its other half; not what the other partition has.
        first_asked_sectors_ += sectors_in(taken.known ? first : first & taken.missing);
        if (taken.missing != 0) {
            const LineSectors lacking(line.line(), taken.missing);
            const LineSectors brought = grain_ == Grain::pair ? lacking.in_pairs() : lacking;
            if (brought != lacking) (void)take(brought);
            missing_.push_back(brought);
            places_.push_back(taken.place);
        }
        double rest_there = 0;
        if (!arrives_.empty())
            for (std::uint32_t rest = one.sectors() & ~taken.missing; rest != 0; rest &= rest - 1)
                rest_there = std::max(rest_there, arrives_[taken.place][std::size_t(std::countr_zero(rest))]);
        late_ += taken.missing != 0 || rest_there > now;
        there = std::max(there, rest_there);
    }
    return there;
}

// A line of the other partition as that one has it, beside what the near one keeps of it, in the same set.
LineSectors FillingCache::at_home(LineSectors line) const {
    constexpr std::uint64_t kOther = std::uint64_t(1) << 58;
    const bool elsewhere = home_ == Home::partition && __builtin_parityll(line.line()) != 0;
    return elsewhere ? LineSectors(line.line() | kOther, line.sectors()) : line;
}

// What is in one of its places is there.
CacheLevel::Taken FillingCache::take(LineSectors line) {
    CacheLevel::Taken taken = cache_.take(line);
    replace(taken);
    const LineSectors home = at_home(line);
    if (home == line) return taken;
    const CacheLevel::Taken there = cache_.take(home);
    replace(there);
    for (std::uint32_t had = taken.missing & ~there.missing; had != 0 && !arrives_.empty(); had &= had - 1)
        arrives_[taken.place][std::size_t(std::countr_zero(had))] = 0;
    taken.missing &= there.missing;
    return taken;
}

void FillingCache::replace(const CacheLevel::Taken& taken) {
    if (taken.evicted == CacheLevel::kNowhere) return;
    replaced_.push_back(taken.evicted);
    asked_[taken.evicted] = 0;
}

// Those of these that had not been asked for.
std::uint32_t FillingCache::note_asked(std::size_t place, std::uint32_t sectors) {
    if (asked_.empty()) return sectors;
    const std::uint32_t first = sectors & ~std::uint32_t(asked_[place]);
    asked_[place] |= std::uint8_t(sectors);
    return first;
}

CacheLevel::Taken FillingCache::put(LineSectors line) {
    replaced_.clear();
    const CacheLevel::Taken taken = cache_.take(at_home(line));
    replace(taken);
    if (arrives_.empty()) return taken;
    (void)note_asked(taken.place, line.sectors());
    for (std::uint32_t rest = taken.missing; rest != 0; rest &= rest - 1)
        arrives_[taken.place][std::size_t(std::countr_zero(rest))] = 0;
    return taken;
}

void FillingCache::bring(double when) {
    if (arrives_.empty()) return;
    for (std::size_t i = 0; i < missing_.size(); ++i)
        for (std::uint32_t rest = missing_[i].sectors(); rest != 0; rest &= rest - 1)
            arrives_[places_[i]][std::size_t(std::countr_zero(rest))] = when;
}

}  // namespace ws
