#include "gpu/labs/divergence/divergence.h"

#include <algorithm>
#include <cstring>

#include "gpu/core/thread_pool.h"

namespace ws::divergence {
namespace {

constexpr int kSteps = 5;

std::vector<StepKernel> only(int step, std::string_view kernel) {
    std::vector<StepKernel> kernels(kSteps);
    kernels[std::size_t(step)] = {kernel, Block{256, 1}};
    return kernels;
}

// Number, title, what changed, why; the kernel.
const std::vector<Version>& versions() {
    static const std::vector<Version> kVersions{
        {1,
         "one thread does more",
         "Every 32nd element takes an extra path.",
         "For one lane the warp waits as long as for all of them.",
         only(step::one, "divergence_d1"),
         {}},
        {2,
         "if and else, by one thread",
         "Every 32nd element takes the first path, the others the second.",
         "Both sides run one after the other.",
         only(step::either, "divergence_d2"),
         {}},
        {3,
         "chain of else-ifs",
         "Element n takes path n modulo 8.",
         "Every warp goes through all eight paths with four lanes each.",
         only(step::chain, "divergence_d3"),
         {}},
        {4,
         "the chain by warps",
         "The path follows from the number of the group of 32.",
         "As many elements for each path, but one path for a warp.",
         only(step::warps, "divergence_d4"),
         {}},
        {5,
         "a test on data",
         "The lowest bit of the value decides; SHARE and PATTERN say how the values lie.",
         "In groups or in order it costs nothing; without order nearly every warp takes both paths.",
         only(step::data, "divergence_d5"),
         {}},
        {6,
         "both paths and a choice",
         "Each thread goes through both paths and keeps one result.",
         "No branch; but where warps agree, half of the work is for nothing.",
         only(step::data, "divergence_d6"),
         {}},
        {7,
         "sorted first",
         "A block puts its values in the order of their paths before it takes them.",
         "At most one warp of a block has both paths; the sort is a few dozen instructions.",
         only(step::data, "divergence_d7"),
         {}},
    };
    return kVersions;
}

// As divergence.cuh has it.
std::uint32_t path(std::uint32_t way, std::uint32_t value) {
    constexpr std::uint32_t kRounds = 32;
    for (std::uint32_t i = 0; i < kRounds; ++i)
        value = (value ^ value >> (way + 5)) * (2 * way + 0x7FEB352Du) + i;
    return value;
}

std::uint32_t result_of(int step, std::uint32_t i, std::uint32_t value) {
    switch (step) {
        case step::one:
            return path(1, i % 32 == 0 ? path(0, value) : value);
        case step::either:
            return path(i % 32 == 0 ? 0 : 1, value);
        case step::chain:
            return path(i % 8, value);
        case step::warps:
            return path(i / 32 % 8, value);
        default:
            return path((value & 1) != 0 ? 0 : 1, value);
    }
}

void native_step(ThreadPool& pool, int step, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    const auto width = std::uint32_t(size.width);
    pool.for_slices(size.height, [&](int first, int last) {
        for (std::uint32_t i = std::uint32_t(first) * width; i < std::uint32_t(last) * width; ++i) {
            std::uint32_t value = 0;
            std::memcpy(&value, in + 4 * std::size_t(i), sizeof value);
            value = result_of(step, i, value);
            std::memcpy(out + 4 * std::size_t(i), &value, sizeof value);
        }
    });
}

void native_whole(ThreadPool& pool, const Problem& problem, int buffer, std::uint8_t* out) {
    native_step(pool, buffer - 1, problem.size, problem.input->data(), out);
}

// The same for every size, and without order.
std::uint32_t mixed(std::uint32_t number) {
    number = (number ^ number >> 16) * 0x7FEB352Du;
    number = (number ^ number >> 15) * 0x846CA68Bu;
    return number ^ number >> 16;
}

// Whether element i of `count` takes the first path.
bool takes_first(std::size_t i, std::size_t count, std::uint32_t share, int pattern) {
    switch (pattern) {
        case 1:  // as evenly as they can lie
            return (i + 1) * share / 100 > i * share / 100;
        case 2:
            return mixed(std::uint32_t(i / 32)) % 100 < share;
        case 3:
            return i * 100 < count * share;
        default:
            return mixed(std::uint32_t(i)) % 100 < share;
    }
}

void make_values(Extent size, const KnobValues& knobs, std::uint8_t* out) {
    const auto share = std::uint32_t(std::clamp(knobs.at("SHARE"), 0, 100));
    for (std::size_t i = 0; i < size.pixels(); ++i) {
        const std::uint32_t first = takes_first(i, size.pixels(), share, knobs.at("PATTERN")) ? 1 : 0;
        const std::uint32_t value = (mixed(std::uint32_t(i) + 0x9E3779B9u) & ~1u) | first;
        std::memcpy(out + 4 * i, &value, sizeof value);
    }
}

std::vector<Pass> way(int step) {
    using Kind = Argument::Kind;
    return {
        {step,
         {{Kind::input, buffer::values}, {Kind::output, step + 1}, {Kind::width, -1}, {Kind::height, -1}}}};
}

Lab make() {
    Lab lab;
    lab.id = "divergence";
    lab.title = "divergence";
    lab.question = "What does a branch cost when the lanes of a warp do not agree?";
    lab.buffers = {{"values", Element::uint32, Content::made}};
    for (const std::string_view name : {"one", "either", "chain", "warps", "data"}) {
        lab.buffers.push_back({name, Element::uint32});
        lab.steps.push_back({name, name});
    }
    lab.by_weight = {step::data, step::one, step::either, step::chain, step::warps};
    lab.views = {
        {.name = "source", .title = "the values", .shows = buffer::values, .ways = {}, .key = 'r'},
        {.name = "result",
         .title = "the result",
         .shows = buffer::data,
         .first = true,
         .ways = {way(step::one), way(step::either), way(step::chain), way(step::warps), way(step::data)},
         .key = 'e'}};
    lab.versions = versions();
    lab.presets = {Block{256, 1}, Block{32, 1}, Block{64, 1}, Block{512, 1}};
    for (const int side : {256, 512, 1024, 2048, 4096}) lab.sizes.swept.push_back({side, side});
    lab.sizes.first = {2048, 2048};
    lab.native = {native_step, native_whole};
    lab.made_input.knobs = {{"SHARE", 50}, {"PATTERN", 0}};
    lab.made_input.make = make_values;
    return lab;
}

}  // namespace

const Lab& lab() {
    static const Lab kLab = make();
    return kLab;
}

}  // namespace ws::divergence
