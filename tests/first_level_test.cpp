// L1's sets, and which line goes for another one, against what was recorded on an H200 (bench/l1_places).

#include "gpu/core/first_level.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ws {
namespace {

constexpr std::uint64_t kKib = 1024;

bool there(CacheLevel& cache, std::uint64_t line) {
    return cache.take({line, 0b0001}).missing == 0;
}

// Of the first 4096 lines those in the set of line 0, and so of any other line, each with an exclusive or.
constexpr std::uint64_t kOfItsSet[] = {625, 1051, 1642, 2422, 2823, 3437, 3868};

TEST(FirstLevel, SetsAreThoseThatAnH200Has) {
    for (const std::uint64_t base : {std::uint64_t(0), std::uint64_t(49380), std::uint64_t(0x1234567)}) {
        for (std::uint64_t apart = 1; apart < 4096; ++apart) {
            CacheLevel cache(first_level_shape(248 * kKib));
            for (const std::uint64_t other : {0, 625, 1051, 1642}) (void)there(cache, base ^ other);
            (void)there(cache, base ^ apart);
            const bool of_its_set =
                std::find(std::begin(kOfItsSet), std::end(kOfItsSet), apart) != std::end(kOfItsSet);
            const bool was_there = apart == 625 || apart == 1051 || apart == 1642;
            ASSERT_EQ(there(cache, base), !of_its_set || was_there) << base << " " << apart;
        }
    }
}

TEST(FirstLevel, LinesAPowerOfTwoApartFillAllOfIt) {
    for (int apart = 0; apart < 20; ++apart) {
        CacheLevel cache(first_level_shape(224 * kKib));
        int lost = 0;
        for (int round = 0; round < 2; ++round)
            for (std::uint64_t i = 0; i < 1700; ++i) lost += !there(cache, i << apart) && round > 0;
        EXPECT_EQ(lost, 0) << apart;
    }
}

// Rows of 4 KB: 32 stay that are 520 KB apart, of 40 none does; all of these where they lie side by side.
TEST(FirstLevel, RowsMayBeInEachOthersWay) {
    const auto stay = [](std::uint64_t rows, std::uint64_t apart) {
        CacheLevel cache(first_level_shape(248 * kKib));
        int hits = 0;
        for (int round = 0; round < 3; ++round) {
            hits = 0;
            for (std::uint64_t row = 0; row < rows; ++row)
                for (std::uint64_t line = 0; line < 32; ++line) hits += there(cache, row * apart * 8 + line);
        }
        return hits / 32.0;
    };
    EXPECT_EQ(stay(32, 520), 32);
    EXPECT_EQ(stay(40, 520), 0);
    EXPECT_NEAR(stay(40, 528), 30, 1);
    EXPECT_NEAR(stay(40, 264), 15, 1);
    EXPECT_EQ(stay(40, 4), 40);
    EXPECT_EQ(stay(53, 4), 53);
}

// Six lines of a set were asked for in any order; capital letters were there. A few of these took as long as
// if they had not been.
TEST(FirstLevel, TheLineGoesThatTheH200LetsGo) {
    constexpr std::string_view kRecorded =
        "acdeAEfFDAFcebFFBFcAeFEcFCbadbBCBDFeFFcEFbaAcAECACAAFFAEbEdDfEFeFDEDFAbeFAEEEEFEdAcAFdFbDABBBFeE"
        "EBBEFdaAAFAcbdcCAbeBfdAeAAEAcBAaEfBABcCdeBfCaeEAfbdcbCAAABdCDDeaCEbCCEEaCfdDFEbEEEcadAbDBAfFFeBd"
        "FDDcDabCeDabCCfaeCCEdDCbEaCCECAAADfbFBDAcBBCDBACefAAAFbeFAdADbebBEBEcECfBFEEBFBCFaACBAefcBdBDfAF"
        "BeAcAAAAAFdABBBABeEAdEBcEfFEaBAcdfDFDABcfdeAfFAAcCedbCDDeEACbfdeCbECEBfFBdEFaBEEBAAcdCDfeEbBEfFa"
        "AAcECCAdDfACebdBeCAAEfFCEbaAdECCDbCaeDbDaBfBFBFeEFBcCdCFBCaeAECdfFCDbBDaDACAfDbAfBcCfFdeaCAEACEd";
    constexpr std::uint64_t kLines[] = {0, 625, 1051, 1642, 2422, 2823};
    const auto same = [&](Replaced which) {
        CacheShape shape = first_level_shape(248 * kKib);
        shape.which = which;
        CacheLevel cache(shape);
        int count = 0;
        for (const char one : kRecorded) {
            const bool had = there(cache, kLines[std::tolower(one) - 'a']);
            count += had == (std::isupper(one) != 0);
        }
        return double(count) / double(kRecorded.size());
    };
    EXPECT_GT(same(Replaced::segmented), 0.95);
    EXPECT_LT(same(Replaced::oldest), 0.93);
    EXPECT_LT(same(Replaced::not_lately), 0.93);
}

TEST(FirstLevel, WhatSharedMemoryTakesIsNoSets) {
    for (const std::uint64_t kib : {28, 60, 124, 156, 192, 224, 248}) {
        const std::uint64_t lines = kib * 8 - 60;
        const auto kept = [&](std::uint64_t asked) {
            CacheLevel cache(first_level_shape(kib * kKib));
            std::uint64_t hits = 0;
            for (int round = 0; round < 2; ++round) {
                hits = 0;
                for (std::uint64_t line = 0; line < asked; ++line) hits += there(cache, line);
            }
            return hits;
        };
        EXPECT_EQ(kept(lines), lines) << kib;
        EXPECT_LT(kept(lines + 16), lines) << kib;
        EXPECT_GT(kept(lines + 16), lines * 3 / 4) << kib << ": what goes is of some sets only";
        EXPECT_LE(kept(3 * lines), lines) << kib;
    }
    CacheLevel none(first_level_shape(0));
    EXPECT_FALSE(there(none, 1));
    EXPECT_FALSE(there(none, 1));
}

// However few lines there is room for, one more goes.
TEST(FirstLevel, KeepsTheLastLineAtLeast) {
    for (std::uint64_t lines = 1; lines <= 8; ++lines) {
        CacheLevel cache(first_level_shape(lines * kLineBytes));
        for (const std::uint64_t line : {0, 0, 625, 625, 1051, 1051, 1642, 2422, 2422})
            (void)there(cache, line);
        EXPECT_TRUE(there(cache, 2422)) << lines;
        int had = 0;
        for (const std::uint64_t line : {0, 625, 1051, 1642}) had += there(cache, line);
        EXPECT_LT(had, std::max<int>(int(lines), 4)) << lines;
    }
}

// Lines anywhere of which three or four drive another one out on an H200, by their numbers there.
TEST(FirstLevel, SetsAreThoseThatAnH200HasFarAway) {
    constexpr std::uint64_t kFirst = 0x7f6842000000 / kLineBytes;
    const auto set = [&](std::uint64_t line) { return first_level_set(kFirst + line); };
    for (const std::uint64_t line : {309222, 90951, 830106, 902849}) EXPECT_EQ(set(line), set(0)) << line;
    for (const std::uint64_t line : {947157, 202369, 263650, 923914})
        EXPECT_EQ(set(line), set(49380)) << line;
    EXPECT_EQ(set(1 << 9 | 1 << 15 | 1 << 19), set(0));
    EXPECT_EQ(set(1 << 1 | 1 << 7 | 1 << 22), set(0));
}

// Each line has one place, and a place one line, also where lines have made room.
TEST(FirstLevel, SaysWhichPlacesWereLeft) {
    CacheLevel cache(first_level_shape(28 * kKib));
    std::vector<std::uint64_t> line_at(cache.places(), ~0ull);
    std::uint64_t number = 1;
    int left = 0;
    for (int i = 0; i < 20000; ++i) {
        number = number * 6364136223846793005U + 1442695040888963407U;
        const std::uint64_t line = number >> 33 & 1023;
        const bool known = std::find(line_at.begin(), line_at.end(), line) != line_at.end();
        const CacheLevel::Taken taken = cache.take({line, 1});
        ASSERT_EQ(taken.missing == 0, known) << i;
        ASSERT_EQ(taken.known, known) << i;
        ASSERT_EQ(taken.evicted == taken.place, !known && line_at[taken.place] != ~0ull) << i;
        line_at[taken.place] = line;
        if (taken.evicted == CacheLevel::kNowhere || taken.evicted == taken.place) continue;
        ASSERT_NE(line_at[taken.evicted], ~0ull) << i;
        line_at[taken.evicted] = ~0ull;
        ++left;
    }
    EXPECT_GT(left, 1000);
}

}  // namespace
}  // namespace ws
