#include "gpu/simt/byte_marks.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>

namespace ws::simt {
namespace {

constexpr std::uint16_t kFirst = 1, kOther = 0, kThird = 0x8003;

TEST(ByteMarks, AreAsAtFirstUntilTheyAreSet) {
    for (const std::uint16_t first : {kFirst, kOther, kThird}) {
        ByteMarks marks(1000, first);
        EXPECT_EQ(marks.count(first), 1000u);
        for (const std::uint16_t mark : {kOther, kFirst, kThird}) {
            marks.store(7, mark);
            EXPECT_EQ(marks.load(7), mark) << "first " << first;
            EXPECT_EQ(marks.count(first), mark == first ? 1000u : 999u);
            EXPECT_EQ(marks.find(mark), mark == first ? 0u : 7u);
        }
        EXPECT_EQ(marks.load(6), first);
        EXPECT_EQ(marks.load(8), first);
    }
}

TEST(ByteMarks, AreFoundWhereTheyAre) {
    ByteMarks marks(64, kFirst);
    EXPECT_EQ(marks.find(kThird), marks.size()) << "none has it";
    marks.fill(60, 4, kThird);
    marks.fill(30, 2, kOther);
    EXPECT_EQ(marks.find(kThird), 60u);
    EXPECT_EQ(marks.find(kOther), 30u);
    EXPECT_EQ(marks.count(kFirst), 58u);
    EXPECT_EQ(ByteMarks(0, kFirst).count(kFirst), 0u);
}

TEST(ByteMarks, OfALargerRegionKeepWhatTheyHave) {
    ByteMarks marks(10, kFirst);
    marks.store(9, kThird);
    marks.store(3, kOther);
    marks.grow(5);
    EXPECT_EQ(marks.size(), 10u) << "it does not become smaller";
    marks.grow(5000);
    EXPECT_EQ(marks.size(), 5000u);
    EXPECT_EQ(marks.load(9), kThird);
    EXPECT_EQ(marks.load(3), kOther);
    EXPECT_EQ(marks.count(kFirst), 4998u);
    for (std::size_t size = 5000; size < 12000; size += 7) {  // with room, and without
        marks.grow(size);
        ASSERT_EQ(marks.size(), size);
        ASSERT_EQ(marks.load(size - 1), kFirst);
        marks.store(size - 1, kThird);
    }
    EXPECT_EQ(marks.count(kThird), 1001u);
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

std::size_t resident_pages() {
    std::ifstream file("/proc/self/statm");
    std::size_t all = 0, resident = 0;
    file >> all >> resident;
    return resident;
}

TEST(ByteMarks, ThatStayAsAtFirstTakeNoMemory) {
    constexpr std::size_t kSize = std::size_t(1) << 28;  // 131,072 pages of marks
    const std::size_t before = resident_pages();
    ASSERT_GT(before, 0u);
    ByteMarks marks(kSize, kFirst);
    marks.store(kSize - 1, kThird);
    EXPECT_EQ(marks.load(kSize - 1), kThird);
    EXPECT_EQ(marks.load(kSize / 2), kFirst);
    EXPECT_LT(resident_pages() - before, 1000u);
}

#endif

}  // namespace
}  // namespace ws::simt
