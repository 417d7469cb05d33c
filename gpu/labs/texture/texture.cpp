#include "gpu/labs/texture/texture.h"

#include <algorithm>
#include <cmath>

#include "gpu/core/thread_pool.h"
#include "gpu/labs/texture/sine.cuh"

namespace ws::texture {
namespace {

constexpr int kSteps = 4;
constexpr Block kRow{256, 1};
constexpr Block kTile{8, 32};

std::vector<StepKernel> only(int step, std::string_view kernel, Block block) {
    std::vector<StepKernel> kernels(kSteps);
    kernels[std::size_t(step)] = {kernel, block};
    return kernels;
}

// Number, title, what changed, why; the kernel.
const std::vector<Version>& versions() {
    static const std::vector<Version> kVersions{
        {1,
         "a warp is a row",
         "Each thread reads the pixel that its own comes from, by a global load.",
         "The formula as it is written: at 0 degrees a warp reads a row.",
         only(step::nearest, "texture_t1", kRow),
         {}},
        {2,
         "a warp is 8 x 4",
         "Blocks of 8 x 32: a warp makes a tile of the result, not a row.",
         "A tile that is turned stays near itself: fewer lines and sectors at large angles.",
         only(step::nearest, "texture_t1", kTile),
         {}},
        {3,
         "read-only loads",
         "The loads promise that nobody writes the picture.",
         "Kepler takes them through its texture cache; later GPUs keep all loads in L1.",
         only(step::nearest, "texture_t2", kTile),
         {}},
        {4,
         "a texture, a warp is a row",
         "The picture lies in tiles, and the texture unit reads it.",
         "Neighbours in a column share sectors, too; what lies outside costs no instruction.",
         only(step::fetched, "texture_t3", kRow),
         {}},
        {5,
         "a texture, a warp is 8 x 4",
         "Blocks of 8 x 32 again, now of a texture.",
         "Tiles of the result meet tiles of memory: few sectors at every angle.",
         only(step::fetched, "texture_t3", kTile),
         {}},
        {6,
         "between pixels, by hand",
         "The mean of four pixels, weighed by how near they are.",
         "Smooth edges, for four loads and their arithmetic.",
         only(step::linear, "texture_t4", kTile),
         {}},
        {7,
         "between pixels, by the texture",
         "The texture unit weighs the four pixels.",
         "One fetch instead of four loads and their arithmetic; weights have 8 bits.",
         only(step::filtered, "texture_t5", kTile),
         {}},
    };
    return kVersions;
}

// As texture.cuh has it: each operation rounds on its own.
struct Turn {
    Extent size;
    float sine = 0, cosine = 1;
    Sampling::Address address = Sampling::Address::clamp;
    const std::uint8_t* picture = nullptr;

    [[nodiscard]] std::pair<float, float> source_of(int x, int y) const {
        const float middle_x = 0.5f * float(size.width - 1);
        const float middle_y = 0.5f * float(size.height - 1);
        const float across = float(x) - middle_x;
        const float down = float(y) - middle_y;
        return {middle_x + (cosine * across + sine * down), middle_y + (cosine * down - sine * across)};
    }

    // -1 where it is black.
    [[nodiscard]] int addressed(int at, int side) const {
        if (address == Sampling::Address::wrap) return (at % side + side) % side;
        if (address == Sampling::Address::border) return at < 0 || at >= side ? -1 : at;
        return std::clamp(at, 0, side - 1);
    }

    [[nodiscard]] float gray_at(int x, int y) const {
        x = addressed(x, size.width);
        y = addressed(y, size.height);
        if (x < 0 || y < 0) return 0;
        const std::uint8_t* p = picture + 4 * (std::size_t(y) * std::size_t(size.width) + std::size_t(x));
        return 0.299f * float(p[0]) + 0.587f * float(p[1]) + 0.114f * float(p[2]);
    }

    [[nodiscard]] float nearest(int x, int y) const {
        const auto [from_x, from_y] = source_of(x, y);
        return gray_at(int(std::floor(from_x + 0.5f)), int(std::floor(from_y + 0.5f)));
    }

