#include "gpu/labs/registers/registers.h"

#include <array>
#include <cstring>

#include "gpu/core/thread_pool.h"

namespace ws::registers {
namespace {

// As registers.cuh has it.
constexpr std::size_t kPoints = 64;

StepKernel kernel(std::string_view name, CachePreference cache = CachePreference::l1) {
    return {name, Block{128, 1}, cache};
}

// Number, title, what changed, why; the kernel; knobs.
const std::vector<Version>& versions() {
    static const std::vector<Version> kVersions{
        {1,
         "as many as it takes",
         "A thread transforms 64 numbers in registers; the compiler is free.",
         "Nothing but the result goes to memory; registers limit the warps.",
         {kernel("registers_r1")},
         {}},
        {2,
         "launch bounds",
         "The block's size is promised, and that MIN_BLOCKS of them fit.",
         "Fewer registers, more warps: good until numbers spill.",
         {kernel("registers_r2")},
         {}},
        {3,
         "a limit for the compiler",
         "--maxrregcount: a thread has MAX_REGISTERS, whatever the block.",
         "64 registers are too few for 64 numbers and their addresses: some spill.",
         {kernel("registers_r3")},
         {}},
        {4,
         "a limit that is too tight",
         "The same with 32 registers.",
         "All warps fit, and most numbers go through local memory, over and over.",
         {kernel("registers_r3")},
         {{"MAX_REGISTERS", 32}}},
        {5,
         "shared memory instead",
         "Half of the numbers wait in shared memory while the other half is transformed.",
         "32 numbers live at a time: half of the registers without a spill, for 16 KiB a block.",
         {kernel("registers_r4", CachePreference::shared)},
         {}},
        {6,
         "four threads for a group",
         "Four lanes share the 64 numbers and exchange them by shuffles.",
         "16 numbers a thread: few registers, all warps, no memory but the numbers' own.",
         {kernel("registers_r5")},
         {}},
    };
    return kVersions;
}

using Group = std::array<std::uint32_t, kPoints>;

void transform(Group& value) {
    for (std::size_t half = 1; half < kPoints; half *= 2) {
        for (std::size_t i = 0; i < kPoints; ++i) {
            if ((i & half) != 0) continue;
            const std::uint32_t a = value[i];
            const std::uint32_t b = value[i | half];
            value[i] = a + b;
            value[i | half] = a - b;
        }
    }
}

// Numbers of a group are so many elements apart; what is left over behind the last group stays.
void native_step(ThreadPool& pool, int /*step*/, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    const std::size_t planes = size.pixels() / kPoints;
    const std::size_t whole = planes * kPoints;
    std::memcpy(out + 4 * whole, in + 4 * whole, 4 * (size.pixels() - whole));
    pool.for_slices(int(planes), [&](int first, int last) {
        for (auto group = std::size_t(first); group < std::size_t(last); ++group) {
            Group value;
            for (std::size_t i = 0; i < kPoints; ++i)
                std::memcpy(&value[i], in + 4 * (group + i * planes), sizeof value[i]);
            transform(value);
            for (std::size_t i = 0; i < kPoints; ++i)
                std::memcpy(out + 4 * (group + i * planes), &value[i], sizeof value[i]);
        }
    });
}

void native_whole(ThreadPool& pool, const Problem& problem, int /*buffer*/, std::uint8_t* out) {
    native_step(pool, 0, problem.size, problem.input->data(), out);
}

// Without order: the transform of a ramp is nearly nothing but zeros.
void make_numbers(Extent size, const KnobValues& /*knobs*/, std::uint8_t* out) {
    for (std::size_t i = 0; i < size.pixels(); ++i) {
        auto number = std::uint32_t(i);
        number = (number ^ number >> 16) * 0x7FEB352Du;
        number = (number ^ number >> 15) * 0x846CA68Bu;
        number ^= number >> 16;
        std::memcpy(out + 4 * i, &number, sizeof number);
    }
}

Lab make() {
    using Kind = Argument::Kind;
    Lab lab;
    lab.id = "registers";
    lab.title = "registers and spills";
    lab.question = "How many registers may a thread take, and what if it needs more?";
    lab.buffers = {{"numbers", Element::uint32, Content::made}, {"transformed", Element::uint32}};
    lab.steps = {{"transform", "transform64"}};
    lab.by_weight = {0};
    const std::vector<Argument> arguments{{Kind::input, buffer::numbers},
                                          {Kind::output, buffer::transformed},
                                          {Kind::width, -1},
                                          {Kind::height, -1}};
    lab.views = {{.name = "source", .title = "the numbers", .shows = buffer::numbers, .ways = {}, .key = 'r'},
                 {.name = "result",
                  .title = "the result",
                  .shows = buffer::transformed,
                  .first = true,
                  .ways = {{{0, arguments}}},
                  .key = 'e'}};
    lab.versions = versions();
    lab.presets = {Block{32, 1}, Block{64, 1}, Block{128, 1}, Block{256, 1}};
    for (const int side : {256, 512, 1024, 2048, 4096, 8192}) lab.sizes.swept.push_back({side, side});
    lab.sizes.first = {4096, 4096};
    lab.bandwidth = true;
    lab.native = {native_step, native_whole};
    lab.made_input.make = make_numbers;
    return lab;
}

}  // namespace

const Lab& lab() {
    static const Lab kLab = make();
    return kLab;
}

}  // namespace ws::registers
