#include "gpu/labs/dynamic_parallelism/dynamic_parallelism.h"

#include <algorithm>
#include <cstring>

#include "gpu/core/thread_pool.h"
#include "gpu/labs/dynamic_parallelism/mandelbrot.h"

namespace ws::dynamic_parallelism {
namespace {

constexpr Block kPixels{32, 4};
constexpr Block kSquare{64, 1};
const StepKernel kNone{};

std::vector<StepKernel> by_regions(std::string_view kernel) {
    return {kNone, kNone, kNone, kNone, kNone, {kernel, kSquare}};
}

// Number, title, what changed, why; the kernels.
const std::vector<Version>& versions() {
    static const std::vector<Version> kVersions{
        {1,
         "every pixel",
         "A thread computes one pixel.",
         "One launch, and nobody waits; but points inside take all their rounds.",
         {{"mandelbrot_d1", kPixels}, kNone, kNone, kNone, kNone, kNone},
         {}},
        {2,
         "levels from the host",
         "Squares whose border is alike are filled; the host launches every size of square.",
         "Most pixels cost nothing; but the host launches a block for every square that could be open.",
         {kNone,
          {"mandelbrot_o64", kSquare},
          {"mandelbrot_o32", kSquare},
          {"mandelbrot_o16", kSquare},
          {"mandelbrot_fill", kPixels},
          kNone},
         {}},
        {3,
         "squares launch their quarters",
         "A block whose border is open launches four blocks, down to 16 x 16 pixels.",
         "No level waits for the one before; but each grid of four small blocks is a launch.",
         by_regions("mandelbrot_d3"),
         {}},
        {4,
         "one launch a square",
         "A block launches all that is open in its square as one grid.",
         "Fewer launches, of up to 16 blocks, and none of them launches again.",
         by_regions("mandelbrot_d4"),
         {}},
        {5,
         "a block does it all",
         "The block goes through its open quarters itself.",
         "No launch at all; but the block with the most to do decides.",
         by_regions("mandelbrot_d5"),
         {}},
    };
    return kVersions;
}

void make_plane(Extent size, const KnobValues& knobs, std::uint8_t* out) {
    const Plane plane =
        plane_of(size, std::clamp(knobs.at("ZOOM"), 0, 6), std::clamp(knobs.at("DWELL"), 16, 4096));
    std::memcpy(out, &plane, sizeof plane);
}

void compute(ThreadPool& pool, const std::uint8_t* input, Extent size, int buffer, std::uint8_t* out) {
    Plane plane;
    std::memcpy(&plane, input, sizeof plane);
    const auto mark = [&](int side) {
        mark_squares(pool, plane, size, side, reinterpret_cast<std::int32_t*>(out));
    };
    switch (buffer) {
        case buffer::exact:
            return draw_exact(pool, plane, size, out);
        case buffer::marks_64:
            return mark(kLargest);
        case buffer::marks_32:
            return mark(kLargest / 2);
        case buffer::marks_16:
            return mark(kSmallest);
        default:
            return draw_filled(pool, plane, size, out);
    }
}

// Each step by its definition, whatever the steps before have left.
void native_step(ThreadPool& pool, int step, Extent size, const std::uint8_t* in, std::uint8_t* out) {
    compute(pool, in, size, std::min(step + 1, int(buffer::filled)), out);
}
void native_whole(ThreadPool& pool, const Problem& problem, int buffer, std::uint8_t* out) {
    compute(pool, problem.input->data(), problem.size, buffer, out);
}

Pass pass(int step, int above, int to) {
    using Kind = Argument::Kind;
    Pass made{step, {{Kind::input, buffer::plane}}};
    if (above != buffer::plane) made.arguments.push_back({Kind::input, above});
    made.arguments.push_back({Kind::output, to});
    made.arguments.push_back({Kind::width, -1});
    made.arguments.push_back({Kind::height, -1});
    return made;
}

Lab make() {
    Lab lab;
    lab.id = "dynamic-parallelism";
    lab.title = "dynamic parallelism";
    lab.question = "What does it save when kernels launch kernels, and what does it cost?";
    const auto marks = [](std::string_view name, int side) {
        return Buffer{.name = name, .element = Element::int32, .square_of = side};
    };
    lab.buffers = {{.name = "plane", .element = Element::float32, .content = Content::made, .elements = 4},
                   {"exact", Element::gray},
                   marks("marks-64", kLargest),
                   marks("marks-32", kLargest / 2),
                   marks("marks-16", kSmallest),
                   {"filled", Element::gray}};
    const auto uneven = [](std::string_view name, std::string_view entry) {
        return Step{.name = name, .entry = entry, .uneven = true};
    };
    lab.steps = {{"pixels", "pixels"},
                 uneven("outline-64", "outline"),
                 uneven("outline-32", "outline_open"),
                 uneven("outline-16", "outline_open"),
                 {"fill", "fill_picture"},
                 uneven("regions", "regions")};
    lab.by_weight = {step::regions,    step::pixels,     step::fill,
                     step::outline_64, step::outline_32, step::outline_16};
    lab.views = {
        {.name = "source", .title = "the place in the plane", .shows = buffer::plane, .ways = {}, .key = 'r'},
        {.name = "result",
         .title = "the picture",
         .shows = buffer::filled,
         .first = true,
         .ways = {{pass(step::pixels, buffer::plane, buffer::exact)},
                  {pass(step::outline_64, buffer::plane, buffer::marks_64),
                   pass(step::outline_32, buffer::marks_64, buffer::marks_32),
                   pass(step::outline_16, buffer::marks_32, buffer::marks_16),
                   pass(step::fill, buffer::marks_16, buffer::filled)},
                  {pass(step::regions, buffer::plane, buffer::filled)}},
         .key = 'e'}};
    lab.versions = versions();
    lab.presets = {Block{64, 1}, Block{32, 1}, Block{128, 1}, Block{32, 4}, Block{32, 8}};
    for (const int side : {256, 512, 1024, 2048, 4096}) lab.sizes.swept.push_back({side, side});
    lab.sizes.first = {1024, 1024};
    lab.reach = kReadsAnywhere;
    lab.native = {native_step, native_whole};
    lab.made_input.knobs = {{"DWELL", 512}, {"ZOOM", 0}};
    lab.made_input.make = make_plane;
    return lab;
}

}  // namespace

const Lab& lab() {
    static const Lab kLab = make();
    return kLab;
}

}  // namespace ws::dynamic_parallelism
