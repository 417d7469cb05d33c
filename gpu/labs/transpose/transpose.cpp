#include "gpu/labs/transpose/transpose.h"

#include <algorithm>
#include <cstring>

#include "gpu/core/thread_pool.h"
#include "gpu/labs/lectures.h"

namespace ws::transpose {
namespace {

constexpr Block k32x8{32, 8};
constexpr auto kShared = CachePreference::shared;
constexpr auto kL1 = CachePreference::l1;
constexpr auto kBanks = BankWidth::standard;
const StepKernel kNone{};

// Number, title, what changed, why; the kernel that copies, the one that transposes and the one that fills,
// of which a version has one.
const std::vector<Version>& versions() {
    static const std::vector<Version> kVersions{
        {1,
         "plain copy",
         "No transpose: a row of the source to the same row of the target.",
         "The bytes that a transpose moves, and the time that they take at best: the line to hold the others "
         "against.",
         {{"transpose_t1", k32x8, kL1, kBanks}, kNone, kNone},
         {}},
        {2,
         "copy down the columns",
         "Lanes lie below each other: both ways are strided.",
         "What both ways cost together; V3 and V4 have one strided way each.",
         {{"transpose_t2", k32x8, kL1, kBanks}, kNone, kNone},
         {}},
        {3,
         "naive, strided writes",
         "A row of the source to a column of the target.",
         "The formula as it is written: 32 sectors a store instead of 4.",
         {kNone, {"transpose_t3", k32x8, kL1, kBanks}, kNone},
         {}},
        {4,
         "naive, strided reads",
         "A column of the source to a row of the target.",
         "L1 can keep what is read until the neighbouring warps need it, never what is stored.",
         {kNone, {"transpose_t4", k32x8, kL1, kBanks}, kNone},
         {}},
        {5,
         "copy within tiles",
         "No transpose: a copy whose elements pass through a tile in shared memory.",
         "The price of shared memory and the barrier alone.",
         {{"transpose_t5", k32x8, kShared, kBanks}, kNone, kNone},
         {}},
        {6,
         "tile",
         "Rows go into a tile in shared memory, its columns leave as rows of the target.",
         "Global memory is read and written by rows; what is strided is shared memory, at 32-way bank "
         "conflicts (16-way "
         "on 1.x).",
         {kNone, {"transpose_t6", k32x8, kShared, kBanks}, kNone},
         {}},
        {7,
         "padded tile",
         "Each row of the tile is one element longer.",
         "The words of a column lie in 32 different banks: one wavefront instead of 32.",
         {kNone, {"transpose_t7", k32x8, kShared, kBanks}, kNone},
         {}},
        {8,
         "swizzled tile",
         "The element of column c, row r stands at column c ^ r.",
         "As free of conflicts as padding, without its memory, and rows still begin at multiples of 16 "
         "bytes.",
         {kNone, {"transpose_t8", k32x8, kShared, kBanks}, kNone},
         {}},
        {9,
         "diagonal blocks",
         "Blocks that run together take tiles along a diagonal.",
         "Before 2.0 they use all memory partitions instead of one. No gain since Fermi: addresses are "
         "hashed.",
         {kNone, {"transpose_t9", k32x8, kShared, kBanks}, kNone},
         {}},
        {10,
         "words of 16 bytes",
         "16-byte loads and stores everywhere, squares of 4 x 4 turned in registers, tile of 64 x 64; blocks "
         "go down the columns of tiles.",
         "A quarter of the requests, four times as many bytes in flight for each thread.",
         {kNone, {"transpose_t10", k32x8, kShared, kBanks}, kNone},
         {}},
        {11,
         "fill",
         "Nothing is read: x + y * width goes to each place.",
         "What writing costs alone, half of the bytes: the line to hold stores against.",
         {kNone, kNone, {"transpose_t11", k32x8, kL1, kBanks}},
         {}},
    };
    return kVersions;
}

Pass pass(int step, int to) {
    using Kind = Argument::Kind;
    return {step, {{Kind::input, buffer::source}, {Kind::output, to}, {Kind::width, -1}, {Kind::height, -1}}};
}

Pass fill_pass() {
    using Kind = Argument::Kind;
    return {step::fill, {{Kind::output, buffer::filled}, {Kind::width, -1}, {Kind::height, -1}}};
}

// Tiles, so that neither the rows that are read nor those that are written leave the cache too soon.
void turn(ThreadPool& pool, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    constexpr int kTile = 32;
    const auto width = std::size_t(size.width);
    const auto height = std::size_t(size.height);
    pool.for_slices((size.height + kTile - 1) / kTile, [&](int first, int last) {
        for (int top = first * kTile; top < std::min(last * kTile, size.height); top += kTile) {
            for (int left = 0; left < size.width; left += kTile) {
                for (int x = left; x < std::min(left + kTile, size.width); ++x) {
                    for (int y = top; y < std::min(top + kTile, size.height); ++y)
                        std::memcpy(out + 4 * (std::size_t(x) * height + std::size_t(y)),
                                    in + 4 * (std::size_t(y) * width + std::size_t(x)), 4);
                }
            }
        }
    });
}

void copy(ThreadPool& pool, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    const std::size_t row = 4 * std::size_t(size.width);
    pool.for_slices(size.height, [&](int first, int last) {
        std::memcpy(out + std::size_t(first) * row, in + std::size_t(first) * row,
                    std::size_t(last - first) * row);
    });
}

// Of each element its number, from 2^24 on the nearest that a float can hold.
void fill(ThreadPool& pool, Extent size, std::uint8_t* out) {
    pool.for_slices(size.height, [&](int first, int last) {
        const std::int32_t end = last * size.width;  // no matrix of the program has more elements
        for (std::int32_t i = first * size.width; i < end; ++i) {
            const auto number = float(i);
            std::memcpy(out + sizeof number * std::size_t(i), &number, sizeof number);
        }
    });
}

void native_step(ThreadPool& pool, int step, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    switch (step) {
        case step::copy:
            return copy(pool, size, in, out);
        case step::transpose:
            return turn(pool, size, in, out);
        default:
            return fill(pool, size, out);
    }
}

void native_whole(ThreadPool& pool, const Problem& problem, int buffer, std::uint8_t* out) {
    const int step = buffer == buffer::transposed ? step::transpose
                     : buffer == buffer::filled   ? step::fill
                                                  : step::copy;
    native_step(pool, step, problem.size, problem.input->data(), out);
}

// A lecture on GPU hardware performance: a GTX 280, blocks of 32 x 8; and a lab on shared memory with 32 x 32
// threads.
std::vector<PublishedFigure> figures() {
    std::vector<PublishedFigure> list;
    const auto add = [&](std::string_view gpu, std::string_view source, Extent size,
                         PublishedQuantity quantity, std::initializer_list<std::pair<int, double>> values) {
        for (const auto& [version, value] : values)
            list.push_back({version, gpu, source, size, quantity, value});
    };
    add("GTX 280", kHardwarePerformance, {4000, 4000}, PublishedQuantity::bandwidth,
        {{1, 112.4}, {2, 2.7}, {3, 5.3}, {5, 94.9}, {6, 75.1}, {7, 93.4}, {9, 80.0}});
    constexpr std::string_view kLab = "lab on shared memory, 32 x 32 threads";
    add("GTX 560 Ti", kLab, {8192, 8192}, PublishedQuantity::time,
        {{3, 34.543}, {6, 38.623}, {7, 26.967}, {11, 13.503}});
    add("GTX 650 Ti", kLab, {8192, 8192}, PublishedQuantity::time,
        {{3, 43.280}, {6, 37.940}, {7, 30.785}, {11, 13.890}});
    add("Tesla K40m", kLab, {8192, 8192}, PublishedQuantity::time,
        {{3, 8.3598}, {6, 7.5069}, {7, 5.9834}, {11, 2.5776}});
    return list;
}

Lab make() {
    Lab lab;
    lab.id = "transpose";
    lab.title = "matrix transpose";
    lab.question = "A transpose moves the same bytes as a copy. What makes it slower, and by how much?";
    lab.buffers = {{"source", Element::float32, Content::ramp},
                   {"copied", Element::float32},
                   {"transposed", Element::float32, Content::computed, true},
                   {"filled", Element::float32}};
    lab.steps = {{"copy", "transpose"}, {"transpose", "transpose"}, {"fill", "fill"}};
    lab.by_weight = {step::transpose, step::copy, step::fill};
    lab.views = {{.name = "source", .title = "the matrix", .shows = buffer::source, .ways = {}, .key = 'r'},
                 {.name = "result",
                  .title = "the result",
                  .shows = buffer::transposed,
                  .first = true,
                  .ways = {{pass(step::transpose, buffer::transposed)},
                           {pass(step::copy, buffer::copied)},
                           {fill_pass()}},
                  .key = 'e'}};
    lab.versions = versions();
    lab.presets = {Block{32, 8}, Block{32, 4}, Block{32, 16}, Block{32, 32}};
    for (const int side :
         {500, 512, 1000, 1024, 2000, 2048, 3000, 3584, 3840, 3968, 4000, 4096, 6000, 8192, 16384})
        lab.sizes.swept.push_back({side, side});
    lab.sizes.first = {4096, 4096};
    lab.bandwidth = true;
    lab.reach = 7;  // rows that a block of V10 reads above its own, at most
    lab.figures = figures();
    lab.native = {native_step, native_whole};
    return lab;
}

}  // namespace

const Lab& lab() {
    static const Lab kLab = make();
    return kLab;
}

}  // namespace ws::transpose
