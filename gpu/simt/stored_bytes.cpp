#include "gpu/simt/stored_bytes.h"

#include <algorithm>

namespace ws::simt {
namespace {

// Of the sector's bytes, `count` from the first one on.
std::uint32_t bytes_from(std::uint64_t first, std::uint64_t count) {
    return std::uint32_t(((std::uint64_t(1) << count) - 1) << first);
}

// `line`: the place of the line before, from where on this one is looked for.
void note(std::uint64_t address, std::uint64_t bytes, std::span<const LineSectors> lines, std::size_t& line,
          std::span<StoredBytes> stored) {
    while (bytes > 0) {
        const std::uint64_t first = address % kSectorBytes;
        const std::uint64_t here = std::min(bytes, kSectorBytes - first);
        while (lines[line].line() < address / kLineBytes) ++line;
        stored[line][address % kLineBytes / kSectorBytes] |= bytes_from(first, here);
        address += here;
        bytes -= here;
    }
}

// Bytes from the sector's first one on that go on behind a whole one, or to its last one before a whole one.
bool is_end_of_more(std::uint32_t bytes, std::uint32_t before, std::uint32_t behind) {
    const bool from_first = (bytes & (bytes + 1)) == 0;
    const bool to_last = (~bytes & (~bytes + 1)) == 0;
    return bytes != 0 && ((from_first && before == kWholeSector) || (to_last && behind == kWholeSector));
}

void fill_ends(std::span<const LineSectors> lines, std::span<StoredBytes> stored) {
    const auto has_whole = [](const StoredBytes& one) {
        return std::find(one.begin(), one.end(), kWholeSector) != one.end();
    };
    if (std::none_of(stored.begin(), stored.end(), has_whole)) return;
    const std::vector<StoredBytes> as_stored(stored.begin(), stored.end());
    // Of line `i`, or of the one beside it that has the next bytes.
    const auto beside = [&](std::size_t i, std::size_t other, std::size_t sector) {
        if (other >= lines.size()) return 0U;
        const std::uint64_t gap =
            other < i ? lines[i].line() - lines[other].line() : lines[other].line() - lines[i].line();
        return gap <= 1 ? as_stored[other][sector] : 0U;
    };
    constexpr std::size_t kLast = kLineSectors - 1;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        for (std::size_t sector = 0; sector < kLineSectors; ++sector) {
            const std::uint32_t before = sector > 0 ? beside(i, i, sector - 1) : beside(i, i - 1, kLast);
            const std::uint32_t behind = sector < kLast ? beside(i, i, sector + 1) : beside(i, i + 1, 0);
            if (is_end_of_more(as_stored[i][sector], before, behind)) stored[i][sector] = kWholeSector;
        }
    }
}

std::uint16_t parts_of(LineSectors line, const StoredBytes& bytes) {
    std::uint16_t parts = 0;
    for (std::size_t sector = 0; sector < kLineSectors; ++sector)
        parts += (line.sectors() >> sector & 1U) != 0 && bytes[sector] != kWholeSector;
    return parts;
}

}  // namespace

void add_stored_bytes(TracedAccess& access, const AscendingAddresses& addresses, std::uint64_t bytes_of_each,
                      std::span<const LineSectors> lines, std::vector<StoredBytes>& to) {
    const std::size_t first = to.size();
    to.resize(first + lines.size(), StoredBytes{});
    const std::span<StoredBytes> stored = std::span(to).subspan(first);
    std::size_t line = 0;
    for (const std::uint64_t address : addresses) {
        // One may go on into the next line, and the next one begin before that.
        while (line > 0 && lines[line].line() > address / kLineBytes) --line;
        note(address, bytes_of_each, lines, line, stored);
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const int parts = parts_of(lines[i], stored[i]);
        access.parts += parts;
        access.lines_of_parts += parts > 0;
    }
    fill_ends(lines, stored);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (parts_of(lines[i], stored[i]) == 0) continue;
        access.first_stored = int(first);
        return;
    }
    to.resize(first);
}

}  // namespace ws::simt
