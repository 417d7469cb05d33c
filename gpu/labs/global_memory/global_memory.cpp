#include "gpu/labs/global_memory/global_memory.h"

#include <cstring>
#include <utility>

#include "gpu/core/thread_pool.h"
#include "gpu/labs/lectures.h"

namespace ws::global_memory {
namespace {

constexpr Block kBlock{256, 1};
const StepKernel kNone{};

std::vector<StepKernel> copies(std::string_view kernel) {
    return {{kernel, kBlock, CachePreference::l1}, kNone, kNone};
}

// Number, title, what changed, why; the kernel, for one of the steps.
const std::vector<Version>& versions() {
    static const std::vector<Version> kVersions{
        {1,
         "side by side",
         "Lane n copies word n of an aligned row of 32.",
         "A request is four whole sectors: nothing is transferred in vain.",
         copies("global_m1"),
         {}},
        {2,
         "at an offset",
         "All lanes are moved by OFFSET words.",
         "A warp reaches into one sector (2.x: line) more; before 1.2 each lane is a transaction of its own.",
         copies("global_m2"),
         {}},
        {3,
         "permuted",
         "The lanes take the words of their half warp in another order.",
         "From 1.2 on the order within a request costs nothing; before, each lane is a transaction.",
         copies("global_m3"),
         {}},
        {4,
         "strided",
         "Lanes are STRIDE words apart; the launch goes over the array STRIDE times.",
         "Of each sector one word is used: throughput falls to 1 / STRIDE, at worst to an eighth.",
         copies("global_m4"),
         {}},
        {5,
         "wide words",
         "A thread's 16 bytes are words of 1, 2, 4, 8 or 16 bytes.",
         "Wide words need fewer requests for the same bytes, and more bytes are under way.",
         copies("global_m5"),
         {}},
        {6,
         "one word for all",
         "All lanes of a warp load one word.",
         "One sector of which 4 bytes are used: 12.5 %; on 2.x a line, 3.125 %.",
         {kNone, {"global_m6", kBlock, CachePreference::l1}, kNone},
         {}},
        {7,
         "scattered in a window",
         "Words change places within a window.",
         "32 sectors a request; whether the caches hold the rest until it is needed depends on the window.",
         copies("global_m7"),
         {}},
        {8,
         "random gather",
         "Loads go anywhere in the array, stores lie side by side.",
         "Only one side is scattered: 32 sectors a load, 4 a store.",
         {kNone, kNone, {"global_m8", kBlock, CachePreference::l1}},
         {}},
        {9,
         "array of structures",
         "A thread copies a structure of FIELDS floats, field by field.",
         "Neighbouring lanes are FIELDS words apart: each access touches FIELDS times the sectors.",
         copies("global_m9"),
         {}},
        {10,
         "structure of arrays",
         "Each field has an array of its own.",
         "The same field of 32 threads lies side by side: 4 sectors a request again.",
         copies("global_m10"),
         {}},
    };
    return kVersions;
}

// `part`: of the source, one of so many sectors is needed.
Pass pass(int step, int to, int part = 1) {
    using Kind = Argument::Kind;
    return {step,
            {{.kind = Kind::input, .buffer = buffer::source, .part = part},
             {Kind::output, to},
             {Kind::width, -1},
             {Kind::height, -1}}};
}

// As global_m8.cu has it.
std::uint32_t origin(std::uint32_t word, std::uint32_t count) {
    word = (word ^ word >> 16) * 0x7FEB352Du;
    word = (word ^ word >> 15) * 0x846CA68Bu;
    return std::uint32_t(std::uint64_t(word ^ word >> 16) * count >> 32);
}

// Word n of the output is word from(n) of the input.
template <typename From>
void fill(ThreadPool& pool, Extent size, const std::uint8_t* in, std::uint8_t* out, const From& from) {
    const auto width = std::uint32_t(size.width);
    pool.for_slices(size.height, [&](int first, int last) {
        for (std::uint32_t i = std::uint32_t(first) * width; i < std::uint32_t(last) * width; ++i)
            std::memcpy(out + 4 * std::size_t(i), in + 4 * std::size_t(from(i)), 4);
    });
}

void native_step(ThreadPool& pool, int step, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    const auto count = std::uint32_t(size.pixels());
    switch (step) {
        case step::copy:
            return fill(pool, size, in, out, [](std::uint32_t i) { return i; });
        case step::spread:
            return fill(pool, size, in, out, [](std::uint32_t i) { return i & ~31u; });
        default:
            return fill(pool, size, in, out, [count](std::uint32_t i) { return origin(i, count); });
    }
}

void native_whole(ThreadPool& pool, const Problem& problem, int buffer, std::uint8_t* out) {
    const int step = buffer == buffer::spread     ? step::spread
                     : buffer == buffer::gathered ? step::gather
                                                  : step::copy;
    native_step(pool, step, problem.size, problem.input->data(), out);
}

// What the lectures say a warp's load transfers, and how much of it is requested.
std::vector<PublishedFigure> figures() {
    constexpr Extent kSize{4096, 4096};
    std::vector<PublishedFigure> list;
    const auto add = [&](std::string_view gpu, int version, KnobValues knobs, double bytes, double percent) {
        list.push_back(
            {version, gpu, kEfficientProgramming, kSize, PublishedQuantity::load_bytes, bytes, knobs});
        list.push_back({version, gpu, kEfficientProgramming, kSize, PublishedQuantity::load_efficiency,
                        percent, std::move(knobs)});
    };
    // 2.x: aligned, permuted, misaligned, one word, 32 words in lines of their own; through L1 and past it.
    add("GTX 560 Ti", 1, {{"CACHED", 1}}, 128, 100);
    add("GTX 560 Ti", 1, {{"CACHED", 0}}, 128, 100);
    add("GTX 560 Ti", 3, {{"CACHED", 1}}, 128, 100);
    add("GTX 560 Ti", 3, {{"CACHED", 0}}, 128, 100);
    add("GTX 560 Ti", 2, {{"CACHED", 1}, {"OFFSET", 1}}, 256, 50);
    add("GTX 560 Ti", 2, {{"CACHED", 0}, {"OFFSET", 1}}, 160, 80);
    add("GTX 560 Ti", 6, {{"CACHED", 1}}, 128, 3.125);
    add("GTX 560 Ti", 6, {{"CACHED", 0}}, 32, 12.5);
    add("GTX 560 Ti", 4, {{"CACHED", 1}, {"STRIDE", 32}}, 32 * 128, 3.125);
    add("GTX 560 Ti", 4, {{"CACHED", 0}, {"STRIDE", 32}}, 32 * 32, 12.5);
    // 1.0: half warps; words of 4, 8, 16 bytes are one transaction of 64, one of 128, two of 128 bytes.
    add("FX 5600", 5, {{"WORD_LOG2", 2}}, 2 * 64, 100);
    add("FX 5600", 5, {{"WORD_LOG2", 3}}, 2 * 128, 100);
    add("FX 5600", 5, {{"WORD_LOG2", 4}}, 2 * 256, 100);
    // Misaligned or in another order: a transaction of 32 bytes for each lane, an eighth of the speed.
    add("FX 5600", 2, {{"OFFSET", 1}}, 32 * 32, 12.5);
    add("FX 5600", 3, {}, 32 * 32, 12.5);
    add("GTX 280", 3, {}, 128, 100);
    list.push_back(
        {4, "GTX 280", kHardwarePerformance, kSize, PublishedQuantity::bandwidth, 120, {{"STRIDE", 1}}});
    return list;
}

Lab make() {
    Lab lab;
    lab.id = "global-memory";
    lab.title = "global memory";
    lab.question = "The same words in another order: what does a warp make the memory transfer?";
    lab.buffers = {{"source", Element::float32, Content::ramp},
                   {"copied", Element::float32},
                   {"spread", Element::float32},
                   {"gathered", Element::float32}};
    lab.steps = {{"copy", "copy"}, {"spread", "spread"}, {"gather", "gather"}};
    lab.by_weight = {step::copy, step::spread, step::gather};
    lab.views = {{.name = "source", .title = "the words", .shows = buffer::source, .ways = {}, .key = 'r'},
                 {.name = "result",
                  .title = "the result",
                  .shows = buffer::copied,
                  .first = true,
                  .ways = {{pass(step::copy, buffer::copied)},
                           {pass(step::spread, buffer::spread, 4)},
                           {pass(step::gather, buffer::gathered)}},
                  .key = 'e'}};
    lab.versions = versions();
    lab.presets = {Block{256, 1}, Block{32, 1}, Block{128, 1}, Block{512, 1}, Block{64, 1}};
    for (const int side : {256, 512, 1024, 2048, 4096, 8192, 16384}) lab.sizes.swept.push_back({side, side});
    lab.sizes.first = {4096, 4096};
    lab.bandwidth = true;
    lab.figures = figures();
    lab.native = {native_step, native_whole};
    return lab;
}

}  // namespace

const Lab& lab() {
    static const Lab kLab = make();
    return kLab;
}

}  // namespace ws::global_memory
