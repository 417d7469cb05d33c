#include "gpu/analysis/number_table.h"

#include <gtest/gtest.h>

#include <map>

namespace ws {
namespace {

// Numbers as lines have them: in a row, a power of two apart, and anywhere.
std::vector<std::uint64_t> numbers() {
    std::vector<std::uint64_t> made;
    for (std::uint64_t i = 0; i < 1000; ++i)
        made.insert(made.end(), {i, i << 12, i * i * 0x9e3779b97f4a7c15U});
    return made;
}

TEST(NumberTable, HasWhatAMapHas) {
    NumberTable<int> table;
    std::map<std::uint64_t, int> map;
    EXPECT_EQ(table.find(0), nullptr);
    int value = 0;
    for (const std::uint64_t number : numbers()) {
        table[number] += ++value;
        map[number] += value;
    }
    ASSERT_EQ(table.size(), map.size());
    for (const auto& [number, expected] : map) {
        ASSERT_NE(table.find(number), nullptr) << number;
        EXPECT_EQ(*table.find(number), expected) << number;
    }
    EXPECT_EQ(table.find(1001), nullptr);
    std::map<std::uint64_t, int> each;
    table.for_each([&](std::uint64_t number, int one) { each[number] += one; });
    EXPECT_EQ(each, map) << "each once";
}

TEST(NumberTable, WhatAnotherOneHasFindsItsPlaceInRoomThatIsThere) {
    NumberTable<int> first;
    for (const std::uint64_t number : numbers()) first[number] = 1;
    NumberTable<int> second;
    second.reserve(first.size());
    first.for_each([&](std::uint64_t number, int one) { second[number] = one; });
    EXPECT_EQ(second.size(), first.size());
    for (const std::uint64_t number : numbers()) EXPECT_NE(second.find(number), nullptr) << number;
}

}  // namespace
}  // namespace ws
