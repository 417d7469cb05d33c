#include "gpu/labs/throughput/throughput.h"

#include <array>

#include "gpu/labs/lectures.h"
#include "gpu/labs/throughput/chains.h"

namespace ws::throughput {
namespace {

// What a step computes: its name and function, what its result is made of. What a GPU approximates may be
// wrong in its last bits, which the next link makes smaller: `tolerance` is what all of them may add up to.
struct Chain {
    std::string_view name;
    Element element = Element::uint32;
    double tolerance = 0;
};
constexpr double kApproximate = 2e-6;
constexpr std::array<Chain, step::count> kChains{{{"float_add", Element::float32},
                                                  {"separate", Element::float32},
                                                  {"fused", Element::float32},
                                                  {"doubles", Element::float64},
                                                  {"integer_add", Element::uint32},
                                                  {"logic", Element::uint32},
                                                  {"choose", Element::uint32},
                                                  {"rotate", Element::uint32},
                                                  {"multiply", Element::uint32},
                                                  {"convert", Element::float32},
                                                  {"widen", Element::float32},
                                                  {"reciprocal", Element::float32, kApproximate},
                                                  {"root", Element::float32, kApproximate},
                                                  {"sine", Element::float32, kApproximate},
                                                  {"exponential", Element::float32, kApproximate},
                                                  {"logarithm", Element::float32, kApproximate},
                                                  {"divide", Element::float32, kApproximate},
                                                  {"modulo", Element::uint32},
                                                  {"from_byte", Element::uint32},
                                                  {"from_short", Element::uint32},
                                                  {"to_byte", Element::uint32},
                                                  {"to_short", Element::uint32}}};

std::vector<StepKernel> kernel(int step, std::string_view name) {
    std::vector<StepKernel> steps(step::count);
    steps[std::size_t(step)] = {name, Block{256, 1}};
    return steps;
}

// Number, title, what changed, why; the kernel; knobs.
const std::vector<Version>& versions() {
    static const std::vector<Version> kVersions{
        {1,
         "float add",
         "256 additions in each chain, four chains a thread.",
         "A lane of the FMA pipe adds once a clock.",
         kernel(step::float_add, "throughput_float"),
         {}},
        {2,
         "multiply, then add",
         "A product, then a sum, by intrinsics that no compiler fuses.",
         "Two instructions: the pipe is as fast, a result takes twice as long.",
         kernel(step::separate, "throughput_float"),
         {}},
        {3,
         "multiply-add",
         "The same in one instruction, rounded once.",
         "Two operations of arithmetic in the clock of one.",
         kernel(step::fused, "throughput_float"),
         {}},
        {4,
         "double multiply-add",
         "The same with 64 bits.",
         "FP64 lanes are few: half of the floats' at best, 1/64 on many GPUs.",
         kernel(step::doubles, "throughput_double"),
         {}},
        {5,
         "integer add",
         "Sums of whole numbers.",
         "The ALU pipe adds whole numbers, as fast as floats or half as fast.",
         kernel(step::integer_add, "throughput_integer"),
         {}},
        {6,
         "logic",
         "Exclusive or and and, three operands in one instruction.",
         "Logic takes the ALU pipe as sums do.",
         kernel(step::logic, "throughput_integer"),
         {}},
        {7,
         "compare and choose",
         "A comparison, and a choice by what it says.",
         "Two instructions of the ALU pipe, and no branch.",
         kernel(step::choose, "throughput_integer"),
         {}},
        {8,
         "shift",
         "Rotations by a number of the element.",
         "Shifts had fewer lanes than sums until 5.x.",
         kernel(step::rotate, "throughput_integer"),
         {}},
        {9,
         "integer multiply",
         "Products of 32 bits.",
         "1.x takes several instructions, 2.x and 3.x have fewer lanes for it.",
         kernel(step::multiply, "throughput_multiply"),
         {}},
        {10,
         "24-bit multiply",
         "The same by __umul24.",
         "On 1.x one instruction; since 2.0 the upper bits have to be cleared first.",
         kernel(step::multiply, "throughput_multiply"),
         {{"MUL24", 1}}},
        {11,
         "float and integer",
         "Each link converts a float to a whole number and back.",
         "A cast is an instruction, and few lanes convert.",
         kernel(step::convert, "throughput_convert"),
         {}},
        {12,
         "float and double",
         "Each link converts to 64 bits and back.",
         "No faster than the FP64 pipe: a constant without f costs that twice.",
         kernel(step::widen, "throughput_convert"),
         {}},
        {13,
         "reciprocal",
         "The reciprocal that the XU pipe approximates.",
         "One instruction of a pipe with few lanes.",
         kernel(step::reciprocal, "throughput_special"),
         {}},
        {14,
         "reciprocal root",
         "The same of a square root.",
         "A root with its division in one instruction.",
         kernel(step::root, "throughput_special"),
         {}},
        {15,
         "sine, intrinsic",
         "__sinf.",
         "The argument is scaled, the XU pipe does the rest.",
         kernel(step::sine, "throughput_special"),
         {}},
        {16,
         "sine, exact",
         "sinf.",
         "Reduction of the argument and a polynomial: tens of instructions, right to the last bits.",
         kernel(step::sine, "throughput_special"),
         {{"EXACT", 1}}},
        {17,
         "exp2",
         "Powers of two.",
         "One instruction of the XU pipe; __expf multiplies its argument before.",
         kernel(step::exponential, "throughput_special"),
         {}},
        {18,
         "log2",
         "Logarithms to the base of two.",
         "One instruction of the XU pipe; __logf multiplies its result.",
         kernel(step::logarithm, "throughput_special"),
         {}},
        {19,
         "float division",
         "Quotients as IEEE 754 rounds them.",
         "A reciprocal and its corrections, and a branch for extreme numbers.",
         kernel(step::divide, "throughput_special"),
         {{"EXACT", 1}}},
        {20,
         "division, intrinsic",
         "__fdividef.",
         "A reciprocal and a multiplication: wrong in the last bits.",
         kernel(step::divide, "throughput_special"),
         {}},
        {21,
         "modulo",
         "The remainder of a division of whole numbers.",
         "No GPU has an instruction for it: a reciprocal of floats and its corrections.",
         kernel(step::modulo, "throughput_modulo"),
         {}},
        {22,
         "modulo, known divisor",
         "The compiler knows the divisor, a power of two.",
         "One logic instruction: nothing is divided.",
         kernel(step::modulo, "throughput_modulo"),
         {{"KNOWN", 1}}},
        {23,
         "from 8 bits",
         "Each link makes whole numbers of 32 bits of 8, one with a sign and one without.",
         "3.x has four times as many lanes for it as for other conversions.",
         kernel(step::from_byte, "throughput_narrow"),
         {}},
        {24,
         "from 16 bits",
         "The same of 16 bits.",
         "As fast as from 8 bits; today the ALU pipe does both.",
         kernel(step::from_short, "throughput_narrow"),
         {}},
        {25,
         "to 8 bits, saturated",
         "The other way: what 8 bits do not hold becomes the nearest that they do.",
         "A conversion like those of floats: few lanes.",
         kernel(step::to_byte, "throughput_narrow"),
         {}},
        {26,
         "to 16 bits, saturated",
         "The same to 16 bits.",
         "As fast as to 8 bits.",
         kernel(step::to_short, "throughput_narrow"),
         {}},
    };
    return kVersions;
}

void native_step(ThreadPool& pool, int step, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    through_chains(pool, step, size, in, out);
}

void native_whole(ThreadPool& pool, const Problem& problem, int buffer, std::uint8_t* out) {
    through_chains(pool, buffer - 1, problem.size, problem.input->data(), out);
}

// A row of the lecture's table, for the versions that it is about; 0: "several instructions".
struct Row {
    std::vector<int> versions;
    std::array<double, 5> operations;  // by GPU, as below
};

std::vector<PublishedFigure> figures() {
    // Of compute capability 1.0, 1.3, 2.1, 3.0, 3.5.
    constexpr std::array<std::string_view, 5> kGpus{"FX 5600", "GTX 280", "GTX 560 Ti", "GTX 650 Ti",
                                                    "Tesla K40m"};
    const std::vector<Row> rows{{{1, 2, 3}, {8, 8, 48, 192, 192}}, {{4}, {0, 1, 4, 8, 64}},
                                {{5}, {10, 10, 48, 160, 160}},     {{6}, {8, 8, 48, 160, 160}},
                                {{7}, {10, 10, 48, 160, 160}},     {{8}, {8, 8, 16, 32, 64}},
                                {{9}, {2, 2, 16, 32, 32}},         {{11}, {8, 8, 16, 32, 32}},
                                {{12}, {0, 1, 4, 8, 32}},          {{23, 24}, {8, 8, 16, 128, 128}},
                                {{25, 26}, {8, 8, 16, 32, 32}},    {{13, 14, 15, 17, 18}, {2, 2, 8, 32, 32}}};
    std::vector<PublishedFigure> list;
    for (const Row& row : rows) {
        for (const int version : row.versions) {
            for (std::size_t i = 0; i < kGpus.size(); ++i) {
                if (row.operations[i] <= 0) continue;
                // The other lecture has it of integer multiplications on 1.x: "2".
                list.push_back({version,
                                kGpus[i],
                                version == 9 && i < 2 ? kHardwarePerformance : kEfficientProgramming,
                                {1024, 1024},
                                PublishedQuantity::operations_per_clock,
                                row.operations[i]});
            }
        }
    }
    return list;
}

Lab make() {
    using Kind = Argument::Kind;
    Lab lab;
    lab.id = "throughput";
    lab.title = "instruction throughput";
    lab.question = "How many operations does a multiprocessor do in a clock, and which ones cost many?";
    lab.buffers = {{"words", Element::uint32, Content::ramp}};
    View result{.name = "result", .title = "the result", .shows = 1, .first = true, .ways = {}, .key = 'e'};
    for (int i = 0; i < step::count; ++i) {
        const Chain& chain = kChains[std::size_t(i)];
        lab.buffers.push_back({.name = chain.name, .element = chain.element, .tolerance = chain.tolerance});
        lab.steps.push_back({chain.name, chain.name, double(kOperations)});
        lab.by_weight.push_back(i);
        result.ways.push_back(
            {{i, {{Kind::input, 0}, {Kind::output, i + 1}, {Kind::width, -1}, {Kind::height, -1}}}});
    }
    lab.views = {{.name = "source", .title = "the words", .shows = 0, .ways = {}, .key = 'r'}, result};
    lab.versions = versions();
    lab.presets = {Block{32, 1}, Block{64, 1}, Block{128, 1}, Block{256, 1}, Block{512, 1}};
    for (const int side : {256, 512, 1024, 2048, 4096}) lab.sizes.swept.push_back({side, side});
    lab.sizes.first = {1024, 1024};
    lab.figures = figures();
    lab.native = {native_step, native_whole};
    return lab;
}

}  // namespace

const Lab& lab() {
    static const Lab kLab = make();
    return kLab;
}

}  // namespace ws::throughput
