#include "gpu/labs/latency/latency.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "gpu/core/thread_pool.h"

namespace ws::latency {
namespace {

const StepKernel kNone{};
constexpr Block kWarp{32, 1};
constexpr Block kEight{256, 1};

std::vector<StepKernel> copies(std::string_view kernel, Block block,
                               CachePreference cache = CachePreference::shared) {
    return {{kernel, block, cache}, kNone};
}
std::vector<StepKernel> chains(std::string_view kernel, Block block) {
    return {kNone, {kernel, block, CachePreference::shared}};
}

// Number, title, what changed, why; the kernel; knobs.
const std::vector<Version>& versions() {
    static const std::vector<Version> kVersions{
        {1,
         "one word a thread",
         "A thread loads a word and stores it; all warps that fit are resident.",
         "Each warp waits, but many wait at once: their words are under way together.",
         copies("latency_l1", kEight, CachePreference::l1),
         {}},
        {2,
         "few warps",
         "Blocks are one warp and take 48 KiB of shared memory each.",
         "The same loads, but a few warps have too little under way: memory idles.",
         copies("latency_l1", kWarp),
         {{"SHARED_KIB", 48}}},
        {3,
         "words one after the other",
         "A thread copies ILP words in a loop.",
         "Fewer threads, more work each, and still one word under way: fewer blocks to start, no more.",
         copies("latency_l2", kWarp),
         {}},
        {4,
         "words in flight",
         "All ILP words are loaded before the first is stored.",
         "Independent loads are under way together: ILP times the bytes with the same warps.",
         copies("latency_l3", kWarp),
         {}},
        {5,
         "wide words in flight",
         "Words have 16 bytes.",
         "Four times the bytes under way once more: a few warps keep the memory busy.",
         copies("latency_l4", kWarp),
         {}},
        {6,
         "a chain, rolled",
         "128 multiply-adds on one element a thread, each from the result before; few warps.",
         "Each link waits for the last, and the loop adds three instructions to it.",
         chains("latency_c1", kWarp),
         {{"UNROLL", 1}}},
        {7,
         "a chain, unrolled",
         "16 links in a round of the loop.",
         "Counter, comparison and branch go; the wait from link to link stays.",
         chains("latency_c1", kWarp),
         {}},
        {8,
         "a chain, many warps",
         "Blocks of eight warps, without shared memory.",
         "Other warps issue while one waits: the pipe is full, and the chain costs nothing.",
         chains("latency_c1", kEight),
         {{"SHARED_KIB", 0}}},
        {9,
         "chains side by side",
         "A thread has ILP chains; few warps again.",
         "Links of different chains do not wait for each other: one warp fills the gaps itself.",
         chains("latency_c2", kWarp),
         {}},
        {10,
         "registers full of chains",
         "64 chains a thread: registers limit the warps.",
         "Low occupancy, and the pipe is full all the same: warps are one way to hide latency.",
         chains("latency_c3", Block{128, 1}),
         {}},
    };
    return kVersions;
}

// As latency.cuh has it. The product of a float and the factor, and its sum with 1, are exact in a double, so
// that it is rounded once, as by a fused multiply-add.
constexpr int kRounds = 128;
constexpr double kFactor = 1.0009765625;

void through_chains(const std::uint8_t* in, std::uint8_t* out, std::size_t count) {
    constexpr std::size_t kTogether = 64;  // chains that the compiler may take side by side
    for (std::size_t first = 0; first < count; first += kTogether) {
        const std::size_t some = std::min(kTogether, count - first);
        std::array<float, kTogether> value{};
        std::memcpy(value.data(), in + 4 * first, 4 * some);
        for (int round = 0; round < kRounds; ++round) {
            for (float& one : value) one = float(double(one) * kFactor + 1.0);
        }
        std::memcpy(out + 4 * first, value.data(), 4 * some);
    }
}

void native_step(ThreadPool& pool, int step, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    const auto width = std::size_t(size.width);
    pool.for_slices(size.height, [&](int first, int last) {
        const std::size_t begin = 4 * width * std::size_t(first);
        const std::size_t count = width * std::size_t(last - first);
        if (step == step::copy)
            std::memcpy(out + begin, in + begin, 4 * count);
        else
            through_chains(in + begin, out + begin, count);
    });
}

void native_whole(ThreadPool& pool, const Problem& problem, int buffer, std::uint8_t* out) {
    native_step(pool, buffer - 1, problem.size, problem.input->data(), out);
}

std::vector<Pass> way(int step) {
    using Kind = Argument::Kind;
    return {
        {step,
         {{Kind::input, buffer::source}, {Kind::output, step + 1}, {Kind::width, -1}, {Kind::height, -1}}}};
}

Lab make() {
    Lab lab;
    lab.id = "latency";
    lab.title = "occupancy and latency";
    lab.question = "How many warps, words under way or independent instructions hide a latency?";
    lab.buffers = {{"source", Element::float32, Content::ramp},
                   {"copied", Element::float32},
                   {"chained", Element::float32}};
    lab.steps = {{"copy", "copy"}, {"chain", "chain"}};
    lab.by_weight = {step::copy, step::chain};
    lab.views = {{.name = "source", .title = "the words", .shows = buffer::source, .ways = {}, .key = 'r'},
                 {.name = "result",
                  .title = "the result",
                  .shows = buffer::copied,
                  .first = true,
                  .ways = {way(step::copy), way(step::chain)},
                  .key = 'e'}};
    lab.versions = versions();
    lab.presets = {Block{32, 1}, Block{64, 1}, Block{128, 1}, Block{256, 1}, Block{512, 1}};
    for (const int side : {256, 512, 1024, 2048, 4096}) lab.sizes.swept.push_back({side, side});
    lab.sizes.first = {2048, 2048};
    lab.bandwidth = true;
    lab.native = {native_step, native_whole};
    return lab;
}

}  // namespace

const Lab& lab() {
    static const Lab kLab = make();
    return kLab;
}

}  // namespace ws::latency
