#include "gpu/labs/banks/banks.h"

#include <algorithm>
#include <cstring>

#include "gpu/core/thread_pool.h"
#include "gpu/labs/lectures.h"

namespace ws::banks {
namespace {

constexpr std::size_t kGroup = 32;

StepKernel kernel(std::string_view name, BankWidth banks = BankWidth::standard) {
    return {name, Block{64, 1}, CachePreference::shared, banks};
}

// Number, title, what changed, why; the kernel; knobs.
const std::vector<Version>& versions() {
    static const std::vector<Version> kVersions{
        {1,
         "s[tid + offset]",
         "Lanes read 32 words next to each other, from any word on.",
         "They lie in 32 different banks: one wavefront, whatever the offset.",
         {kernel("banks_b1")},
         {}},
        {2,
         "s[tid * c]",
         "The words of the lanes are STRIDE words apart.",
         "The greatest common divisor of STRIDE and 32 lanes share a bank; odd strides are free.",
         {kernel("banks_b2")},
         {}},
        {3,
         "s[tid % c]",
         "The lanes read MODULO different words.",
         "Lanes on one word do not conflict: it is broadcast, from 2.0 on any number of words.",
         {kernel("banks_b3")},
         {}},
        {4,
         "rows of a tile",
         "Each lane sums up a row of a tile of 32 x 32.",
         "A column of the tile is one bank: 32-way conflicts (16-way on 1.x).",
         {kernel("banks_b4")},
         {}},
        {5,
         "rows of a padded tile",
         "Rows are one word longer.",
         "Rows begin in different banks: one wavefront instead of 32.",
         {kernel("banks_b4")},
         {{"PAD", 1}}},
        {6,
         "rows of a swizzled tile",
         "The element of column c, row r stands at column c ^ r.",
         "Free of conflicts, and no word is added.",
         {kernel("banks_b5")},
         {}},
        {7,
         "rows from the diagonal on",
         "Lane n reads its row from column n on and goes round.",
         "Only the order changes: no memory, no other layout.",
         {kernel("banks_b6")},
         {}},
        {8,
         "wide words",
         "Lanes read their rows in words of 1 to 16 bytes.",
         "16 bytes a lane are a quarter of the requests, of 4 wavefronts each; padding must fit the word.",
         {kernel("banks_b7")},
         {}},
        {9,
         "banks of 8 bytes",
         "Words of 8 bytes, and on Kepler banks of 8 bytes.",
         "One wavefront serves 32 words of 8 bytes there; no other GPU has the choice.",
         {kernel("banks_b7", BankWidth::eight_bytes)},
         {{"WORD_LOG2", 3}, {"PAD", 2}}},
    };
    return kVersions;
}

// Every element becomes the sum of its group of 32.
void native_step(ThreadPool& pool, int /*step*/, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    const std::size_t count = size.pixels();
    const auto groups = int((count + kGroup - 1) / kGroup);
    pool.for_slices(groups, [&](int first, int last) {
        for (auto group = std::size_t(first); group < std::size_t(last); ++group) {
            const std::size_t begin = group * kGroup;
            const std::size_t end = std::min(begin + kGroup, count);
            std::uint32_t sum = 0;
            for (std::size_t i = begin; i < end; ++i) {
                std::uint32_t number = 0;
                std::memcpy(&number, in + 4 * i, sizeof number);
                sum += number;
            }
            for (std::size_t i = begin; i < end; ++i) std::memcpy(out + 4 * i, &sum, sizeof sum);
        }
    });
}

void native_whole(ThreadPool& pool, const Problem& problem, int /*buffer*/, std::uint8_t* out) {
    native_step(pool, 0, problem.size, problem.input->data(), out);
}

// What the lectures say of conflicts: 32 banks from 2.0 on, before that 16 for half a warp.
std::vector<PublishedFigure> figures() {
    std::vector<PublishedFigure> list;
    const auto add = [&](std::string_view source, std::string_view gpu, int version, const KnobValues& knobs,
                         double ways) {
        list.push_back(
            {version, gpu, source, {1024, 1024}, PublishedQuantity::worst_bank_conflict, ways, knobs});
    };
    for (const std::string_view gpu : {"GTX 280", "GTX 560 Ti", "Tesla K40m", "H200"}) {
        add(kHardwarePerformance, gpu, 1, {{"OFFSET", 1}}, 1);
        add(kHardwarePerformance, gpu, 2, {{"STRIDE", 3}}, 1);
        add(kHardwarePerformance, gpu, 3, {{"MODULO", 1}}, 1);
    }
    add(kHardwarePerformance, "GTX 280", 2, {{"STRIDE", 16}}, 16);
    add(kHardwarePerformance, "GTX 560 Ti", 2, {{"STRIDE", 32}}, 32);
    add(kEfficientProgramming, "GTX 560 Ti", 3, {{"MODULO", 4}}, 1);
    return list;
}

Lab make() {
    using Kind = Argument::Kind;
    Lab lab;
    lab.id = "banks";
    lab.title = "shared memory banks";
    lab.question = "Which patterns does shared memory serve at once, and what does a conflict cost?";
    lab.buffers = {{"numbers", Element::uint32, Content::ramp}, {"sums", Element::uint32}};
    lab.steps = {{"sum", "sum"}};
    lab.by_weight = {0};
    const std::vector<Argument> arguments{
        {Kind::input, buffer::numbers}, {Kind::output, buffer::sums}, {Kind::width, -1}, {Kind::height, -1}};
    lab.views = {{.name = "source", .title = "the numbers", .shows = buffer::numbers, .ways = {}, .key = 'r'},
                 {.name = "result",
                  .title = "the result",
                  .shows = buffer::sums,
                  .first = true,
                  .ways = {{{0, arguments}}},
                  .key = 'e'}};
    lab.versions = versions();
    lab.presets = {Block{32, 1}, Block{64, 1}, Block{128, 1}, Block{256, 1}};
    for (const int side : {256, 512, 1024, 2048, 4096, 8192}) lab.sizes.swept.push_back({side, side});
    lab.sizes.first = {2048, 2048};
    lab.figures = figures();
    lab.native = {native_step, native_whole};
    return lab;
}

}  // namespace

const Lab& lab() {
    static const Lab kLab = make();
    return kLab;
}

}  // namespace ws::banks
