#include "gpu/simt/cache_walk.h"

#include <algorithm>

#include "gpu/simt/addresses.h"

namespace ws::simt {
namespace {

constexpr std::uint64_t kBytesOfSector = 32;

// Joins what was added from there on, where lanes came back to a line.
void order_from(std::size_t first, std::vector<LineSectors>& lines) {
    const auto begin = lines.begin() + std::ptrdiff_t(first);
    const auto below = [](LineSectors a, LineSectors b) { return a.line() < b.line(); };
    if (std::is_sorted(begin, lines.end(), below)) return;
    std::sort(begin, lines.end(), below);
    auto kept = begin;
    for (auto next = std::next(begin); next != lines.end(); ++next) {
        if (next->line() == kept->line())
            kept->add(*next);
        else
            *++kept = *next;
    }
    lines.erase(std::next(kept), lines.end());
}

void add(LineSectors one, std::size_t first, std::vector<LineSectors>& to) {
    if (to.size() > first && to.back().line() == one.line())
        to.back().add(one);
    else
        to.push_back(one);
}

// Line by line; past_l1 says how many of a line's sectors the second level sees.
template <typename Request, typename PastL1>
CacheTraffic send_lines(const Request& request, const PastL1& past_l1) {
    thread_local std::vector<LineSectors> lines;
    lines.clear();
    add_lines(request, lines);
    CacheTraffic made;
    for (const LineSectors line : lines) {
        made.sectors += line.count();
        made.past_l1 += past_l1(line);
    }
    return made;
}

}  // namespace

void add_lines(const WarpAccess& access, std::vector<LineSectors>& to) {
    add_lines(AscendingAddresses(access), std::uint64_t(memory_of(access.instruction).whole_bytes()), to);
}

void add_lines(const AscendingAddresses& addresses, std::uint64_t bytes_of_each,
               std::vector<LineSectors>& to) {
    const std::size_t first = to.size();
    std::uint64_t next = 0;  // the first sector that is not there yet
    for (const std::uint64_t address : addresses) {
        const std::uint64_t end = (address + bytes_of_each - 1) / kBytesOfSector + 1;
        for (std::uint64_t sector = std::max(next, address / kBytesOfSector); sector < end; ++sector)
            add(LineSectors::of_sector(sector), first, to);
        next = std::max(next, end);
    }
}

void add_lines(const TextureRequest& request, std::vector<LineSectors>& to) {
    const std::size_t first = to.size();
    const TextureSectors read = sectors_of(request);
    for (std::size_t i = 0; i < read.count; ++i) add(LineSectors::of_sector(read.sectors[i]), first, to);
}

void add_local_lines(const WarpAccess& access, std::vector<LineSectors>& to) {
    constexpr std::uint64_t kBytesOfWord = 4;
    constexpr unsigned kLanesOfSector = 8;
    const std::size_t first = to.size();
    const PackedLanes packed = pack(access.addresses, access.mask);
    const auto bytes = std::uint64_t(memory_of(access.instruction).whole_bytes());
    for (std::size_t i = 0; i < packed.count; ++i) {
        std::uint64_t address = packed.addresses[i];
        if (address >= kLocalWindow) address -= kLocalWindow;
        const std::uint64_t end = (address + bytes - 1) / kBytesOfWord;
        for (std::uint64_t word = address / kBytesOfWord; word <= end; ++word)
            add({word, 1u << (packed.lanes[i] / kLanesOfSector)}, first, to);
    }
    order_from(first, to);
}

CacheTraffic send(CacheHierarchy& caches, const WarpAccess& access) {
    const MemoryAccess& memory = memory_of(access.instruction);
    const bool stores = access.instruction.kind == AccessKind::write;
    return send_lines(access, [&](LineSectors line) {
        if (!stores) return caches.load(line, memory.past_l1, memory.read_only);
        caches.store(line);
        return line.count();
    });
}

CacheTraffic send(CacheHierarchy& caches, const TextureRequest& request) {
    return send_lines(request, [&](LineSectors line) { return caches.load_texture(line); });
}

}  // namespace ws::simt
