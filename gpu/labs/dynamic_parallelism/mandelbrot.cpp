#include "gpu/labs/dynamic_parallelism/mandelbrot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace ws::dynamic_parallelism {
namespace {

struct Place {
    int x = 0, y = 0;
};

// So many points side by side, which a compiler makes SIMD of.
constexpr std::size_t kPoints = 16;
using Dwells = std::array<std::int32_t, kPoints>;

// Sums and products are rounded one by one: the compiler is told to fuse none.
Dwells dwells_at(const Plane& plane, std::span<const Place> places) {
    std::array<float, kPoints> real{}, imaginary{}, a{}, b{};
    Dwells rounds{}, inside{};
    for (std::size_t i = 0; i < places.size(); ++i) {
        real[i] = plane.left + float(places[i].x) * plane.step;
        imaginary[i] = plane.top + float(places[i].y) * plane.step;
        inside[i] = 1;
    }
    const auto most = std::int32_t(plane.dwell);
    std::int32_t any = 1;
    for (std::int32_t round = 0; round < most && any != 0; ++round) {
        any = 0;
        for (std::size_t i = 0; i < kPoints; ++i) {
            const float aa = a[i] * a[i];
            const float bb = b[i] * b[i];
            const float ab = a[i] * b[i];
            inside[i] = aa + bb > 4 ? 0 : inside[i];
            rounds[i] += inside[i];
            any |= inside[i];
            b[i] = ab + ab + imaginary[i];
            a[i] = aa - bb + real[i];
        }
    }
    return rounds;
}

std::uint8_t shade(std::int32_t rounds, const Plane& plane) {
    return rounds >= std::int32_t(plane.dwell) ? 0 : std::uint8_t(40 + rounds * 5 % 216);
}

struct Area {
    int left = 0, top = 0, width = 0, height = 0;
};
Area square_at(int column, int row, int side, Extent size) {
    return {column * side, row * side, std::min(side, size.width - column * side),
            std::min(side, size.height - row * side)};
}

Extent squares(Extent size, int side) {
    return {(size.width + side - 1) / side, (size.height + side - 1) / side};
}

std::vector<Place> border_of(const Area& area) {
    std::vector<Place> places;
    for (int y = 0; y < area.height; ++y) {
        const bool whole = y == 0 || y == area.height - 1;
        for (int x = 0; x < area.width; x += whole ? 1 : std::max(1, area.width - 1))
            places.push_back({area.left + x, area.top + y});
    }
    return places;
}

std::int32_t common_dwell(const Plane& plane, const Area& area) {
    const std::vector<Place> border = border_of(area);
    std::int32_t common = kOpen;
    for (std::size_t first = 0; first < border.size(); first += kPoints) {
        const std::size_t count = std::min(kPoints, border.size() - first);
        const Dwells dwells = dwells_at(plane, std::span(border).subspan(first, count));
        if (common == kOpen) common = dwells[0];
        for (std::size_t i = 0; i < count; ++i) {
            if (dwells[i] != common) return kOpen;
        }
    }
    return common;
}

void draw_row(const Plane& plane, int x, int end, int y, std::uint8_t* row) {
    for (; x < end; x += int(kPoints)) {
        std::array<Place, kPoints> places;
        const auto count = std::size_t(std::min(int(kPoints), end - x));
        for (std::size_t i = 0; i < count; ++i) places[i] = {x + int(i), y};
        const Dwells dwells = dwells_at(plane, std::span(places).first(count));
        for (std::size_t i = 0; i < count; ++i) row[std::size_t(x) + i] = shade(dwells[i], plane);
    }
}

std::vector<std::int32_t> marks_of(ThreadPool& pool, const Plane& plane, Extent size, int side) {
    std::vector<std::int32_t> marks(squares(size, side).pixels());
    mark_squares(pool, plane, size, side, marks.data());
    return marks;
}

}  // namespace

Plane plane_of(Extent size, int zoom, int dwell) {
    constexpr float kSide = 3;
    // The whole set, or a place at its border.
    const float x = zoom == 0 ? -0.75f : -0.7436f;
    const float y = zoom == 0 ? 0.0f : 0.1318f;
    const float step = kSide / float(std::max(size.width, size.height)) / float(1 << zoom);
    return {x - step * float(size.width) / 2, y - step * float(size.height) / 2, step, float(dwell)};
}

void draw_exact(ThreadPool& pool, const Plane& plane, Extent size, std::uint8_t* out) {
    pool.for_slices(size.height, [&](int first, int last) {
        for (int y = first; y < last; ++y)
            draw_row(plane, 0, size.width, y, out + std::size_t(y) * std::size_t(size.width));
    });
}

void mark_squares(ThreadPool& pool, const Plane& plane, Extent size, int side, std::int32_t* out) {
    const std::vector<std::int32_t> above =
        side < kLargest ? marks_of(pool, plane, size, 2 * side) : std::vector<std::int32_t>();
    const Extent count = squares(size, side);
    const auto across_above = std::size_t(squares(size, 2 * side).width);
    pool.for_slices(count.height, [&](int first, int last) {
        for (int row = first; row < last; ++row) {
            for (int column = 0; column < count.width; ++column) {
                const std::int32_t known =
                    above.empty() ? kOpen
                                  : above[std::size_t(row / 2) * across_above + std::size_t(column / 2)];
                out[std::size_t(row) * std::size_t(count.width) + std::size_t(column)] =
                    known == kOpen ? common_dwell(plane, square_at(column, row, side, size)) : known;
            }
        }
    });
}

void draw_filled(ThreadPool& pool, const Plane& plane, Extent size, std::uint8_t* out) {
    const std::vector<std::int32_t> marks = marks_of(pool, plane, size, kSmallest);
    const Extent count = squares(size, kSmallest);
    pool.for_slices(count.height, [&](int first, int last) {
        for (int row = first; row < last; ++row) {
            for (int column = 0; column < count.width; ++column) {
                const Area area = square_at(column, row, kSmallest, size);
                const std::int32_t mark =
                    marks[std::size_t(row) * std::size_t(count.width) + std::size_t(column)];
                for (int y = area.top; y < area.top + area.height; ++y) {
                    std::uint8_t* at = out + std::size_t(y) * std::size_t(size.width);
                    if (mark == kOpen)
                        draw_row(plane, area.left, area.left + area.width, y, at);
                    else
                        std::fill_n(at + area.left, area.width, shade(mark, plane));
                }
            }
        }
    });
}

}  // namespace ws::dynamic_parallelism
