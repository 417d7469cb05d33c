// Where a result differs from its definition: by place in a block's tile, gathered to clusters, and walked.

#include "gpu/engine/difference.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "gpu/engine/wrong_places.h"

namespace ws {
namespace {

const Buffer kGray{"gray"};
constexpr std::uint8_t kRight = 10;

// A gray picture that is right but for some pixels.
class Wrong {
  public:
    explicit Wrong(Extent size) : size_(size), bytes_(size.pixels(), kRight) {}
    Wrong& at(int column, int row, int value = 20) {
        bytes_[std::size_t(row) * std::size_t(size_.width) + std::size_t(column)] = std::uint8_t(value);
        return *this;
    }
    [[nodiscard]] Difference in_tiles(Extent tile) const {
        return difference_of(kGray, size_, bytes_, HostBytes(size_.pixels(), kRight), tile);
    }

  private:
    Extent size_;
    HostBytes bytes_;
};

TEST(Difference, CountsByColumnRowAndPlaceOfTheTile) {
    Wrong wrong({70, 10});
    // Column 3, row 1 of each tile of 32 x 4 that has it: 3 across (6 columns of the last), 3 down.
    for (int row = 1; row < 10; row += 4) {
        for (int column = 3; column < 70; column += 32) wrong.at(column, row);
    }
    const Difference d = wrong.in_tiles({32, 4});
    EXPECT_EQ(d.wrong, 9u);
    EXPECT_EQ(d.largest, 10);
    ASSERT_EQ(d.by_place.size(), 128u);
    for (std::size_t i = 0; i < d.by_place.size(); ++i)
        EXPECT_FLOAT_EQ(d.by_place[i], i == 32 + 3 ? 1.0f : 0.0f) << i;
    // Of 10 rows 3 have this place of the tile; of 70 columns as many.
    EXPECT_FLOAT_EQ(d.by_column[3], 9.0f / (3 * 10));
    EXPECT_FLOAT_EQ(d.by_row[1], 9.0f / (3 * 70));
    EXPECT_EQ(std::count(d.by_column.begin(), d.by_column.end(), 0.0f), 31);
    EXPECT_EQ(std::count(d.by_row.begin(), d.by_row.end(), 0.0f), 3);
}

TEST(Difference, SquaresAreFewAndHaveEveryWrongPixel) {
    for (const Extent size :
         {Extent{1, 1}, Extent{127, 6}, Extent{128, 128}, Extent{129, 5}, Extent{3648, 2736}}) {
        Wrong wrong(size);
        std::uint64_t made = 0;
        for (int i = 0; i < 50; ++i) {
            wrong.at(i * 7919 % size.width, i * 104729 % size.height, 11 + i);
        }
        const Difference d = wrong.in_tiles({8, 8});
        const WrongPlaces& where = d.where;
        EXPECT_LE(std::max(where.cells.width, where.cells.height), kMostCells);
        EXPECT_GE(where.cells.width * where.side, size.width);
        EXPECT_GE(where.cells.height * where.side, size.height);
        ASSERT_EQ(where.cell.size(), where.cells.pixels());
        for (const WrongCell& cell : where.cell) made += cell.count;
        EXPECT_EQ(made, d.wrong) << size.width;
    }
}

TEST(Difference, ClustersAreWhatTouches) {
    Wrong wrong({1280, 1280});             // squares of 10
    wrong.at(5, 5).at(12, 14).at(25, 25);  // three squares along a diagonal
    wrong.at(600, 700);                    // alone
    const Difference d = wrong.in_tiles({32, 8});
    ASSERT_EQ(d.where.clusters.size(), 2u);
    const WrongCluster& large = d.where.clusters[0];
    EXPECT_EQ(large.count, 3u);
    EXPECT_EQ(large.left, 5);
    EXPECT_EQ(large.top, 5);
    EXPECT_EQ(large.right, 25);
    EXPECT_EQ(large.bottom, 25);
    EXPECT_EQ(d.where.clusters[1].left, 600);
    EXPECT_EQ(d.where.clusters[1].right, 600);
    EXPECT_EQ(d.where.clusters[1].bottom, 700);
    // Everything wrong is one cluster, and many are no more than can be drawn.
    Wrong all({300, 200});
    for (int row = 0; row < 200; ++row) {
        for (int column = 0; column < 300; ++column) all.at(column, row);
    }
    EXPECT_EQ(all.in_tiles({32, 4}).where.clusters.size(), 1u);
    Wrong many({128, 128});
    for (int row = 0; row < 128; row += 4) {
        for (int column = 0; column < 128; column += 4) many.at(column, row);
    }
    EXPECT_EQ(many.in_tiles({32, 4}).where.clusters.size(), kMostClusters);
}

TEST(Difference, TheNextWrongPlaceGoesRound) {
    Wrong wrong({1280, 1280});
    wrong.at(5, 5).at(7, 5).at(600, 3).at(20, 700);
    const WrongPlaces where = wrong.in_tiles({32, 8}).where;
    const std::optional<Place> first = next_wrong(where, std::nullopt, 1);
    ASSERT_TRUE(first);
    EXPECT_EQ(*first, (Place{5, 5})) << "(7, 5) lies in its square";
    const Place second = *next_wrong(where, first, 1);
    EXPECT_EQ(second, (Place{600, 3}));
    const Place third = *next_wrong(where, second, 1);
    EXPECT_EQ(third, (Place{20, 700}));
    EXPECT_EQ(*next_wrong(where, third, 1), *first);
    EXPECT_EQ(*next_wrong(where, *first, -1), third);
    EXPECT_EQ(*next_wrong(where, std::nullopt, -1), third) << "backwards from nowhere: the last";
    EXPECT_EQ(*next_wrong(where, Place{-50, 99999}, 1), *first) << "from outside of the picture";
    EXPECT_FALSE(next_wrong(Wrong({64, 64}).in_tiles({8, 8}).where, std::nullopt, 1)) << "nothing is wrong";
    EXPECT_FALSE(next_wrong({}, std::nullopt, 1));
}

}  // namespace
}  // namespace ws
