#include "gpu/simt/traffic.h"

#include <algorithm>
#include <bit>

#include "gpu/simt/integers.h"
#include "gpu/simt/places.h"

namespace ws::simt {
namespace {

constexpr u64 kSectorBytes = 32;
constexpr u64 kSectorsOfLine = 4;

bool is_store(const Instruction& instruction) {
    return instruction.kind == AccessKind::write;
}

RequestCounts made_of(const Traffic& traffic) {
    return {u16(traffic.sectors), u16(traffic.bytes_requested), u16(traffic.bytes_transferred),
            u8(traffic.replays), 0};
}

GlobalRule rule_of(const AccessRules& rules, const Instruction& instruction) {
    if (is_store(instruction)) return rules.stores;
    // Lines are the first level's; what goes past it moves sectors.
    const bool past_lines = rules.loads == GlobalRule::lines && memory_of(instruction).past_l1;
    return past_lines ? GlobalRule::sectors : rules.loads;
}

Traffic traffic_of(GlobalRule rule, const PackedLanes& packed, int bytes) {
    return global_traffic(rule, {packed.addresses.data(), packed.count}, {packed.lanes.data(), packed.count},
                          bytes);
}

// The local addresses of a warp as the hardware lays them out: word by word, the lanes side by side.
void interleave(u64* addresses, u32 mask) {
    for (; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        u64& address = addresses[lane];
        if (address >= kLocalWindow) address -= kLocalWindow;
        address = address / 4 * (4 * kLanes) + u64(lane) * 4 + address % 4;
    }
}

RequestCounts local_counts(GlobalRule rule, const WarpAccess& access) {
    u64 laid_out[kLanes];
    std::copy(access.addresses, access.addresses + kLanes, laid_out);
    interleave(laid_out, access.mask);
    const PackedLanes packed = pack(laid_out, access.mask);
    // An access of several words is several rows of 128 bytes.
    const int words = std::max(1, memory_of(access.instruction).whole_bytes() / 4);
    Traffic sum;
    for (int word = 0; word < words; ++word) {
        const Traffic traffic =
            traffic_of(rule, packed, std::min(4, int(memory_of(access.instruction).bytes)));
        sum.sectors += traffic.sectors;
        sum.bytes_requested += traffic.bytes_requested;
        sum.bytes_transferred += traffic.bytes_transferred;
        sum.replays += traffic.replays + (word > 0);
    }
    return made_of(sum);
}

RequestCounts constant_counts(const WarpAccess& access) {
    const AscendingAddresses addresses(access);
    u16 different = 0;
    for (const u64* at = addresses.begin(); at != addresses.end(); ++at)
        different += at == addresses.begin() || *at != at[-1];
    return {different, 0, 0, 0, 0};
}

}  // namespace

PackedLanes pack(const u64* addresses, u32 mask) {
    PackedLanes made;
    for (; mask != 0; mask &= mask - 1) {
        const int lane = std::countr_zero(mask);
        made.addresses[made.count] = addresses[lane];
        made.lanes[made.count++] = u8(lane);
    }
    return made;
}

AscendingAddresses::AscendingAddresses(const WarpAccess& access) {
    for (u32 rest = access.mask; rest != 0; rest &= rest - 1)
        all_[count_++] = access.addresses[std::countr_zero(rest)];
    const auto end = all_.begin() + std::ptrdiff_t(count_);
    if (!std::is_sorted(all_.begin(), end)) std::sort(all_.begin(), end);
}

Space counted_space(const WarpAccess& access) {
    const Space space = memory_of(access.instruction).space;
    if (space != Space::generic) return space;
    return space_of(access.addresses[std::countr_zero(access.mask)]);
}

TextureSectors sectors_of(const TextureRequest& request) {
    TextureSectors made;
    // A texel of up to 16 bytes lies in one sector.
    for (const u64 address : request.addresses) made.sectors[made.count++] = address / kSectorBytes;
    const auto begin = made.sectors.begin();
    const auto end = begin + std::ptrdiff_t(made.count);
    std::sort(begin, end);
    made.count = std::size_t(std::unique(begin, end) - begin);
    return made;
}

RequestCounts request_counts(const TextureRequest& request) {
    std::array<u64, 128> texels;
    std::copy(request.addresses.begin(), request.addresses.end(), texels.begin());
    const auto end = texels.begin() + std::ptrdiff_t(request.addresses.size());
    std::sort(texels.begin(), end);
    const auto different = std::unique(texels.begin(), end) - texels.begin();
    const TextureSectors read = sectors_of(request);
    u64 lines = 0;
    for (std::size_t i = 0; i < read.count; ++i)
        lines += i == 0 || read.sectors[i] / kSectorsOfLine != read.sectors[i - 1] / kSectorsOfLine;
    return {u16(read.count), u16(different * request.texel_bytes), u16(read.count * kSectorBytes),
            u8(lines > 0 ? lines - 1 : 0), 0};
}

RequestCounts request_counts(const AccessRules& rules, const WarpAccess& access, Space space) {
    const bool store = is_store(access.instruction);
    const MemoryAccess& memory = memory_of(access.instruction);
    const GlobalRule rule = rule_of(rules, access.instruction);
    const int bytes = memory.counted_bytes();
    if (space == Space::local) return local_counts(rule, access);
    if (space == Space::constant) return constant_counts(access);
    PackedLanes packed = pack(access.addresses, access.mask);
    if (memory.joined) {
        for (std::uint64_t& address : packed.addresses) address -= memory.joined->shift;
    }
    if (space != Space::shared) return made_of(traffic_of(rule, packed, bytes));
    const BankWavefronts banks =
        bank_wavefronts(store ? rules.shared_stores : rules.shared_loads,
                        {packed.addresses.data(), packed.count}, {packed.lanes.data(), packed.count}, bytes);
    return {u16(banks.wavefronts), u16(banks.ideal), banks.broadcast, 0, u8(banks.ways)};
}

bool counts_what_is_touched(const AccessRules& rules, const Instruction& instruction) {
    return rule_of(rules, instruction) == GlobalRule::sectors && !memory_of(instruction).joined;
}

std::optional<CloseAccess> CloseAccess::of(const AccessRules& rules, const WarpAccess& access, Space space) {
    const MemoryAccess& memory = memory_of(access.instruction);
    CloseAccess made;
    made.rule_ = rule_of(rules, access.instruction);
    const bool from_2_0 = made.rule_ == GlobalRule::sectors || made.rule_ == GlobalRule::lines;
    if (space != Space::global || memory.joined || !from_2_0) return std::nullopt;
    const AscendingAddresses ascending(access);
    const std::span<const u64> addresses(ascending.begin(), ascending.end());
    if (!touches_each_sector(addresses)) return std::nullopt;
    const int bytes = memory.counted_bytes();
    made.first_ = addresses.front();
    made.end_ = addresses.back() + u64(bytes);
    made.bytes_requested_ = different_bytes(addresses, bytes);
    return made;
}

RequestCounts CloseAccess::counts(u64 further) const {
    return made_of(traffic_of_each_sector(rule_, first_ + further, end_ + further, bytes_requested_));
}

std::uint16_t l1_bank_wavefronts(const WarpAccess& access) {
    const PackedLanes packed = pack(access.addresses, access.mask);
    return u16(bank_wavefronts(BankRule::thirty_two, {packed.addresses.data(), packed.count},
                               {packed.lanes.data(), packed.count},
                               memory_of(access.instruction).counted_bytes())
                   .wavefronts);
}

}  // namespace ws::simt