    [[nodiscard]] float linear(int x, int y) const {
        const auto mix = [](float first, float second, float share) {
            return (1.0f - share) * first + share * second;
        };
        const auto [from_x, from_y] = source_of(x, y);
        const float left = std::floor(from_x);
        const float top = std::floor(from_y);
        const int column = int(left);
        const int row = int(top);
        const float upper = mix(gray_at(column, row), gray_at(column + 1, row), from_x - left);
        const float lower = mix(gray_at(column, row + 1), gray_at(column + 1, row + 1), from_x - left);
        return mix(upper, lower, from_y - top);
    }
};

Turn turn_of(const Problem& problem) {
    const int angle = std::clamp(problem.knobs.at("ANGLE"), 0, 90);
    const int address = std::clamp(problem.knobs.at("ADDRESS"), 0, int(Sampling::Address::border));
    return {problem.size, kSine[std::size_t(angle)], kSine[std::size_t(90 - angle)],
            Sampling::Address(address), problem.input->data()};
}

void native_whole(ThreadPool& pool, const Problem& problem, int buffer, std::uint8_t* out) {
    const Turn turn = turn_of(problem);
    const int width = problem.size.width;
    pool.for_slices(problem.size.height, [&](int first, int last) {
        for (int y = first; y < last; ++y) {
            std::uint8_t* row = out + std::size_t(y) * std::size_t(width);
            for (int x = 0; x < width; ++x) {
                const float gray = buffer == buffer::nearest ? turn.nearest(x, y) : turn.linear(x, y);
                row[x] = std::uint8_t(std::min(255, int(std::floor(gray + 0.5f))));  // as the kernels round
            }
        }
    });
}

std::vector<Pass> way(int step, Argument from, int to) {
    using Kind = Argument::Kind;
    return {{step, {from, {Kind::output, to}, {Kind::width, -1}, {Kind::height, -1}}}};
}

Argument picture_as_texture(bool linear) {
    Argument argument{Argument::Kind::texture, buffer::picture};
    argument.sampling.linear = linear;
    argument.sampling.address_knob = "ADDRESS";
    return argument;
}

Lab make() {
    Lab lab;
    lab.id = "texture";
    lab.title = "textures";
    lab.question = "When does a texture read a turned picture faster than loads do?";
    // Weights of 8 bits, rounded or cut off, are wrong by up to 1/256 across and down: by less than 2 of 255
    // levels.
    lab.buffers = {{"picture", Element::rgba, Content::picture},
                   {"nearest"},
                   {"linear"},
                   {.name = "filtered", .tolerance = 2}};
    lab.steps = {{"nearest", "rotate"}, {"fetched", "rotate"}, {"linear", "rotate"}, {"filtered", "rotate"}};
    lab.by_weight = {step::nearest, step::fetched, step::linear, step::filtered};
    const Argument plain{Argument::Kind::input, buffer::picture};
    lab.views = {{.name = "original", .title = "original", .shows = buffer::picture, .ways = {}, .key = 'r'},
                 {.name = "result",
                  .title = "the result",
                  .shows = buffer::nearest,
                  .first = true,
                  .ways = {way(step::nearest, plain, buffer::nearest),
                           way(step::fetched, picture_as_texture(false), buffer::nearest),
                           way(step::linear, plain, buffer::linear),
                           way(step::filtered, picture_as_texture(true), buffer::filtered)},
                  .key = 'e'}};
    lab.versions = versions();
    lab.presets = {Block{256, 1}, Block{32, 8}, Block{16, 16}, Block{8, 32}, Block{4, 64}};
    lab.reach = kReadsAnywhere;
    lab.native = {nullptr, native_whole};
    lab.made_input.knobs = {{"ANGLE", 30}, {"ADDRESS", 0}};
    return lab;
}

}  // namespace

const Lab& lab() {
    static const Lab kLab = make();
    return kLab;
}

}  // namespace ws::texture
