#include "gpu/simt/access_rules.h"

#include <algorithm>
#include <array>
#include <bit>

#include "gpu/core/first_level.h"
#include "gpu/simt/half_warps.h"

namespace ws::simt {
namespace {

using Addresses = std::span<const std::uint64_t>;
using Lanes = std::span<const std::uint8_t>;

constexpr std::uint64_t kSector = 32;
constexpr std::uint64_t kLine = 128;

// The addresses in ascending order: as they are, or sorted into `room`.
Addresses ascending(Addresses addresses, std::array<std::uint64_t, 32>& room) {
    if (std::is_sorted(addresses.begin(), addresses.end())) return addresses;
    std::copy(addresses.begin(), addresses.end(), room.begin());
    std::sort(room.begin(), room.begin() + std::ptrdiff_t(addresses.size()));
    return {room.data(), addresses.size()};
}

// The different aligned pieces of `size` bytes that the accesses touch.
std::uint32_t different_pieces(Addresses sorted, int bytes, std::uint64_t size) {
    std::uint32_t count = 0;
    std::uint64_t next = 0;  // the first piece that is not counted yet
    for (const std::uint64_t address : sorted) {
        const std::uint64_t first = std::max(address / size, next);
        const std::uint64_t end = (address + std::uint64_t(bytes) - 1) / size + 1;
        if (end > first) {
            count += std::uint32_t(end - first);
            next = end;
        }
    }
    return count;
}

Traffic made_of(GlobalRule rule, std::uint32_t lines, std::uint32_t sectors, std::uint32_t bytes_requested) {
    Traffic traffic;
    traffic.bytes_requested = bytes_requested;
    traffic.replays = lines - 1;
    traffic.sectors = rule == GlobalRule::lines ? lines : sectors;
    traffic.bytes_transferred = traffic.sectors * std::uint32_t(rule == GlobalRule::lines ? kLine : kSector);
    return traffic;
}

Traffic by_half_warps(GlobalRule rule, Addresses addresses, Lanes lane_of, int bytes) {
    Traffic traffic;
    std::array<std::uint64_t, 32> room;
    traffic.bytes_requested = different_bytes(ascending(addresses, room), bytes);
    for_each_transaction(rule, addresses, lane_of, bytes, [&](const Transaction& transaction) {
        ++traffic.sectors;
        traffic.bytes_transferred += transaction.bytes;
        if (!transaction.first_of_half) ++traffic.replays;
    });
    return traffic;
}

// Whether lanes whose numbers differ in `bit` alone have the same offset, as far as both are active.
bool pairs_share(Addresses offsets, Lanes lane_of, int bit) {
    std::array<std::uint64_t, 32> of;
    std::uint32_t active = 0;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        const int lane = lane_of[i];
        const int other = lane ^ bit;
        if ((active >> other & 1) && of[std::size_t(other)] != offsets[i]) return false;
        of[std::size_t(lane)] = offsets[i];
        active |= 1u << lane;
    }
    return true;
}

// How many lanes next to each other are served together.
int lanes_of_a_part(BankRule rule, Addresses offsets, Lanes lane_of, int bytes) {
    const int bank_bytes = rule == BankRule::kepler_eight ? 8 : 4;
    const int lanes = std::min(32, 32 * bank_bytes / bytes);
    const bool doubled = rule == BankRule::lane_pairs && lanes < 32 &&
                         (pairs_share(offsets, lane_of, 1) || pairs_share(offsets, lane_of, 2));
    return doubled ? 2 * lanes : lanes;
}

// Whether all lanes request 32 words next to each other, so that no bank has to serve two; `broadcast` if
// some ask for the same.
bool within_one_row(Addresses offsets, int bytes, bool& broadcast) {
    const auto [low, high] = std::minmax_element(offsets.begin(), offsets.end());
    const std::uint64_t first = *low / 4;
    if ((*high + std::uint64_t(bytes) - 1) / 4 - first >= 32) return false;
    std::uint32_t seen = 0;
    for (const std::uint64_t offset : offsets) {
        const std::uint32_t word = 1u << (offset / 4 - first);
        broadcast = broadcast || (seen & word);
        seen |= word;
    }
    return true;
}

// Wavefronts for lanes that share 32 banks: the most different rows requested from one bank. A row is a word,
// or what the rule lets a pass serve together.
std::uint32_t passes_of_32_banks(BankRule rule, Addresses offsets, int bytes, bool& broadcast) {
    const std::uint64_t bank_bytes = rule == BankRule::kepler_eight ? 8 : 4;
    std::array<std::array<std::uint32_t, 32>, 32> rows;
    std::array<std::uint8_t, 32> counts{};
    std::uint32_t most = 0;
    for (const std::uint64_t offset : offsets) {
        for (std::uint64_t word = offset / bank_bytes;
             word <= (offset + std::uint64_t(bytes) - 1) / bank_bytes; ++word) {
            const std::size_t bank = word % 32;
            const auto row = std::uint32_t(rule == BankRule::kepler_four ? word / 64 : word / 32);
            auto& list = rows[bank];
            const auto end = list.begin() + counts[bank];
            if (std::find(list.begin(), end, row) != end) {
                broadcast = true;
                continue;
            }
            if (counts[bank] < 32) list[counts[bank]++] = row;
            most = std::max<std::uint32_t>(most, counts[bank]);
        }
    }
    return most;
}

// 1.x: each pass serves all lanes that read the first open lane's word, and one lane of every other bank.
std::uint32_t passes_of_16_banks(Addresses offsets, bool& broadcast) {
    std::uint32_t open = std::uint32_t((1ull << offsets.size()) - 1);
    std::uint32_t wavefronts = 0;
    while (open != 0) {
        const std::uint64_t word = offsets[std::size_t(std::countr_zero(open))];
        std::uint32_t busy = 1u << (word / 4 % 16);
        std::uint32_t served = 0;
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            if (!(open >> i & 1)) continue;
            const std::uint32_t bank = 1u << (offsets[i] / 4 % 16);
            if (offsets[i] == word) {
                broadcast = broadcast || served != 0;
                served |= 1u << i;
            } else if (!(busy & bank)) {
                busy |= bank;
                served |= 1u << i;
            }
        }
        open &= ~served;
        ++wavefronts;
    }
    return wavefronts;
}

