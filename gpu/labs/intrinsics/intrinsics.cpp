#include "gpu/labs/intrinsics/intrinsics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string>

#include "gpu/core/thread_pool.h"
#include "gpu/labs/intrinsics/functions.h"

namespace ws::intrinsics {
namespace {

constexpr Extent kWhole{4096, 2048};  // as many elements as a binade has floats
constexpr std::size_t kFloatsOfBinade = std::size_t(1) << 23;
constexpr std::string_view kFast = "intrinsics_fast";
constexpr std::string_view kExact = "intrinsics_exact";

struct StepName {
    std::string_view name, entry;
};
constexpr std::array<StepName, step::count> kSteps{{
    {"fast-sin", "sine"},
    {"sin", "sine"},
    {"fast-cos", "cosine"},
    {"cos", "cosine"},
    {"fast-exp", "exponential"},
    {"exp", "exponential"},
    {"fast-log", "logarithm"},
    {"log", "logarithm"},
    {"fast-log2", "binary_logarithm"},
    {"log2", "binary_logarithm"},
    {"fast-pow", "power"},
    {"pow", "power"},
    {"fast-rcp", "reciprocal"},
    {"rcp", "reciprocal"},
    {"fast-sqrt", "root"},
    {"sqrt", "root"},
    {"fast-rsqrt", "reciprocal_root"},
    {"rsqrt", "reciprocal_root"},
    {"fast-div", "quotient"},
    {"div", "quotient"},
}};

bool is_exact(int step) {
    return step % 2 == 1;
}

// Number (of the step, from 1 on), title, what changed, why.
Version version(int step, std::string_view title, std::string_view changed, std::string_view why) {
    std::vector<StepKernel> steps(step::count);
    steps[std::size_t(step)] = {is_exact(step) ? kExact : kFast, Block{256, 1}};
    return {step + 1, title, changed, why, std::move(steps), {}};
}

std::vector<Version> versions() {
    return {
        version(step::sine, "__sinf", "The sine of each float, by the intrinsic.",
                "A product with 1 / 2 pi, then one instruction of the XU pipe."),
        version(step::sine_exact, "sinf", "The exact function.",
                "It reduces its argument and adds up a polynomial: right to 2 ulp everywhere."),
        version(step::cosine, "__cosf", "The cosine, by the intrinsic.",
                "As the sine: its error is absolute, so small results have few right digits."),
        version(step::cosine_exact, "cosf", "The exact function.", "As the exact sine: right to 2 ulp."),
        version(step::exponential, "__expf", "Powers of e, by the intrinsic.",
                "A product with log2 e, then 2^x: the product's rounding grows with x."),
        version(step::exponential_exact, "expf", "The exact function.",
                "It keeps what the product loses, with two multiply-adds more."),
        version(step::logarithm, "__logf", "Natural logarithms, by the intrinsic.",
                "log2, then a product with ln 2: near 1 the error is absolute."),
        version(step::logarithm_exact, "logf", "The exact function.",
                "A polynomial of what is above 1: right where the result is near 0, too."),
        version(step::binary_logarithm, "__log2f", "Logarithms to the base of two, by the intrinsic.",
                "One instruction of the XU pipe."),
        version(step::binary_logarithm_exact, "log2f", "The exact function.",
                "As the natural logarithm, with another constant."),
        version(step::power, "__powf", "Each float to the power of 2.5, by the intrinsic.",
                "log2, a product, 2^x: the error of the logarithm grows with the result's exponent."),
        version(step::power_exact, "powf", "The exact function.",
                "The logarithm in two floats: the most instructions of all here."),
        version(step::reciprocal, "fast reciprocal", "The reciprocal that the XU pipe approximates.",
                "One instruction, off by 1 ulp at most."),
        version(step::reciprocal_exact, "reciprocal", "1 / x, rounded correctly.",
                "Corrections by multiply-adds, and a branch for extreme numbers."),
        version(step::root, "fast root", "The square root that the XU pipe approximates.",
                "A reciprocal root and a product."),
        version(step::root_exact, "sqrtf", "The square root, rounded correctly.",
                "Corrections by multiply-adds behind the same instruction."),
        version(step::reciprocal_root, "rsqrtf", "The reciprocal of the root: no intrinsic has another name.",
                "One instruction of the XU pipe."),
        version(step::reciprocal_root_exact, "1 / sqrtf", "The root, then its reciprocal.",
                "Two roundings, each of them correct."),
        version(step::quotient, "__fdividef", "A number, divided by each float, by the intrinsic.",
                "A reciprocal and a product: wrong in the last bits."),
        version(step::quotient_exact, "division", "Quotients as IEEE 754 rounds them.",
                "A reciprocal and its corrections, and a branch for extreme numbers."),
    };
}

// The floats of the binade, all of them or evenly chosen ones.
void make_floats(Extent size, const KnobValues& knobs, std::uint8_t* out) {
    const int exponent = std::clamp(knobs.at("EXPONENT"), -24, 24);
    const std::size_t count = size.pixels();
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t place = i * kFloatsOfBinade / count;
        const double mantissa = double(place) / double(kFloatsOfBinade);
        const auto value = float(std::ldexp(1 + mantissa, exponent));
        std::memcpy(out + i * sizeof value, &value, sizeof value);
    }
}

void native_whole(ThreadPool& pool, const Problem& problem, int buffer, std::uint8_t* out) {
    const Function& function = function_of(buffer - 1);
    const std::uint8_t* in = problem.input->data();
    const auto width = std::size_t(problem.size.width);
    pool.for_slices(problem.size.height, [&](int first, int last) {
        for (std::size_t i = width * std::size_t(first); i < width * std::size_t(last); ++i) {
            float argument = 0;
            std::memcpy(&argument, in + i * sizeof argument, sizeof argument);
            const auto value = float(function.exact(double(argument)));
            std::memcpy(out + i * sizeof value, &value, sizeof value);
        }
    });
}

// The guide's bounds, on the binade that they are about.
std::vector<PublishedFigure> figures() {
    constexpr std::string_view kGuide = "CUDA C++ Programming Guide, mathematical functions";
    constexpr std::string_view kGpu = "H200";
    using Quantity = PublishedQuantity;
    std::vector<PublishedFigure> list;
    const auto add = [&](int step, Quantity quantity, double value, const KnobValues& knobs = {}) {
        list.push_back({step + 1, kGpu, kGuide, kWhole, quantity, value, knobs});
    };
    // In units of 2^-22.
    add(step::sine, Quantity::largest_error, 1.505);    // 2^-21.41
    add(step::cosine, Quantity::largest_error, 1.753);  // 2^-21.19
    add(step::logarithm, Quantity::largest_error, 1.505);
    add(step::binary_logarithm, Quantity::largest_error, 1);
    for (const int exponent : {0, 3, 5}) {
        const double bound = 2 + std::floor(1.173 * std::exp2(exponent + 1));
        add(step::exponential, Quantity::largest_ulps, bound, {{"EXPONENT", exponent}});
    }
    add(step::logarithm, Quantity::largest_ulps, 3, {{"EXPONENT", 4}});
    add(step::binary_logarithm, Quantity::largest_ulps, 2, {{"EXPONENT", 4}});
    add(step::reciprocal, Quantity::largest_ulps, 1);
    add(step::root, Quantity::largest_ulps, 1);
    add(step::reciprocal_root, Quantity::largest_ulps, 2);
    add(step::quotient, Quantity::largest_ulps, 2);
    add(step::sine_exact, Quantity::largest_ulps, 2);
    add(step::cosine_exact, Quantity::largest_ulps, 2);
    add(step::exponential_exact, Quantity::largest_ulps, 2);
    add(step::logarithm_exact, Quantity::largest_ulps, 1);
    add(step::binary_logarithm_exact, Quantity::largest_ulps, 1);
    return list;
}

Lab make() {
    using Kind = Argument::Kind;
    Lab lab;
    lab.id = "intrinsics";
    lab.title = "intrinsics and exact functions";
    lab.question = "What does an intrinsic save, and how wrong is it?";
    lab.buffers = {{"floats", Element::float32, Content::made}};
    View result{.name = "result", .title = "the result", .shows = 1, .first = true, .ways = {}, .key = 'e'};
    for (int i = 0; i < step::count; ++i) {
        const Function& function = function_of(i);
        lab.buffers.push_back(
            {.name = kSteps[std::size_t(i)].name,
             .element = Element::float32,
             .allowed_ulps = is_exact(i) ? function.allowed_of_exact : function.allowed_of_intrinsic});
        lab.steps.push_back({kSteps[std::size_t(i)].name, kSteps[std::size_t(i)].entry});
        lab.by_weight.push_back(i);
        result.ways.push_back(
            {{i, {{Kind::input, 0}, {Kind::output, i + 1}, {Kind::width, -1}, {Kind::height, -1}}}});
    }
    lab.views = {{.name = "source", .title = "the floats", .shows = 0, .ways = {}, .key = 'r'}, result};
    lab.versions = versions();
    lab.presets = {Block{32, 1}, Block{64, 1}, Block{128, 1}, Block{256, 1}, Block{512, 1}};
    lab.sizes = {{{512, 256}, {1024, 512}, {2048, 1024}, kWhole}, kWhole};
    lab.figures = figures();
    lab.native = {nullptr, native_whole};
    lab.made_input.knobs = {{"EXPONENT", 0}};
    lab.made_input.make = make_floats;
    return lab;
}

}  // namespace

const Lab& lab() {
    static const Lab kLab = make();
    return kLab;
}

}  // namespace ws::intrinsics
