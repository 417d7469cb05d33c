// The addresses of a warp that a person chooses are those that the kernel's arithmetic gives, computed here
// on its own: in the middle, at every edge, for blocks of several shapes.

#include "gpu/engine/example_book.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "gpu/engine/engine.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/labs.h"
#include "gpu/labs/transpose/transpose.h"
#include "tests/shared_engine.h"

namespace ws {
namespace {

constexpr Extent kPicture{100, 37};
constexpr Extent kMatrix{100, 70};

Engine& engine() {
    return engine_with_picture(kPicture, "a picture.jpg");
}

Work work_of(const Lab& lab, int version, int step, Block block) {
    Work work = with_version(first_work(lab), version_of(lab, version));
    if (!lab.takes_picture()) work.size = kMatrix;
    work.device = DeviceKind::simt;
    work.block(step) = block;
    return work;
}

// The step as it looks at a warp; none: the one that counting has kept.
const StepSnapshot& look_at(const Work& work, int step, std::optional<WarpPlace> at) {
    Beside beside;
    beside.warp = WarpWish{step, at};
    engine().prepare(work, beside);
    engine().wait_for_counts();
    return engine().snapshot().steps[std::size_t(step)];
}

// Lanes, and the first element of each in its buffer.
struct Request {
    bool store = false;
    std::map<int, std::int64_t> lanes;
    friend auto operator<=>(const Request&, const Request&) = default;
};

// Where a thread reads and writes, one request after the other; nothing where it takes no part.
using Thread = std::function<std::vector<std::pair<bool, std::optional<std::int64_t>>>(int x, int y)>;

std::multiset<Request> expected(const WarpGrid& grid, int warp, const Thread& thread) {
    std::vector<Request> requests;
    for (int lane = 0; lane < 32; ++lane) {
        const int number = warp * 32 + lane;
        if (number >= grid.block.threads()) continue;
        const auto does = thread(number % grid.block.x, number / grid.block.x);
        requests.resize(std::max(requests.size(), does.size()));
        for (std::size_t i = 0; i < does.size(); ++i) {
            requests[i].store = does[i].first;
            if (does[i].second) requests[i].lanes[lane] = *does[i].second;
        }
    }
    std::multiset<Request> made;
    for (Request& request : requests) {
        if (!request.lanes.empty()) made.insert(std::move(request));
    }
    return made;
}

std::multiset<Request> found(const BlockExamples& block, int warp, int element_bytes) {
    std::multiset<Request> made;
    for (const AccessExample& access : block.of_warp(warp)) {
        if (access.shared || access.mask == 0) continue;
        Request request{access.store, {}};
        for (int lane = 0; lane < 32; ++lane) {
            if (access.mask >> lane & 1)
                request.lanes[lane] =
                    std::int64_t(access.addresses[std::size_t(lane)] - access.base) / element_bytes;
        }
        made.insert(std::move(request));
    }
    return made;
}

// Corners, edges, the middle; and what lies beyond, which stands for the nearest.
std::vector<WarpPlace> places_in(const WarpGrid& grid) {
    const int right = grid.grid.width - 1;
    const int bottom = grid.grid.height - 1;
    return {{0, 0, 0},
            {right, 0, 0},
            {0, bottom, 0},
            {right, bottom, 0},
            {right / 2, 0, 0},
            {right, bottom / 2, 0},
            {right / 2, bottom / 2, 0},
            {9999, bottom, 0},
            {right / 2, 9999, 0},
            {9999, 9999, 9999}};
}

// Of the work's step: all warps of all those blocks.
void expect_as_computed(const Work& work, int step, int element_bytes,
                        const std::function<Thread(const WarpGrid&, const WarpPlace&)>& threads) {
    const WarpGrid grid = look_at(work, step, std::nullopt).counts.warp.grid;
    ASSERT_TRUE(grid.covers());
    for (const WarpPlace& place : places_in(grid)) {
        const ChosenWarp& shown = look_at(work, step, place).counts.warp;
        ASSERT_TRUE(shown.examples) << english(shown.problem);
        EXPECT_FALSE(shown.stale);
        EXPECT_EQ(shown.at, grid.clamped(place));
        EXPECT_EQ(shown.examples->key.block_x, shown.at.block_x);
        for (int warp = 0; warp < grid.warps(); ++warp)
            EXPECT_EQ(found(*shown.examples, warp, element_bytes),
                      expected(grid, warp, threads(grid, shown.at)))
                << "block " << shown.at.block_x << ", " << shown.at.block_y << ", warp " << warp;
    }
}

#define SKIP_WITHOUT_COMPILER()                   \
    engine().prepare(first_work(filters::lab())); \
    if (engine().snapshot().compiler.missing) GTEST_SKIP() << "there is no compiler here"

// V0 reads the 49 pixels around each, where there are such, and writes one.
TEST(ExampleBook, ABlurOfOnePixelAThread) {
    SKIP_WITHOUT_COMPILER();
    for (const Block block : {Block{8, 8}, Block{32, 2}, Block{5, 7}, Block{64, 1}}) {
        const Work work = work_of(filters::lab(), 0, filters::step::blur, block);
        expect_as_computed(work, filters::step::blur, 1, [](const WarpGrid& grid, const WarpPlace& at) {
            return [=](int thread_x, int thread_y) {
                std::vector<std::pair<bool, std::optional<std::int64_t>>> does;
                const int x = at.block_x * grid.block.x + thread_x;
                const int y = at.block_y * grid.block.y + thread_y;
                const bool takes_part = x < kPicture.width && y < kPicture.height;
                for (int row = y - 3; row <= y + 3; ++row) {
                    for (int column = x - 3; column <= x + 3; ++column) {
                        const bool inside = takes_part && column >= 0 && column < kPicture.width &&
                                            row >= 0 && row < kPicture.height;
                        does.emplace_back(false,
                                          inside ? std::optional<std::int64_t>(row * kPicture.width + column)
                                                 : std::nullopt);
                    }
                }
                does.emplace_back(
                    true, takes_part ? std::optional<std::int64_t>(y * kPicture.width + x) : std::nullopt);
                return does;
            };
        });
    }
}

// A tile of 32 x 32, by rows of threads: read along rows, written down columns (V3), or through shared memory
// (V9, whose blocks go along diagonals).
Thread transposing(int column_of_tile, int row_of_tile, Block block, bool through_tile) {
    return [=](int thread_x, int thread_y) {
        std::vector<std::pair<bool, std::optional<std::int64_t>>> does;
        constexpr int kTile = 32;
        const int left = column_of_tile * kTile;
        const int top = row_of_tile * kTile;
        for (int j = 0; j < kTile; j += block.x) {
            for (int i = 0; i < kTile; i += block.y) {
                const int x = left + thread_x + j;
                const int y = top + thread_y + i;
                const bool reads = x < kMatrix.width && y < kMatrix.height;
                does.emplace_back(false,
                                  reads ? std::optional<std::int64_t>(y * kMatrix.width + x) : std::nullopt);
                // The element that goes to a row of the target lies in a column of the tile.
                const int from_x = through_tile ? left + thread_y + i : x;
                const int from_y = through_tile ? top + thread_x + j : y;
                const bool writes = from_x < kMatrix.width && from_y < kMatrix.height;
                does.emplace_back(true, writes ? std::optional<std::int64_t>(from_x * kMatrix.height + from_y)
                                               : std::nullopt);
            }
        }
        return does;
    };
}

TEST(ExampleBook, ATransposeOfTiles) {
    SKIP_WITHOUT_COMPILER();
    for (const Block block : {Block{32, 8}, Block{16, 4}, Block{32, 32}}) {
        for (const int version : {3, 9}) {
            const Work work = work_of(transpose::lab(), version, transpose::step::transpose, block);
            expect_as_computed(
                work, transpose::step::transpose, 4, [&](const WarpGrid& grid, const WarpPlace& at) {
                    if (version == 3) return transposing(at.block_x, at.block_y, block, false);
                    // As the kernel counts its blocks.
                    const int number = at.block_y * grid.grid.width + at.block_x;
                    const int row = number % grid.grid.height;
                    return transposing((number / grid.grid.height + row) % grid.grid.width, row, block, true);
                });
        }
    }
}

bool same_addresses(const AccessExample& a, const AccessExample& b) {
    for (std::size_t lane = 0; lane < 32; ++lane) {
        if ((a.mask >> lane & 1) && a.addresses[lane] != b.addresses[lane]) return false;
    }
    return true;
}

TEST(ExampleBook, TheSampleStaysAsItIs) {
    SKIP_WITHOUT_COMPILER();
    const int step = filters::step::blur;
    const Work work = work_of(filters::lab(), 0, step, {8, 8});
    const StepSnapshot plain = look_at(work, step, std::nullopt);
    ASSERT_TRUE(plain.counts.result && plain.counts.warp.examples);
    // Without a choice it is the block that counting has kept, with the same addresses.
    const AccessExample& kept = plain.counts.result->counters->accesses.front();
    EXPECT_EQ(plain.counts.warp.at, (WarpPlace{kept.block_x, kept.block_y, kept.warp}));
    for (const AccessExample& access : plain.counts.result->counters->accesses) {
        const auto own = plain.counts.warp.examples->of_warp(access.warp);
        EXPECT_TRUE(std::any_of(own.begin(), own.end(),
                                [&](const AccessExample& one) {
                                    return one.site == access.site && one.mask == access.mask &&
                                           same_addresses(one, access) && one.sectors == access.sectors &&
                                           one.buffer == access.buffer && one.base == access.base;
                                }))
            << "line " << access.line;
    }
    const StepSnapshot other = look_at(work, step, WarpPlace{kept.block_x + 1, kept.block_y, 1});
    EXPECT_EQ(other.counts.result->counters, plain.counts.result->counters) << "nothing is counted anew";
    EXPECT_NE(other.counts.warp.examples, plain.counts.warp.examples);
    const StepSnapshot again = look_at(work, step, std::nullopt);
    EXPECT_EQ(again.counts.warp.examples, plain.counts.warp.examples) << "what is known is not run again";
    // Where nothing is looked at, nothing is kept.
    engine().prepare(work);
    EXPECT_FALSE(engine().snapshot().steps[std::size_t(step)].counts.warp.examples);
}

// Until the new ones are there, the last ones stand, marked.
TEST(ExampleBook, StaleUntilTheNewOnesCome) {
    SKIP_WITHOUT_COMPILER();
    const int step = filters::step::blur;
    const Work work = work_of(filters::lab(), 0, step, {8, 8});
    (void)look_at(work, step, WarpPlace{1, 1, 0});
    Beside beside;
    beside.warp = WarpWish{step, WarpPlace{3, 3, 1}};
    engine().prepare(work, beside);
    const ChosenWarp& between = engine().snapshot().steps[std::size_t(step)].counts.warp;
    EXPECT_EQ(between.at, (WarpPlace{3, 3, 1}));
    if (between.stale) {  // else the simulated GPU was faster than this line
        ASSERT_TRUE(between.examples);
        EXPECT_EQ(between.examples->key.block_x, 1);
        EXPECT_TRUE(engine().simulating()) << "a window waits for them";
    }
    engine().wait_for_counts();
    EXPECT_FALSE(engine().snapshot().steps[std::size_t(step)].counts.warp.stale);
}

TEST(ExampleBook, TheBaselinesWarpComputesTheSamePlace) {
    SKIP_WITHOUT_COMPILER();
    const int step = filters::step::blur;
    const Work work = work_of(filters::lab(), 5, step, {32, 8});
    PinnedWork pinned{work_of(filters::lab(), 3, step, {8, 16}), engine().input()};
    Beside beside{&pinned, false, false};
    for (const WarpPlace at : {WarpPlace{0, 0, 0}, WarpPlace{2, 1, 5}, WarpPlace{3, 4, 7}}) {
        beside.warp = WarpWish{step, at};
        engine().prepare(work, beside);
        engine().wait_for_counts();
        const StepSnapshot& shown = engine().snapshot().steps[std::size_t(step)];
        ASSERT_TRUE(shown.counts.warp.examples && shown.counts.base_warp.examples);
        const int x = std::min(at.block_x * 32, kPicture.width - 1);
        const int y = std::min(at.block_y * 8 + at.warp, kPicture.height - 1);
        EXPECT_EQ(shown.counts.base_warp.at, (WarpPlace{x / 8, y / 16, y % 16 / 4})) << at.block_x;
        EXPECT_EQ(shown.counts.base_warp.examples->key.counts, shown.counts.baseline.result->key);
    }
}

// Every tile has one block, and back.
TEST(WarpGrid, TilesAndBlocksGoBothWays) {
    for (const TileOrder order : {TileOrder::rows, TileOrder::columns, TileOrder::diagonals}) {
        for (const Extent grid : {Extent{1, 1}, Extent{7, 3}, Extent{3, 7}, Extent{5, 5}, Extent{1, 9}}) {
            std::set<std::uint64_t> blocks;
            for (int row = 0; row < grid.height; ++row) {
                for (int column = 0; column < grid.width; ++column) {
                    const std::uint64_t block = block_of_tile(order, grid, column, row);
                    blocks.insert(block);
                    EXPECT_EQ(tile_of_block(order, grid, block), std::pair(column, row)) << int(order);
                }
            }
            EXPECT_EQ(blocks.size(), grid.pixels());
            EXPECT_LT(*blocks.rbegin(), grid.pixels());
        }
    }
}

TEST(WarpGrid, WhatLiesOutsideStandsForTheNearest) {
    const WarpGrid grid{{100, 37}, {4, 5}, {32, 8}, {16, 4}, 1, TileOrder::rows};
    EXPECT_TRUE(grid.covers());
    EXPECT_EQ(grid.warps(), 2);
    EXPECT_EQ(grid.clamped({-1, 7, 2}), (WarpPlace{0, 4, 1}));
    EXPECT_EQ(grid.holding({-5, -5}), (WarpPlace{0, 0, 0}));
    EXPECT_EQ(grid.holding({1000, 1000}), (WarpPlace{3, 4, 1})) << "row 36 is the fifth of its tile";
    EXPECT_EQ(grid.holding({33, 15}), (WarpPlace{1, 1, 1}));
    for (int block = 0; block < 20; ++block) {
        for (int warp = 0; warp < 2; ++warp) {
            const WarpPlace at{block % 4, block / 4, warp};
            const Element2d element = grid.element_of(at);
            if (element.y >= 37) continue;
            EXPECT_EQ(grid.holding(element), at);
        }
    }
    EXPECT_FALSE((WarpGrid{{100, 37}, {4, 4}, {32, 8}, {32, 8}, 1, TileOrder::rows}).covers());
}

}  // namespace
}  // namespace ws
