// The room and what lies flat in it: table, wall, cloth, book.

#include "tools/scene/materials.h"
#include "tools/scene/noise.h"
#include "tools/scene/shapes.h"

namespace still_life {
namespace {

constexpr float kBoard = 1.55f;  // width of a board of the table

struct Board {
    int number;
    float across;  // from its middle, decimetres
};

Board board_at(Vec p) {
    const int number = int(std::floor(p.z / kBoard));
    return {number, p.z - (float(number) + 0.5f) * kBoard};
}

// Year rings of a log from which the board is sawn, cut lengthwise: long ovals and lines.
float rings(Vec p, const Board& board) {
    const float key = 13.7f * float(board.number);
    const float off = 1.6f * hash_of(board.number, 7) - 0.8f;
    const float z = board.across * 1.3f + off;
    const float wobble =
        0.5f * noise({p.x * 0.22f + key, z * 0.8f, key}) + 0.08f * noise({p.x * 1.1f, z * 3, key});
    const float depth = 0.35f + 0.16f * noise({p.x * 0.12f, key, 3});
    return 6.5f * (hypot2(z, depth) + wobble);
}

float grain(Vec p, const Board& board) {
    const float key = 5.1f * float(board.number);
    return fractal({p.x * 2.2f + key, key, p.z * 46}, 3);
}

// Short dark pores along the grain.
float pores(Vec p) {
    const float field = noise({p.x * 3.5f, 1, p.z * 70});
    return step_between(0.45f, 0.75f, field);
}

float gap(const Board& board) {
    return step_between(kBoard / 2 - 0.035f, kBoard / 2 - 0.008f, std::abs(board.across));
}

Surface paint_table(Vec p) {
    const Board board = board_at(p);
    const float phase = rings(p, board);
    const float saw = phase - std::floor(phase);
    // Late wood is dark, and ends sharply.
    const float late = step_between(0.15f, 0.9f, saw) * step_between(1.0f, 0.93f, saw);
    const float tone = hash_of(board.number, 3);
    Vec color = mix(Vec{0.40f, 0.215f, 0.098f}, Vec{0.48f, 0.285f, 0.145f}, tone);
    color = mix(color, Vec{0.225f, 0.105f, 0.042f}, 0.72f * late);
    color = color * (1 + 0.35f * grain(p, board)) * (1 + 0.18f * fractal({p.x * 0.5f, 4, p.z * 0.7f}, 2));
    color = mix(color, Vec{0.1f, 0.045f, 0.02f}, 0.5f * pores(p));
    color = color * (1 - 0.9f * gap(board));
    const float worn = 0.25f + 0.1f * fractal({p.x * 0.8f, 9, p.z * 0.8f}, 3) + 0.12f * late;
    return {color, 0.04f, worn};
}

float table_relief(Vec p) {
    const Board board = board_at(p);
    return 0.0035f * grain(p, board) - 0.004f * pores(p) - 0.05f * gap(board);
}

// A painting in a frame on the wall: hills under a yellow sky.
bool painting(Vec p, Vec& color) {
    const float x = p.x + 3.0f;
    const float y = p.y - 3.75f;
    const float edge = std::max(std::abs(x) - 1.5f, std::abs(y) - 1.15f);
    if (edge > 0.2f) return false;
    if (edge > 0) {
        color = Vec{0.09f, 0.045f, 0.025f} * (1.0f + 2.0f * band(edge - 0.14f, 0.03f, 0.02f));
    } else if (edge > -0.38f) {
        color = {0.66f, 0.62f, 0.53f};
    } else {
        const float strokes = 0.16f * fractal({x * 5, y * 9, 2}, 3);
        const float far = 0.18f + 0.22f * noise({x * 1.3f, 4, 1});
        const float near = -0.3f + 0.25f * noise({x * 1.1f + 3, 8, 1});
        color = mix(Vec{0.66f, 0.5f, 0.26f}, Vec{0.3f, 0.42f, 0.5f}, step_between(0, 0.9f, y));
        if (y < far) color = {0.16f, 0.24f, 0.27f};
        if (y < near) color = {0.13f, 0.17f, 0.06f};
        color = color * (1 + 2 * strokes);
    }
    return true;
}

Surface paint_wall(Vec p) {
    Vec color{};
    if (painting(p, color)) return {color, 0.04f, 0.5f};
    const float blotches = fractal({p.x * 0.5f, p.y * 0.5f, 1}, 4);
    const Vec plaster = mix(Vec{0.30f, 0.335f, 0.315f}, Vec{0.385f, 0.41f, 0.37f}, 0.5f + blotches);
    return {plaster, 0.02f, 0.9f};
}

float wall_relief(Vec p) {
    return 0.008f * fractal({p.x * 6, p.y * 6, 1}, 4);
}

// Gingham: two colours of thread each way, with the weave to be seen.
Surface paint_cloth(Vec p) {
    constexpr float kCheck = 0.29f;
    const auto dark = [&](float x) {
        const float t = x / kCheck + 100;
        return std::fmod(std::floor(t), 2.0f);
    };
    const float hem = std::max(std::abs(p.x) - kClothX, std::abs(p.z) - kClothZ);
    const float both = dark(p.x) + dark(p.z);
    const Vec white{0.78f, 0.74f, 0.66f};
    const Vec red{0.50f, 0.035f, 0.035f};
    Vec color = mix(white, red, both < 0.5f ? 0.0f : both < 1.5f ? 0.52f : 1.0f);
    if (band(hem + 0.16f, 0.012f, 0.006f) > 0.5f) color = color * 0.6f;  // the seam
    const float weave = std::sin(p.x * 130) * std::sin(p.z * 130);
    return {color * (1 + 0.14f * weave + 0.12f * fractal(p * 14, 2)), 0.02f, 0.9f};
}

float cloth_relief(Vec p) {
    return 0.004f * std::sin(p.x * 130) * std::sin(p.z * 130) + 0.01f * fractal(p * 5, 2);
}

// Ink of a letter in a cell of one unit: stems and bars chosen by its number.
bool letter(float x, float y, unsigned kind) {
    const bool tall = kind % 5 == 0;  // with an ascender
    const bool deep = kind % 7 == 0;  // with a descender
    if (x < 0.12f || x > 0.84f) return false;
    const bool body = y > 0.34f && y < 0.78f;
    const bool left = x < 0.26f;
    const bool right = x > 0.68f;
    if (left && kind & 1) return y > (tall ? 0.08f : 0.34f) && y < (deep ? 0.98f : 0.78f);
    if (right && kind & 2) return body;
    if (body && kind & 4 && y < 0.43f) return true;
    if (body && kind & 8 && y > 0.69f) return true;
    if (body && kind & 16 && std::abs(y - 0.55f) < 0.045f) return true;
    return body && (kind & 3) == 0 && std::abs(x - 0.47f) < 0.08f;
}

// Ink of a column of text; x and y from its left upper corner.
bool text(float x, float y, float width, float letter_width, float line_height, int key) {
    const int line = int(std::floor(y / line_height));
    const int place = int(std::floor(x / letter_width));
    // A paragraph's first line is indented and its last one short.
    const bool first = hash_of(line, key, 1) < 0.14f;
    const bool last = hash_of(line + 1, key, 1) < 0.14f;
    if (first && x < 4 * letter_width) return false;
    if (last && x > width * (0.2f + 0.6f * hash_of(line, key, 2))) return false;
    // Words: a gap wherever a smooth count of letters says so.
    const float mark = hash_of(place, line, key);
    if (mark < 0.17f) return false;
    const float fx = x / letter_width - float(place);
    const float fy = y / line_height * 1.25f - float(line) * 1.25f;
    return fy < 1 && letter(fx, fy, mixed(unsigned(mark * 65536)));
}

// An engraving: a hill, a tree and a sun in hatching.
bool engraving(float x, float y) {
    const float sun = hypot2(x - 0.24f, y - 0.18f);
    const float hill = 0.42f + 0.07f * std::sin(x * 7);
    const float crown = hypot2((x + 0.2f) * 0.9f, y - 0.24f) - 0.16f - 0.02f * noise({x * 30, y * 30, 0});
    if (crown < 0) return std::sin((x - y) * 190) > -0.5f + 3 * (x + 0.2f);
    if (std::abs(x + 0.2f) < 0.018f && y < hill) return y > 0.2f;
    if (y > hill) return std::sin((y + 0.3f * x * x) * 240 + std::sin(x * 9)) > 0.1f;
    if (sun < 0.085f) return sun > 0.073f;
    return std::sin(y * 170) > 0.75f && sun > 0.12f;
}

bool ink(float x, float z) {
    const float side = x < 0 ? -1.0f : 1.0f;
    const float u = side < 0 ? x + kPageWidth - 0.2f : x - 0.22f;  // from the column's left edge
    const float v = z + kPageLength / 2 - 0.22f;                   // from its upper edge
    constexpr float kColumn = 1.08f;
    if (u < 0 || u > kColumn || v < 0 || v > 1.72f) return false;
    if (side < 0 && v < 0.66f) {
        const float frame = std::max(std::abs(u - kColumn / 2) - 0.5f, std::abs(v - 0.3f) - 0.29f);
        return frame < 0 && (frame > -0.012f || engraving(u - kColumn / 2, v));
    }
    if (side > 0 && v < 0.16f)
        return u > 0.22f && u < 0.86f && text(u - 0.22f, v - 0.02f, 2, 0.06f, 0.14f, 99);
    const float from = side < 0 ? 0.74f : 0.3f;
    if (v < from) return false;
    return text(u, v - from, kColumn, 0.034f, 0.076f, side < 0 ? 11 : 12);
}

Surface paint_pages(Vec p) {
    const bool top = std::abs(p.y - page_height(p.x)) < 0.02f && std::abs(p.z) < kPageLength / 2 - 0.004f;
    const Vec paper =
        mix(Vec{0.74f, 0.69f, 0.56f}, Vec{0.62f, 0.53f, 0.37f},
            step_between(0.7f, 1.05f, std::max(std::abs(p.x) / kPageWidth, std::abs(p.z) * 2 / kPageLength)) *
                0.5f);
    if (!top) {
        const float sheets = 0.5f + 0.5f * std::sin(p.y * 220 + 2 * noise(p * 6));
        return {paper * (0.72f + 0.28f * sheets), 0.02f, 0.9f};
    }
    if (ink(p.x, p.z)) return {{0.045f, 0.038f, 0.035f}, 0.03f, 0.7f};
    return {paper * (1 + 0.05f * fractal(p * 8, 2)), 0.03f, 0.7f};
}

Surface paint_cover(Vec p) {
    return {Vec{0.16f, 0.025f, 0.03f} * (1 + 0.4f * fractal(p * 22, 2)), 0.04f, 0.4f};
}

}  // namespace

const Material kTable{paint_table, table_relief};
const Material kWall{paint_wall, wall_relief};
const Material kCloth{paint_cloth, cloth_relief};
const Material kPages{paint_pages};
const Material kCover{paint_cover};

}  // namespace still_life
