// What lanes in any order ask the caches for, and what of it they store, against each byte on its own.

#include "gpu/simt/cache_walk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "gpu/simt/instruction.h"
#include "gpu/simt/stored_bytes.h"

namespace ws::simt {
namespace {

constexpr std::uint64_t kBase = 0x7000'0000'0000;

struct Lanes {
    std::array<std::uint64_t, 32> addresses{};
    std::uint32_t mask = 0;
    std::uint64_t bytes = 4;

    [[nodiscard]] AscendingAddresses ascending() const {
        return AscendingAddresses(WarpAccess{instruction, addresses.data(), mask});
    }
    [[nodiscard]] std::set<std::uint64_t> touched() const {
        std::set<std::uint64_t> made;
        for (std::size_t lane = 0; lane < addresses.size(); ++lane)
            for (std::uint64_t byte = 0; (mask >> lane & 1) != 0 && byte < bytes; ++byte)
                made.insert(addresses[lane] + byte);
        return made;
    }
    Instruction instruction;
};

// Near each other, far apart, several at one place; of some lanes. Those of 12 bytes cross borders.
template <typename Check>
void with_lanes(const Check& check) {
    std::mt19937_64 random(7);
    for (const std::uint64_t bytes : {1, 2, 4, 8, 16, 12}) {
        for (const std::uint64_t room : {1, 40, 300, 100'000}) {
            for (int time = 0; time < 40; ++time) {
                Lanes lanes;
                lanes.bytes = bytes;
                lanes.mask = time % 4 == 0 ? ~0U : std::uint32_t(random()) | 1U << (time % 32);
                for (std::uint64_t& address : lanes.addresses) address = kBase + random() % room * bytes;
                if (time % 3 == 0) std::ranges::sort(lanes.addresses);
                check(lanes);
            }
        }
    }
}

TEST(CacheWalk, LinesAreThoseOfEachByte) {
    with_lanes([](const Lanes& lanes) {
        std::map<std::uint64_t, std::uint32_t> expected;
        for (const std::uint64_t byte : lanes.touched())
            expected[byte / kLineBytes] |= 1U << (byte % kLineBytes / kSectorBytes);
        std::vector<LineSectors> lines{{kBase / kLineBytes, 1}};  // of another request, which stays
        add_lines(lanes.ascending(), lanes.bytes, lines);
        ASSERT_EQ(lines.size(), 1 + expected.size());
        EXPECT_EQ(lines.front(), LineSectors(kBase / kLineBytes, 1));
        auto line = lines.begin();
        for (const auto& [number, sectors] : expected) EXPECT_EQ(*++line, LineSectors(number, sectors));
    });
}

TEST(CacheWalk, PartsAreSectorsOfWhichBytesAreNotStored) {
    int with_parts = 0;
    with_lanes([&](const Lanes& lanes) {
        std::map<std::uint64_t, int> bytes_of_sector;
        for (const std::uint64_t byte : lanes.touched()) ++bytes_of_sector[byte / kSectorBytes];
        int parts = 0;
        std::set<std::uint64_t> lines_of_parts;
        for (const auto& [sector, bytes] : bytes_of_sector) {
            if (bytes == int(kSectorBytes)) continue;
            ++parts;
            lines_of_parts.insert(sector / kLineSectors);
        }
        std::vector<LineSectors> lines;
        add_lines(lanes.ascending(), lanes.bytes, lines);
        std::vector<StoredBytes> stored(3);
        TracedAccess made;
        add_stored_bytes(made, lanes.ascending(), lanes.bytes, lines, stored);
        EXPECT_EQ(made.parts, parts);
        EXPECT_EQ(made.lines_of_parts, lines_of_parts.size());
        if (made.first_stored < 0) {
            EXPECT_EQ(stored.size(), 3U);
            return;
        }
        ++with_parts;
        ASSERT_EQ(made.first_stored, 3);
        ASSERT_EQ(stored.size(), 3 + lines.size());
        const std::set<std::uint64_t> touched = lanes.touched();
        for (std::size_t i = 0; i < lines.size(); ++i) {
            for (std::uint64_t byte = 0; byte < kLineBytes; ++byte) {
                const std::uint32_t bits = stored[3 + i][byte / kSectorBytes];
                const bool is_stored = (bits >> byte % kSectorBytes & 1) != 0;
                const bool was_touched = touched.contains(lines[i].line() * kLineBytes + byte);
                EXPECT_TRUE(is_stored || !was_touched);
                // Ends beside whole sectors are whole for who stores on.
                EXPECT_TRUE(was_touched || !is_stored || bits == kWholeSector);
            }
        }
    });
    EXPECT_GT(with_parts, 200);
}

}  // namespace
}  // namespace ws::simt
