#include "app/views/warp_access.h"

#include <algorithm>
#include <bit>

namespace ws {
namespace {

bool is_of(const AccessExample& access, Memory memory) {
    return access.shared == (memory == Memory::shared);
}

bool active(const AccessExample& access, int lane) {
    return (access.mask >> lane & 1) != 0;
}

// What a line asks of a kind of memory.
std::uint64_t weight_of(const KernelCounters& counters, Memory memory, int line) {
    for (const LineCounts& one : counters.lines) {
        if (one.line != line) continue;
        const InstructionCounts& c = one.counts;
        return memory == Memory::shared ? c.shared_load.wavefronts + c.shared_store.wavefronts
                                        : c.global_load.sectors + c.global_store.sectors;
    }
    return 0;
}

}  // namespace

Requests::Requests(const StepResult& result, const ChosenWarp& chosen, bool on)
    : counters(result.counters.get()) {
    if (!on || !chosen.examples || !(chosen.examples->key.counts == result.key)) return;
    block = chosen.examples.get();
    warp = chosen.at.warp;
}

bool Requests::is_kept(const AccessExample& access) const {
    return std::any_of(counters->accesses.begin(), counters->accesses.end(),
                       [&](const AccessExample& kept) { return kept.site == access.site; });
}

std::span<const AccessExample> Requests::of_warp() const {
    if (block) return block->of_warp(warp);
    return counters->accesses;
}

const AccessExample* Requests::own(const AccessExample* one) const {
    if (!one || !block) return one;
    for (const AccessExample& access : block->of_warp(warp)) {
        if (access.site == one->site) return &access;
    }
    return nullptr;
}

double excess(const KernelCounters& counters, Memory memory) {
    const InstructionCounts& c = counters.total;
    if (memory == Memory::shared)
        return double(c.shared_load.wavefronts + c.shared_store.wavefronts) -
               double(c.shared_load.ideal + c.shared_store.ideal);
    double bytes = 0;
    for (const TrafficCounts* one : {&c.global_load, &c.global_store})
        bytes += std::max(0.0, double(one->bytes_transferred) - double(one->bytes_requested));
    return bytes / double(kSectorBytes);
}

int access_line(const Requests& requests, Memory memory, int wanted) {
    int best = 0;
    bool found = false;
    std::uint64_t most = 0;
    requests.for_instructions([&](const AccessExample& access) {
        if (!is_of(access, memory)) return;
        found |= access.line == wanted;
        const std::uint64_t weight = weight_of(*requests.counters, memory, access.line);
        if (best == 0 || weight > most) {
            best = access.line;
            most = weight;
        }
    });
    return found ? wanted : best;
}

int next_line(const Requests& requests, int line, int by) {
    int next = 0;   // the nearest in the direction
    int round = 0;  // the farthest in the other one
    requests.for_instructions([&](const AccessExample& access) {
        const int ahead = (access.line - line) * by;
        if (ahead > 0 && (next == 0 || ahead < (next - line) * by)) next = access.line;
        if (round == 0 || ahead < (round - line) * by) round = access.line;
    });
    return next != 0 ? next : round != 0 ? round : line;
}

int access_count(const Requests& requests, Memory memory, int line) {
    int count = 0;
    requests.for_instructions(
        [&](const AccessExample& access) { count += access.line == line && is_of(access, memory) ? 1 : 0; });
    return count;
}

int index_on_line(const Requests& requests, const AccessExample& access) {
    int index = 0;
    bool before = true;
    requests.for_instructions([&](const AccessExample& other) {
        before &= &other != &access;
        if (other.line != access.line || other.shared != access.shared) return;
        const bool first = other.sectors > access.sectors || (before && other.sectors == access.sectors);
        index += first ? 1 : 0;
    });
    return index;
}

const AccessExample* access_of(const Requests& requests, Memory memory, int line, int i) {
    const int count = access_count(requests, memory, line);
    if (count == 0) return nullptr;
    const AccessExample* found = nullptr;
    requests.for_instructions([&](const AccessExample& access) {
        const bool here = access.line == line && is_of(access, memory);
        if (here && index_on_line(requests, access) == i % count) found = &access;
    });
    return found;
}

const AccessExample* counterpart(const AccessExample& access, const Requests& own, const Requests& other,
                                 bool same_file, int i) {
    const Memory memory = access.shared ? Memory::shared : Memory::global;
    if (same_file) {
        // The same one of the line, if the compiler has made as many of it; else the first.
        const bool alike = access_count(own, memory, access.line) == access_count(other, memory, access.line);
        if (const AccessExample* found = access_of(other, memory, access.line, alike ? i : 0)) return found;
    }
    const AccessExample* best = nullptr;
    std::uint64_t most = 0;
    other.for_instructions([&](const AccessExample& one) {
        if (one.shared != access.shared || one.store != access.store || one.buffer != access.buffer) return;
        const std::uint64_t weight = weight_of(*other.counters, memory, one.line);
        if (best && (weight < most || (weight == most && one.sectors <= best->sectors))) return;
        best = &one;
        most = weight;
    });
    return best;
}

std::optional<double> per_request(const KernelCounters& counters, Memory memory, int line, bool store) {
    for (const LineCounts& one : counters.lines) {
        if (one.line != line) continue;
        const InstructionCounts& c = one.counts;
        if (memory == Memory::shared) {
            const SharedCounts& counts = store ? c.shared_store : c.shared_load;
            if (counts.requests == 0) return std::nullopt;
            return double(counts.wavefronts) / double(counts.requests);
        }
        const TrafficCounts& counts = store ? c.global_store : c.global_load;
        if (counts.requests == 0) return std::nullopt;
        return counts.sectors_per_request();
    }
    return std::nullopt;
}

// ---- global memory

TouchedLines::TouchedLines(const AccessExample& access, ComputeCapability capability) {
    for (int lane = 0; lane < kLanes; ++lane) {
        if (!active(access, lane)) continue;
        for (int byte = 0; byte < access.bytes; ++byte) {
            const std::uint64_t address = access.addresses[std::size_t(lane)] + std::uint64_t(byte);
            TouchedLine& line = with_number(address / kLineBytes);
            line.used.set(std::size_t(address % kLineBytes));
            line.moved |= std::uint8_t(1U << (address % kLineBytes / kSectorBytes));
        }
    }
    if (capability.major == 1) move_segments(access, capability.minor >= 2);
    if (capability.major == 2 && !access.store) {
        for (int i = 0; i < count_; ++i) lines_[std::size_t(i)].moved = 0xF;
    }
}

// A segment has 32 bytes for words of one byte, 64 for two, else 128; half of it goes, and half of that,
// where a half warp uses only one side.
void TouchedLines::move_segments(const AccessExample& access, bool reduces) {
    const int widest = access.bytes == 1 ? 1 : access.bytes == 2 ? 2 : 4;  // sectors
    for (int half = 0; half < 2; ++half) {
        std::array<std::uint8_t, 2 * kLanes> wanted{};
        for (int lane = 16 * half; lane < 16 * half + 16; ++lane) {
            if (!active(access, lane)) continue;
            for (int byte = 0; byte < access.bytes; ++byte) {
                const std::uint64_t address = access.addresses[std::size_t(lane)] + std::uint64_t(byte);
                wanted[std::size_t(index_of(address))] |=
                    std::uint8_t(1U << (address % kLineBytes / kSectorBytes));
            }
        }
        for (int i = 0; i < count_; ++i) {
            for (int at = 0; at < 4; at += widest) {
                const unsigned whole = ((1U << widest) - 1) << at;
                const unsigned used = wanted[std::size_t(i)] & whole;
                if (used == 0) continue;
                unsigned moved = whole;
                for (int size = widest, from = at; reduces && size > 1; size /= 2) {
                    const unsigned low = ((1U << (size / 2)) - 1) << from;
                    const unsigned high = low << (size / 2);
                    if ((used & high) == 0) {
                        moved = low;
                    } else if ((used & low) == 0) {
                        moved = high;
                        from += size / 2;
                    } else {
                        break;
                    }
                }
                lines_[std::size_t(i)].moved |= std::uint8_t(moved);
            }
        }
    }
}

TouchedLine& TouchedLines::with_number(std::uint64_t number) {
    const auto end = lines_.begin() + count_;
    const auto at =
        std::lower_bound(lines_.begin(), end, number,
                         [](const TouchedLine& line, std::uint64_t wanted) { return line.number < wanted; });
    if (at != end && at->number == number) return *at;
    std::move_backward(at, end, end + 1);
    ++count_;
    *at = {number, {}, 0};
    return *at;
}

int TouchedLines::index_of(std::uint64_t address) const {
    const std::uint64_t number = address / kLineBytes;
    const auto at =
        std::lower_bound(lines_.begin(), lines_.begin() + count_, number,
                         [](const TouchedLine& line, std::uint64_t wanted) { return line.number < wanted; });
    return int(at - lines_.begin());
}

int TouchedLines::moved_sectors() const {
    int sum = 0;
    for (int i = 0; i < count_; ++i) sum += std::popcount(lines_[std::size_t(i)].moved);
    return sum;
}

// ---- shared memory

namespace {

// Adds the lanes from `first` to `last` to the rows from `base` on; returns the row after them.
int place_lanes(const AccessExample& access, int first, int last, int base, BankRows& made) {
    // By bank: the words that it has given so far, a row each.
    std::array<std::array<std::uint64_t, BankRows::kMost>, 32> words{};
    std::array<int, 32> used{};
    int rows = 0;
    for (int lane = first; lane <= last; ++lane) {
        if (!active(access, lane)) continue;
        const std::uint64_t from = access.addresses[std::size_t(lane)] / 4;
        const std::uint64_t to =
            (access.addresses[std::size_t(lane)] + std::uint64_t(std::max(1, access.bytes)) - 1) / 4;
        for (std::uint64_t word = from; word <= to; ++word) {
            const std::size_t bank = std::size_t(word) % std::size_t(made.banks);
            const auto end = words[bank].begin() + used[bank];
            if (std::find(words[bank].begin(), end, word) != end) continue;
            const int row = used[bank];
            if (row >= BankRows::kMost) continue;
            words[bank][std::size_t(row)] = word;
            ++used[bank];
            rows = std::max(rows, row + 1);
            if (base + row >= BankRows::kMost) continue;
            const std::size_t at = std::size_t(base) + std::size_t(row);
            made.lane[at][bank] = std::int8_t(lane);
            made.first_row[at] = std::int8_t(base);
        }
    }
    return base + rows;
}

}  // namespace

BankRows bank_rows(const AccessExample& access, int banks) {
    const auto in_groups = [&](int size) {
        BankRows made;
        made.banks = std::clamp(banks, 1, 32);
        for (auto& row : made.lane) row.fill(-1);
        for (int first = 0; first < kLanes; first += size)
            made.rows = place_lanes(access, first, first + size - 1, made.rows, made);
        return made;
    };
    // Half warps where there are 16 banks; wide words go in halves and quarters of a warp, unless the GPU
    // serves lanes that share words together: then the count says so.
    if (banks < 32) return in_groups(16);
    BankRows whole = in_groups(kLanes);
    if (access.bytes <= 4) return whole;
    if (whole.rows == access.sectors) {
        // As many rows as a lane has words are needed anyway: nobody waits in them.
        for (int row = 0; row < std::min(access.bytes / 4, BankRows::kMost); ++row)
            whole.first_row[std::size_t(row)] = std::int8_t(row);
        return whole;
    }
    return in_groups(std::max(1, 4 * kLanes / access.bytes));
}

bool BankRows::waits(int row, int bank) const {
    return lane[std::size_t(row)][std::size_t(bank)] >= 0 && row > first_row[std::size_t(row)];
}

bool BankRows::conflicts(int bank) const {
    for (int row = 0; row < std::min(rows, kMost); ++row) {
        if (waits(row, bank)) return true;
    }
    return false;
}

// ---- elements

std::optional<Element2d> element_of(const AccessExample& access, int lane, int width, int element_bytes) {
    if (!active(access, lane) || width <= 0) return std::nullopt;
    const std::uint64_t address = access.addresses[std::size_t(lane)];
    if (access.shared || access.buffer < 0 || address < access.base) return std::nullopt;
    const std::uint64_t element = (address - access.base) / std::uint64_t(element_bytes);
    return Element2d{int(element % std::uint64_t(width)), int(element / std::uint64_t(width))};
}

int elements_across(const AccessExample& access, int element_bytes) {
    return std::max(1, access.bytes / element_bytes);
}

int rows_touched(const AccessExample& access, int width, int element_bytes) {
    std::array<int, kLanes> rows{};
    std::size_t count = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
        const std::optional<Element2d> at = element_of(access, lane, width, element_bytes);
        if (!at) continue;
        if (std::find(rows.begin(), rows.begin() + std::ptrdiff_t(count), at->y) ==
            rows.begin() + std::ptrdiff_t(count))
            rows[count++] = at->y;
    }
    return int(count);
}

}  // namespace ws