// Of L1's tags, by bits of the line's set, the lowest one first: the bank is the exclusive or of those that
// are set.
constexpr std::array<std::uint8_t, 9> kTagBanks{1, 2, 1, 2, 3, 1, 2, 3, 2};

// The same of each set.
constexpr auto kTagBankOfSet = [] {
    std::array<std::uint8_t, 1U << kTagBanks.size()> made{};
    for (std::size_t set = 0; set < made.size(); ++set)
        for (std::size_t bit = 0; bit < kTagBanks.size(); ++bit)
            if (set >> bit & 1) made[set] ^= kTagBanks[bit];
    return made;
}();

std::size_t tag_bank(std::uint64_t line) {
    return kTagBankOfSet[std::size_t(first_level_set(line))];
}

}  // namespace

AccessRules access_rules(ComputeCapability capability, BankWidth width) {
    const int number = capability.number();
    AccessRules rules;
    if (number < 12) {
        rules = {GlobalRule::strict_half_warps, GlobalRule::strict_half_warps, BankRule::sixteen,
                 BankRule::sixteen};
    } else if (number < 20) {
        rules = {GlobalRule::segments, GlobalRule::segments, BankRule::sixteen, BankRule::sixteen};
    } else if (number < 30) {
        rules = {GlobalRule::lines, GlobalRule::sectors, BankRule::thirty_two, BankRule::thirty_two};
    } else if (number < 40) {
        rules.shared_loads = rules.shared_stores =
            width == BankWidth::eight_bytes ? BankRule::kepler_eight : BankRule::kepler_four;
    } else if (number < 70) {
        rules.shared_loads = BankRule::thirty_two;
    }
    return rules;
}

Traffic global_traffic(GlobalRule rule, Addresses addresses, Lanes lane_of, int bytes) {
    if (rule == GlobalRule::strict_half_warps || rule == GlobalRule::segments)
        return by_half_warps(rule, addresses, lane_of, bytes);
    std::array<std::uint64_t, 32> room;
    const Addresses sorted = ascending(addresses, room);
    const std::uint32_t requested = different_bytes(sorted, bytes);
    if (touches_each_sector(sorted))
        return traffic_of_each_sector(rule, sorted.front(), sorted.back() + std::uint64_t(bytes), requested);
    return made_of(rule, different_pieces(sorted, bytes, kLine), different_pieces(sorted, bytes, kSector),
                   requested);
}

bool touches_each_sector(Addresses ascending) {
    for (std::size_t i = 1; i < ascending.size(); ++i) {
        if (ascending[i] - ascending[i - 1] > kSector) return false;
    }
    return true;
}

Traffic traffic_of_each_sector(GlobalRule rule, std::uint64_t first, std::uint64_t end,
                               std::uint32_t bytes_requested) {
    const auto pieces = [&](std::uint64_t size) {
        return std::uint32_t((end - 1) / size - first / size + 1);
    };
    return made_of(rule, pieces(kLine), pieces(kSector), bytes_requested);
}

std::uint32_t different_bytes(Addresses sorted, int bytes) {
    std::uint64_t sum = std::uint64_t(bytes);
    for (std::size_t i = 1; i < sorted.size(); ++i)
        sum += std::min(std::uint64_t(bytes), sorted[i] - sorted[i - 1]);
    return std::uint32_t(sum);
}

BankWavefronts bank_wavefronts(BankRule rule, Addresses offsets, Lanes lane_of, int bytes) {
    BankWavefronts made;
    const auto add = [&](std::uint32_t wavefronts) {
        made.wavefronts += wavefronts;
        made.ideal += 1;
        made.ways = std::max(made.ways, wavefronts);
    };
    if (rule == BankRule::sixteen) {
        for (const int first : {0, 16}) {
            const auto [at, count] = lanes_between(lane_of, first, first + 16);
            if (count == 0) continue;
            // Wider accesses go word by word.
            for (int word = 0; word < std::max(1, bytes / 4); ++word) {
                std::array<std::uint64_t, 16> shifted;
                for (std::size_t i = 0; i < count; ++i)
                    shifted[i] = offsets[at + i] + std::uint64_t(4 * word);
                add(passes_of_16_banks({shifted.data(), count}, made.broadcast));
            }
        }
        return made;
    }
    const int lanes = lanes_of_a_part(rule, offsets, lane_of, bytes);
    if (lanes == 32 && within_one_row(offsets, bytes, made.broadcast)) {
        add(1);
        return made;
    }
    for (int first = 0; first < 32; first += lanes) {
        const auto [at, count] = lanes_between(lane_of, first, first + lanes);
        if (count > 0) add(passes_of_32_banks(rule, offsets.subspan(at, count), bytes, made.broadcast));
    }
    return made;
}

std::uint32_t tag_lookups(std::span<const LineSectors> lines) {
    std::array<std::uint32_t, 4> lookups{};
    for (const LineSectors one : lines) ++lookups[tag_bank(one.line())];
    return *std::max_element(lookups.begin(), lookups.end());
}

}  // namespace ws::simt
