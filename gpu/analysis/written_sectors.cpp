#include "gpu/analysis/written_sectors.h"

#include <algorithm>
#include <span>
#include <utility>

namespace ws {
namespace {

void add(LineSectors line, const StoredBytes* bytes, StoredBytes& to) {
    for (std::size_t sector = 0; sector < kLineSectors; ++sector)
        if ((line.sectors() >> sector & 1U) != 0)
            to[sector] |= bytes != nullptr ? (*bytes)[sector] : kWholeSector;
}

// Of these sectors, those with bytes that have not been stored.
std::uint32_t lacking(std::uint32_t sectors, const StoredBytes& bytes) {
    for (std::size_t sector = 0; sector < kLineSectors; ++sector)
        if (bytes[sector] == kWholeSector) sectors &= ~(1U << sector);
    return sectors;
}

}  // namespace

NeverWhole never_whole(const KernelTrace& trace) {
    struct Line {
        StoredBytes bytes{};
        std::uint32_t sectors = 0;
    };
    // Whole sectors complete only what others have begun.
    NumberTable<Line> begun;
    const auto each_store = [&](auto each) {
        for (const WarpTrace& warp : trace.warps)
            for (const TracedAccess& access : warp.accesses)
                if (access.kind == MachineKind::store && access.space == MemorySpace::global)
                    each(warp.asked_by(access), warp.stored_by(access));
    };
    each_store([&](std::span<const LineSectors> lines, std::span<const StoredBytes> bytes) {
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            Line& line = begun[lines[i].line()];
            line.sectors |= lines[i].sectors();
            add(lines[i], &bytes[i], line.bytes);
        }
    });
    if (begun.size() == 0) return {};
    each_store([&](std::span<const LineSectors> lines, std::span<const StoredBytes> bytes) {
        if (!bytes.empty()) return;
        for (const LineSectors one : lines)
            if (Line* found = begun.find(one.line())) add(one, nullptr, found->bytes);
    });
    NeverWhole made;
    made.reserve(begun.size());
    begun.for_each([&](std::uint64_t number, const Line& line) {
        if (const std::uint32_t sectors = lacking(line.sectors, line.bytes); sectors != 0)
            made[number] = sectors;
    });
    return made;
}

WrittenSectors::Stored WrittenSectors::store(std::size_t place, LineSectors line, std::uint32_t there,
                                             const StoredBytes* bytes, bool apart) {
    const std::uint32_t never = bytes != nullptr ? never_whole_of(line) : 0;
    if (lines_.empty()) return {line.sectors(), sectors_in(line.sectors() & never)};
    Line& one = lines_[place];
    const std::uint32_t fresh = line.sectors() & ~one.sectors;
    const std::uint32_t loaded = fresh & there;
    const std::uint32_t read = fresh & never & ~loaded;
    add({line.line(), loaded}, nullptr, one.bytes);
    one.sectors |= fresh;
    one.read |= read;
    one.apart = apart;
    add(line, bytes, one.bytes);
    return {fresh, sectors_in(read)};
}

WrittenSectors::Left WrittenSectors::leave(std::size_t place) {
    if (lines_.empty()) return {};
    const Line one = std::exchange(lines_[place], {});
    return {sectors_in(lacking(one.sectors & ~one.read, one.bytes)), one.apart};
}

}  // namespace ws
