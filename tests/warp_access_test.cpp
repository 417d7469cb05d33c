// Which access is drawn, and what its addresses mean.

#include "app/views/warp_access.h"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <memory>

namespace ws {
namespace {

constexpr ComputeCapability kTesla{1, 3}, kFirst{1, 0}, kFermi{2, 1}, kAmpere{8, 6};

AccessExample access(int line, int bytes, const std::function<std::uint64_t(int)>& address,
                     std::uint32_t mask = ~0U) {
    AccessExample made;
    made.line = line;
    made.bytes = bytes;
    made.mask = mask;
    for (int lane = 0; lane < kLanes; ++lane) made.addresses[std::size_t(lane)] = address(lane);
    made.buffer = 0;
    return made;
}
AccessExample shared(int line, int bytes, const std::function<std::uint64_t(int)>& address) {
    AccessExample made = access(line, bytes, address);
    made.shared = true;
    return made;
}

struct Traffic {
    const char* what;
    AccessExample access;
    ComputeCapability capability;
    int lines, sectors;
};

TEST(TouchedLines, WhatIsMovedForARequest) {
    const auto byte_by_byte = [](int lane) { return std::uint64_t(lane); };
    const auto four_rows = [](int lane) { return std::uint64_t(4096 * (lane / 8) + lane % 8); };
    const auto words = [](int lane) { return std::uint64_t(4 * lane); };
    const auto shifted = [](int lane) { return std::uint64_t(4 * lane + 4); };
    const auto column = [](int lane) { return std::uint64_t(8192 * lane); };
    const auto wide = [](int lane) { return std::uint64_t(16 * lane); };
    AccessExample store = access(1, 1, byte_by_byte);
    store.store = true;
    const Traffic cases[] = {
        {"32 bytes", access(1, 1, byte_by_byte), kAmpere, 1, 1},
        {"four rows of a picture", access(1, 1, four_rows), kAmpere, 4, 4},
        {"32 words", access(1, 4, words), kAmpere, 1, 4},
        {"32 words, one further", access(1, 4, shifted), kAmpere, 2, 5},
        {"a column", access(1, 4, column), kAmpere, 32, 32},
        {"16 bytes a lane", access(1, 16, wide), kAmpere, 4, 16},
        {"one lane", access(1, 4, words, 1U << 9), kAmpere, 1, 1},
        {"lines of 2.x", access(1, 1, byte_by_byte), kFermi, 1, 4},
        {"stores of 2.x", store, kFermi, 1, 1},
        {"a segment of 32 bytes for bytes", access(1, 1, byte_by_byte), kTesla, 1, 1},
        {"a half of a segment of 128 for each half warp", access(1, 4, words), kTesla, 1, 4},
        {"a quarter of a segment of 128", access(1, 4, words, 0xFFU), kTesla, 1, 1},
        {"a whole segment of 128, which 1.0 does not make smaller", access(1, 4, words, 0xFFU), kFirst, 1,
         4}};
    for (const Traffic& one : cases) {
        const TouchedLines lines(one.access, one.capability);
        EXPECT_EQ(lines.count(), one.lines) << one.what;
        EXPECT_EQ(lines.moved_sectors(), one.sectors) << one.what;
        for (int lane = 0; lane < kLanes; ++lane) {
            if (!(one.access.mask >> lane & 1)) continue;
            const std::uint64_t address = one.access.addresses[std::size_t(lane)];
            const TouchedLine& line = lines[lines.index_of(address)];
            EXPECT_EQ(line.number, address / kLineBytes) << one.what;
            EXPECT_TRUE(line.used[std::size_t(address % kLineBytes)]) << one.what;
        }
    }
}

struct Banks {
    const char* what;
    AccessExample access;
    int banks, rows;
    bool conflicts;
};

TEST(BankRows, ARowForEachWavefront) {
    const auto stride = [](int words) {
        return [words](int lane) { return std::uint64_t(4 * words * lane); };
    };
    Banks cases[] = {
        {"a word each", shared(1, 4, stride(1)), 32, 1, false},
        {"one word for all", shared(1, 4, stride(0)), 32, 1, false},
        {"every second word", shared(1, 4, stride(2)), 32, 2, true},
        {"a padded column", shared(1, 4, stride(33)), 32, 1, false},
        {"a column", shared(1, 4, stride(32)), 32, 32, true},
        {"two words each", shared(1, 8, stride(2)), 32, 2, false},
        {"four words each", shared(1, 16, stride(4)), 32, 4, false},
        {"half warps on 16 banks", shared(1, 4, stride(1)), 16, 2, false},
        {"bytes of one word", shared(1, 1, [](int lane) { return std::uint64_t(lane); }), 32, 1, false}};
    for (const Banks& one : cases) {
        const BankRows rows = bank_rows(one.access, one.banks);
        EXPECT_EQ(rows.rows, one.rows) << one.what;
        bool any = false;
        for (int bank = 0; bank < one.banks; ++bank) any = any || rows.conflicts(bank);
        EXPECT_EQ(any, one.conflicts) << one.what;
    }
    const BankRows column = bank_rows(shared(1, 4, stride(32)), 32);
    EXPECT_EQ(column.lane[0][0], 0);
    EXPECT_EQ(column.lane[31][0], 31);
    EXPECT_EQ(column.lane[0][1], -1);
    EXPECT_FALSE(column.waits(0, 0));
    EXPECT_TRUE(column.waits(5, 0));
    // Where the GPU serves lanes that share words together, the count says so.
    AccessExample pairs = shared(1, 8, [](int lane) { return std::uint64_t(8 * (lane / 2)); });
    pairs.sectors = 1;
    EXPECT_EQ(bank_rows(pairs, 32).rows, 1);
}

KernelCounters counters_of(std::vector<AccessExample> accesses,
                           const std::vector<std::pair<int, std::uint64_t>>& sectors) {
    KernelCounters made;
    made.kernel = "a";
    made.accesses = std::move(accesses);
    for (const auto& [line, count] : sectors) {
        LineCounts counts;
        counts.line = line;
        counts.counts.global_load.sectors = count;
        counts.counts.global_load.requests = 10;
        made.lines.push_back(counts);
    }
    return made;
}

TEST(Choice, TheLineThatTakesMostUnlessOneIsWanted) {
    const auto words = [](int lane) { return std::uint64_t(4 * lane); };
    const KernelCounters counters =
        counters_of({access(12, 4, words), access(30, 4, words), access(30, 4, words), shared(44, 4, words)},
                    {{12, 40}, {30, 400}, {44, 0}});
    EXPECT_EQ(access_line(counters, Memory::global, 0), 30);
    EXPECT_EQ(access_line(counters, Memory::global, 12), 12);
    EXPECT_EQ(access_line(counters, Memory::global, 44), 30) << "it has no access to global memory";
    EXPECT_EQ(access_line(counters, Memory::shared, 12), 44);
    EXPECT_EQ(access_line(KernelCounters(), Memory::global, 5), 0);
    EXPECT_EQ(access_count(counters, Memory::global, 30), 2);
    EXPECT_EQ(access_of(counters, Memory::global, 30, 3), &counters.accesses[2]);
    EXPECT_EQ(access_of(counters, Memory::global, 44, 0), nullptr);
    EXPECT_EQ(next_line(counters, 12, 1), 30);
    EXPECT_EQ(next_line(counters, 44, 1), 12) << "round and round";
    EXPECT_EQ(next_line(counters, 12, -1), 44);
    EXPECT_EQ(next_line(counters, 31, -1), 30);
    EXPECT_EQ(next_line(KernelCounters(), 7, 1), 7);
    EXPECT_DOUBLE_EQ(per_request(counters, Memory::global, 30, false).value(), 40);
    EXPECT_FALSE(per_request(counters, Memory::global, 30, true));
    EXPECT_FALSE(per_request(counters, Memory::global, 31, false));
}

TEST(Choice, WhatStandsBesideAnAccess) {
    const auto words = [](int lane) { return std::uint64_t(4 * lane); };
    AccessExample store = access(40, 4, words);
    store.store = true;
    const KernelCounters own = counters_of({access(30, 4, words), access(30, 4, words), store}, {{30, 9}});
    const KernelCounters same = counters_of({access(30, 4, words), access(30, 4, words)}, {{30, 9}});
    EXPECT_EQ(counterpart(own.accesses[1], own, same, true, 1), &same.accesses[1]);
    EXPECT_EQ(counterpart(store, own, same, true, 0), nullptr) << "a load is no store";
    const KernelCounters other =
        counters_of({access(8, 4, words), access(9, 4, words), store}, {{8, 2}, {9, 20}, {40, 90}});
    EXPECT_EQ(counterpart(own.accesses[0], own, other, false, 0), &other.accesses[1])
        << "the load that takes most";
}

// A warp that a person looks at: instructions are those of any warp, what it does is its own.
TEST(Choice, AnotherWarpThanTheOneThatWasKept) {
    const auto made = [](int line, int site, int warp) {
        AccessExample one = access(line, 4, [=](int lane) { return std::uint64_t(1000 * warp + 4 * lane); });
        one.site = site;
        one.warp = warp;
        return one;
    };
    StepResult result;
    result.counters = std::make_shared<const KernelCounters>(
        counters_of({made(10, 1, 0), made(20, 2, 0)}, {{10, 40}, {20, 9}, {30, 1}}));
    auto block = std::make_shared<BlockExamples>();
    block->accesses = {made(10, 1, 0), made(30, 3, 0),
                       made(10, 1, 1)};  // as at a border: line 20 is left out
    block->instructions = {made(10, 1, 0), made(30, 3, 0)};
    ChosenWarp chosen;
    chosen.examples = block;
    chosen.at.warp = 1;
    const Requests requests(result, chosen, true);
    EXPECT_EQ(access_line(requests, Memory::global, 30), 30) << "another warp of the block executes it";
    EXPECT_EQ(next_line(requests, 20, 1), 30);
    const AccessExample* first = access_of(requests, Memory::global, 10, 0);
    ASSERT_TRUE(first);
    EXPECT_EQ(access_count(requests, Memory::global, 10), 1) << "an instruction is one, whoever executes it";
    ASSERT_TRUE(requests.own(first));
    EXPECT_EQ(requests.own(first)->addresses[1], 1004u);
    EXPECT_EQ(requests.own(access_of(requests, Memory::global, 20, 0)), nullptr);
    EXPECT_EQ(requests.own(access_of(requests, Memory::global, 30, 0)), nullptr);
    EXPECT_EQ(requests.of_warp().size(), 1u);
    const Requests kept(result, chosen, false);
    EXPECT_EQ(kept.own(&result.counters->accesses[1]), &result.counters->accesses[1]);
    EXPECT_EQ(access_line(kept, Memory::global, 30), 10);
    // Addresses of other counts are those of another kernel.
    block->key.block_x = 3;
    block->key.counts.lab = "another";
    const Requests other(result, chosen, true);
    EXPECT_EQ(other.block, nullptr);
}

TEST(Elements, OfABufferWithRows) {
    AccessExample read =
        access(1, 1, [](int lane) { return std::uint64_t(1000 + 100 * (lane / 8) + lane % 8); });
    read.base = 1000;
    EXPECT_EQ(element_of(read, 0, 100, 1), (Element2d{0, 0}));
    EXPECT_EQ(element_of(read, 17, 100, 1), (Element2d{1, 2}));
    EXPECT_EQ(element_of(read, 17, 25, 4), (Element2d{0, 2})) << "pixels of four bytes";
    EXPECT_EQ(rows_touched(read, 100, 1), 4);
    read.mask = 1;
    EXPECT_EQ(rows_touched(read, 100, 1), 1);
    EXPECT_FALSE(element_of(read, 1, 100, 1)) << "it takes no part";
    read.buffer = -1;
    EXPECT_FALSE(element_of(read, 0, 100, 1)) << "nobody knows whose it is";
    EXPECT_EQ(elements_across(access(1, 16, [](int) { return 0ull; }), 4), 4);
    EXPECT_EQ(elements_across(access(1, 1, [](int) { return 0ull; }), 4), 1);
}

}  // namespace
}  // namespace ws
