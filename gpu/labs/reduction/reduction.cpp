#include "gpu/labs/reduction/reduction.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "gpu/core/thread_pool.h"

namespace ws::reduction {
namespace {

constexpr Block kBlock{256, 1};
const StepKernel kNone{};

std::vector<StepKernel> sums(std::string_view kernel) {
    return {{kernel, kBlock}, {"reduction_total", Block{512, 1}}, kNone, kNone};
}
std::vector<StepKernel> histogram(std::string_view kernel) {
    return {kNone, kNone, {"reduction_clear", kBlock}, {kernel, kBlock}};
}

// Number, title, what changed, why; the kernels of a sum or of a histogram.
const std::vector<Version>& versions() {
    static const std::vector<Version> kVersions{
        {1,
         "every second thread",
         "A tree in shared memory: the threads whose number is a multiple of the distance add.",
         "Eleven steps instead of 2048; but lanes wait for each other in every step.",
         sums("reduction_r1"),
         {}},
        {2,
         "threads side by side",
         "The first threads add, number n the pair n.",
         "Whole warps work or do not; but pairs lie 2, 4, 8, ... words apart: bank conflicts.",
         sums("reduction_r2"),
         {}},
        {3,
         "sequential addressing",
         "The second half is added to the first.",
         "Lanes next to each other take words next to each other: no conflicts.",
         sums("reduction_r3"),
         {}},
        {4,
         "add while loading",
         "A thread adds up its values in a register first.",
         "The tree is over one word for each thread: fewer steps, an eighth of the shared memory.",
         sums("reduction_r4"),
         {}},
        {5,
         "shuffles",
         "Warps add up from register to register.",
         "One barrier in all, hardly any shared memory.",
         sums("reduction_r5"),
         {}},
        {6,
         "wide loads",
         "A thread loads 16 bytes at once.",
         "A quarter of the load instructions, more bytes under way.",
         sums("reduction_r6"),
         {}},
        {7,
         "warp sums in hardware",
         "One instruction adds up the lanes of a warp.",
         "Fewer instructions; where memory decides there is nothing left to gain.",
         sums("reduction_r7"),
         {}},
        {8,
         "histogram, global atomics",
         "Every value adds one to the bin of its lowest byte.",
         "The formula as it is written: an atomic for every value, and hot bins queue up.",
         histogram("reduction_h1"),
         {}},
        {9,
         "histogram, shared atomics",
         "Each block counts in bins of its own.",
         "256 global atomics for 2048 values; the others stay on the multiprocessor.",
         histogram("reduction_h2"),
         {}},
        {10,
         "histogram, several sets of bins",
         "Warps of a block take turns in COPIES sets of bins.",
         "Fewer warps meet in one bin, for more shared memory.",
         histogram("reduction_h3"),
         {}},
        {11,
         "histogram, warp-aggregated",
         "Lanes with the same bin find each other; one adds for all.",
         "A hot bin gets one addition from a warp instead of 32.",
         histogram("reduction_h4"),
         {}},
    };
    return kVersions;
}

Pass pass(int step, int from, int to, Argument::Kind writes = Argument::Kind::output) {
    using Kind = Argument::Kind;
    return {step, {{Kind::input, from}, {writes, to}, {Kind::width, -1}, {Kind::height, -1}}};
}

// Reads no values, so that they do not count among the bytes that it must move.
Pass clearing() {
    return {step::clear, {{Argument::Kind::output, buffer::bins}}};
}

// The same for every size, and without order: a bijection of 32 bits.
std::uint32_t mixed(std::uint32_t number) {
    number = (number ^ number >> 16) * 0x7FEB352Du;
    number = (number ^ number >> 15) * 0x846CA68Bu;
    return number ^ number >> 16;
}

// HOT per cent of the values are one and the same.
void make_values(Extent size, const KnobValues& knobs, std::uint8_t* out) {
    const int hot = std::clamp(knobs.at("HOT"), 0, 100);
    for (std::size_t i = 0; i < size.pixels(); ++i) {
        const auto number = std::uint32_t(i);
        const bool is_hot = mixed(number + 0x9E3779B9u) % 100 < std::uint32_t(hot);
        const std::uint32_t value = is_hot ? 7u : mixed(number);
        std::memcpy(out + 4 * i, &value, sizeof value);
    }
}

std::uint32_t at(const std::uint8_t* in, std::size_t i) {
    std::uint32_t value = 0;
    std::memcpy(&value, in + 4 * i, sizeof value);
    return value;
}

std::uint32_t sum_of(const std::uint8_t* in, std::size_t first, std::size_t end) {
    std::uint32_t sum = 0;
    for (std::size_t i = first; i < end; ++i) sum += at(in, i);
    return sum;
}

std::size_t runs(Extent size) {
    return (size.pixels() + kRun - 1) / kRun;
}

void native_step(ThreadPool& pool, int step, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    const std::size_t count = size.pixels();
    std::array<std::uint32_t, kBins> bins{};
    switch (step) {
        case step::sums:
            return pool.for_slices(int(runs(size)), [&](int first, int last) {
                for (auto run = std::size_t(first); run < std::size_t(last); ++run) {
                    const std::uint32_t sum = sum_of(in, run * kRun, std::min((run + 1) * kRun, count));
                    std::memcpy(out + 4 * run, &sum, sizeof sum);
                }
            });
        case step::total: {
            const std::uint32_t sum = sum_of(in, 0, runs(size));
            std::memcpy(out, &sum, sizeof sum);
            return;
        }
        case step::count:
            for (std::size_t i = 0; i < count; ++i) ++bins[at(in, i) % kBins];
            break;
        default:
            break;
    }
    std::memcpy(out, bins.data(), sizeof bins);
}

void native_whole(ThreadPool& pool, const Problem& problem, int buffer, std::uint8_t* out) {
    const std::uint8_t* values = problem.input->data();
    if (buffer == buffer::bins) return native_step(pool, step::count, problem.size, values, out);
    if (buffer == buffer::sums) return native_step(pool, step::sums, problem.size, values, out);
    const std::uint32_t sum = sum_of(values, 0, problem.size.pixels());
    std::memcpy(out, &sum, sizeof sum);
}

Lab make() {
    Lab lab;
    lab.id = "reduction";
    lab.title = "reduction and histogram";
    lab.question = "How do many threads make one number, or 256, without getting into each other's way?";
    lab.buffers = {{"values", Element::uint32, Content::made},
                   {.name = "sums", .element = Element::uint32, .each = kRun},
                   {.name = "total", .element = Element::uint32, .elements = 1},
                   {.name = "bins", .element = Element::uint32, .elements = kBins}};
    lab.steps = {
        {"sums", "sum_runs"}, {"total", "sum_total"}, {"clear", "clear_bins"}, {"count", "count_bins"}};
    lab.by_weight = {step::sums, step::count, step::total, step::clear};
    lab.views = {
        {.name = "source", .title = "the values", .shows = buffer::values, .ways = {}, .key = 'r'},
        {.name = "result",
         .title = "the result",
         .shows = buffer::total,
         .first = true,
         .ways = {{pass(step::sums, buffer::values, buffer::sums),
                   pass(step::total, buffer::sums, buffer::total)},
                  {clearing(), pass(step::count, buffer::values, buffer::bins, Argument::Kind::both)}},
         .key = 'e'}};
    lab.versions = versions();
    lab.presets = {Block{256, 1}, Block{64, 1}, Block{128, 1}, Block{512, 1}};
    for (const int side : {256, 512, 1024, 2048, 4096, 8192}) lab.sizes.swept.push_back({side, side});
    lab.sizes.first = {4096, 4096};
    lab.bandwidth = true;
    lab.native = {native_step, native_whole};
    lab.made_input.knobs = {{"HOT", 0}};
    lab.made_input.make = make_values;
    return lab;
}

}  // namespace

const Lab& lab() {
    static const Lab kLab = make();
    return kLab;
}

}  // namespace ws::reduction
