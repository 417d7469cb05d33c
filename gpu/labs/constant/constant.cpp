#include "gpu/labs/constant/constant.h"

#include <cstring>

#include "gpu/core/thread_pool.h"
#include "gpu/labs/lectures.h"

namespace ws::constant {
namespace {

StepKernel kernel(std::string_view name) {
    return {name, Block{256, 1}};
}

// Number, title, what changed, why; the kernel; knobs.
const std::vector<Version>& versions() {
    static const std::vector<Version> kVersions{
        {1,
         "in the code",
         "The 32 words of the table are immediate operands.",
         "Nothing is read: a word comes with its instruction.",
         {kernel("constant_c1")},
         {}},
        {2,
         "constant memory, an operand",
         "The table lies in constant memory; the compiler knows each address.",
         "An instruction takes an operand from the constant cache: as fast as an immediate.",
         {kernel("constant_c2")},
         {}},
        {3,
         "constant memory, one address",
         "Which word is read is known at run time; it is the same for all lanes.",
         "A load of its own, but one read of the cache for 32 lanes.",
         {kernel("constant_c3")},
         {}},
        {4,
         "constant memory, 32 addresses",
         "Each lane of a warp reads a different word.",
         "The constant cache serves one address at a time: a request takes 32 times as long.",
         {kernel("constant_c3")},
         {{"DISTINCT", 32}}},
        {5,
         "global memory",
         "The same 32 words, from an array in global memory.",
         "They are one line of L1: one request, whatever the lanes' order.",
         {kernel("constant_c4")},
         {{"DISTINCT", 32}}},
        {6,
         "shared memory",
         "Each block copies the table to shared memory first.",
         "32 words are 32 banks: one wavefront a read.",
         {kernel("constant_c5")},
         {{"DISTINCT", 32}}},
    };
    return kVersions;
}

void native_step(ThreadPool& pool, int /*step*/, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    const auto width = std::size_t(size.width);
    pool.for_slices(size.height, [&](int first, int last) {
        for (std::size_t i = width * std::size_t(first); i < width * std::size_t(last); ++i) {
            std::uint32_t number = 0;
            std::memcpy(&number, in + 4 * i, sizeof number);
            std::uint32_t sum = 0;
            for (const std::uint32_t word : kTable) sum += number ^ word;
            std::memcpy(out + 4 * i, &sum, sizeof sum);
        }
    });
}

void native_whole(ThreadPool& pool, const Problem& problem, int /*buffer*/, std::uint8_t* out) {
    native_step(pool, 0, problem.size, problem.input->data(), out);
}

// "One read if all lanes of a warp use one address, serialised otherwise."
std::vector<PublishedFigure> figures() {
    std::vector<PublishedFigure> list;
    for (const std::string_view gpu : {"GTX 280", "GTX 560 Ti", "H200"}) {
        list.push_back({3,
                        gpu,
                        kEfficientProgramming,
                        {1024, 1024},
                        PublishedQuantity::constant_addresses,
                        1,
                        {{"DISTINCT", 1}}});
    }
    return list;
}

Lab make() {
    using Kind = Argument::Kind;
    Lab lab;
    lab.id = "constant";
    lab.title = "constant memory";
    lab.question = "When is constant memory as fast as a register, and when does it make a warp wait?";
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
    lab.presets = {Block{32, 1}, Block{64, 1}, Block{128, 1}, Block{256, 1}, Block{512, 1}};
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

}  // namespace ws::constant
