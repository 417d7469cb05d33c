#include "gpu/labs/matmul/matmul.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "gpu/core/thread_pool.h"

namespace ws::matmul {
namespace {

StepKernel kernel(std::string_view name, Block block) {
    return {name, block, CachePreference::shared};
}

// Number, title, what changed, why; the kernel; knobs.
const std::vector<Version>& versions() {
    static const std::vector<Version> kVersions{
        {1,
         "naive",
         "A thread computes one element; the lanes of a warp lie below each other.",
         "The formula as it is written: 32 sectors a load of A, two loads a multiply-add.",
         {{"matmul_m1", Block{32, 8}, CachePreference::l1}},
         {}},
        {2,
         "coalesced",
         "The lanes of a warp lie beside each other.",
         "A load of B is 4 sectors, one of A a single one.",
         {{"matmul_m2", Block{32, 8}, CachePreference::l1}},
         {}},
        {3,
         "tiles in shared memory",
         "A block copies a tile of A and one of B to shared memory and multiplies from there.",
         "An element comes from global memory once for 32 results; shared memory serves the rest.",
         {kernel("matmul_m3", {32, 32})},
         {}},
        {4,
         "a column in registers",
         "A thread computes 8 elements below each other.",
         "An element of B is loaded once for 8 multiply-adds.",
         {kernel("matmul_m4", {64, 8})},
         {}},
        {5,
         "a tile in registers",
         "A thread computes 8 x 8 elements.",
         "An element that is loaded serves 8 multiply-adds: the FMA pipe becomes the limit.",
         {kernel("matmul_m5", {16, 16})},
         {}},
        {6,
         "words of 16 bytes",
         "Global and shared memory are read in words of 16 bytes; A lies turned in shared memory.",
         "4 loads for 64 multiply-adds.",
         {kernel("matmul_m6", {16, 16})},
         {}},
        {7,
         "warp tiles",
         "The threads of a warp lie 8 across and 4 down, in squares of 2 x 2.",
         "Neighbouring lanes share what they load: 2 wavefronts a load of 16 bytes a lane, not 4.",
         {kernel("matmul_m6", {16, 16})},
         {{"WARP_TILES", 1}}},
        {8,
         "double buffering",
         "The next step's tiles are loaded into registers while a block multiplies.",
         "The wait for global memory lies under the multiply-adds; one barrier a step.",
         {kernel("matmul_m7", {16, 16})},
         {}},
        {9,
         "asynchronous copies",
         "Tiles are copied straight to shared memory, STAGES - 1 steps ahead.",
         "No register and no store for what is under way.",
         {kernel("matmul_m8", {16, 16})},
         {}},
    };
    return kVersions;
}

// Whole numbers from -8 to 7 without order: sums of products are exact in float32 up to 2^18 of them, in any
// order, so that the result is defined to the bit.
void fill(std::size_t count, std::uint32_t seed, std::uint8_t* out) {
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t number = std::uint32_t(i) + seed;
        number = (number ^ number >> 16) * 0x7FEB352Du;
        number = (number ^ number >> 15) * 0x846CA68Bu;
        const auto value = float(int((number ^ number >> 16) >> 28) - 8);
        std::memcpy(out + 4 * i, &value, sizeof value);
    }
}

void make_b(Extent size, const KnobValues& /*knobs*/, std::uint8_t* out) {
    fill(size.pixels(), 0, out);
}

void make_a(int /*buffer*/, Extent size, const KnobValues& /*knobs*/, std::uint8_t* out) {
    constexpr std::uint32_t kSeed = 0x9E3779B9u;
    fill(Extent{size.height, size.height}.pixels(), kSeed, out);
}

std::vector<float> floats_of(const PixelBytes& bytes) {
    std::vector<float> floats(bytes.size() / sizeof(float));
    std::memcpy(floats.data(), bytes.data(), bytes.size());
    return floats;
}

constexpr std::size_t kTogether = 4;  // rows of B that are taken at a time

// sums += factors x rows of B, all exact: SIMD and any order give the same.
void add_rows(const std::array<float, kTogether>& factors, const std::array<const float*, kTogether>& rows,
              std::size_t width, float* sums) {
    const float* const row0 = rows[0];
    const float* const row1 = rows[1];
    const float* const row2 = rows[2];
    const float* const row3 = rows[3];
    for (std::size_t x = 0; x < width; ++x)
        sums[x] += factors[0] * row0[x] + factors[1] * row1[x] + factors[2] * row2[x] + factors[3] * row3[x];
}

// A few rows of C at a time, so that those of B come from a cache.
void native_whole(ThreadPool& pool, const Problem& problem, int /*buffer*/, std::uint8_t* out) {
    constexpr std::size_t kRows = 16;
    const auto width = std::size_t(problem.size.width);
    const auto depth = std::size_t(problem.size.height);
    const std::vector<float> a = floats_of(*problem.content_of(buffer::a));
    const std::vector<float> b = floats_of(*problem.content_of(buffer::b));
    const auto multiply = [&](std::size_t top, std::size_t rows) {
        std::vector<float> sums(rows * width);
        for (std::size_t k = 0; k < depth; k += kTogether) {
            for (std::size_t row = 0; row < rows; ++row) {
                std::array<float, kTogether> factors{};
                std::array<const float*, kTogether> rows_of_b{};
                for (std::size_t i = 0; i < kTogether; ++i) {
                    const bool inside = k + i < depth;
                    factors[i] = inside ? a[(top + row) * depth + k + i] : 0;
                    rows_of_b[i] = b.data() + (inside ? k + i : k) * width;
                }
                add_rows(factors, rows_of_b, width, sums.data() + row * width);
            }
        }
        std::memcpy(out + 4 * top * width, sums.data(), 4 * sums.size());
    };
    pool.for_slices(int((depth + kRows - 1) / kRows), [&](int first, int last) {
        for (std::size_t top = kRows * std::size_t(first); top < std::min(depth, kRows * std::size_t(last));
             top += kRows)
            multiply(top, std::min(kRows, depth - top));
    });
}

// Of a multiply-add two.
double float_operations(Extent size) {
    return 2.0 * double(size.pixels()) * size.height;
}

Lab make() {
    using Kind = Argument::Kind;
    Lab lab;
    lab.id = "matmul";
    lab.title = "matrix multiplication";
    lab.question =
        "How close to the peak of the FMA pipe does a matrix multiplication come, and what limits it?";
    lab.buffers = {{"b", Element::float32, Content::made},
                   {.name = "a", .element = Element::float32, .content = Content::made, .square = true},
                   {"c", Element::float32}};
    lab.steps = {{"product", "sgemm"}};
    lab.by_weight = {0};
    const std::vector<Argument> arguments{{Kind::input, buffer::a},
                                          {Kind::input, buffer::b},
                                          {Kind::output, buffer::c},
                                          {Kind::width, -1},
                                          {Kind::height, -1}};
    lab.views = {{.name = "source", .title = "matrix B", .shows = buffer::b, .ways = {}, .key = 'r'},
                 {.name = "result",
                  .title = "the result",
                  .shows = buffer::c,
                  .first = true,
                  .ways = {{{0, arguments}}},
                  .key = 'e'}};
    lab.versions = versions();
    lab.presets = {Block{8, 8}, Block{16, 8}, Block{16, 16}, Block{32, 8}, Block{32, 32}};
    for (const int side : {128, 256, 512, 1024, 2048, 4096, 8192}) lab.sizes.swept.push_back({side, side});
    lab.sizes.first = {1024, 1024};
    lab.native = {nullptr, native_whole, float_operations};
    lab.made_input.make = make_b;
    lab.made_input.make_further = make_a;
    return lab;
}

}  // namespace

const Lab& lab() {
    static const Lab kLab = make();
    return kLab;
}

}  // namespace ws::matmul
