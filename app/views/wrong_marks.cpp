#include "app/views/wrong_marks.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/words.h"
#include "gpu/engine/wrong_places.h"

namespace ws {
namespace {

constexpr float kPixelsFrom = 8;   // zoom from which wrong pixels are marked one by one
constexpr float kJumpsTo = 24;     // zoom at which pixels have their values in them
constexpr float kLeastFrame = 30;  // of a cluster, in pixels at 1080 lines

// Where the picture's pixels lie on the screen.
struct Lens {
    PicturePoint origin;  // the picture's point at the screen's corner
    float zoom = 1;
    [[nodiscard]] float x(int column) const { return (float(column) - origin.x) * zoom; }
    [[nodiscard]] float y(int row) const { return (float(row) - origin.y) * zoom; }
};

Ink casing(const Canvas& canvas) {
    return canvas.theme() == Theme::light ? Ink::on_shade : Ink::shade;
}

// Seen on dark and on bright pictures.
void mark(Canvas& canvas, Box box, float thickness) {
    canvas.frame(box.inset(-canvas.px(thickness)), casing(canvas), 4, 3 * thickness);
    canvas.frame(box, Ink::alarm, 3, thickness);
}

void draw_clusters(Canvas& canvas, const Lens& lens, const Box& clip, const WrongPlaces& where) {
    for (const WrongCluster& cluster : where.clusters) {
        Box box{lens.x(cluster.left), lens.y(cluster.top), 0, 0};
        box.w = lens.x(cluster.right + 1) - box.x;
        box.h = lens.y(cluster.bottom + 1) - box.y;
        const float least = canvas.px(kLeastFrame);
        box = box.inset(-std::max(canvas.px(4), (least - box.w) / 2),
                        -std::max(canvas.px(4), (least - box.h) / 2));
        const bool seen =
            box.x < clip.right() && box.right() > clip.x && box.y < clip.bottom() && box.bottom() > clip.y;
        if (!seen) continue;
        mark(canvas, box, 3);
        // The sign stays in the picture, as long as the frame does.
        const float side = canvas.px(34);
        const Box sign{std::clamp(box.x, clip.x, std::max(clip.x, clip.right() - side)),
                       std::clamp(box.y, clip.y, std::max(clip.y, clip.bottom() - side)), side, side};
        canvas.list().AddRectFilled({sign.x, sign.y}, {sign.right(), sign.bottom()},
                                    canvas.color(Ink::shade));
        canvas.warning(sign.inset(canvas.px(4)), Ink::on_shade);
    }
}

void draw_pixels(Canvas& canvas, const Lens& lens, const Box& clip, Extent size, std::size_t bytes,
                 const HostBytes& result, const HostBytes& defined) {
    const auto first = [](float at, float zoom, float origin) {
        return std::max(0, int(std::floor(at / zoom + origin)));
    };
    const int left = first(clip.x, lens.zoom, lens.origin.x);
    const int top = first(clip.y, lens.zoom, lens.origin.y);
    const int right = std::min(size.width, first(clip.right(), lens.zoom, lens.origin.x) + 1);
    const int bottom = std::min(size.height, first(clip.bottom(), lens.zoom, lens.origin.y) + 1);
    for (int row = top; row < bottom; ++row) {
        for (int column = left; column < right; ++column) {
            const std::size_t place =
                (std::size_t(row) * std::size_t(size.width) + std::size_t(column)) * bytes;
            if (std::memcmp(&result[place], &defined[place], bytes) == 0) continue;
            mark(canvas, Box{lens.x(column), lens.y(row), lens.zoom, lens.zoom}.inset(canvas.px(2)), 2);
        }
    }
}

}  // namespace

void draw_wrong_marks(const Stage& stage, const PicturePart& part, const HostBytes& result,
                      const HostBytes& defined) {
    const Snapshot& snapshot = stage.snapshot;
    if (!snapshot.result.difference || part.side == Side::a) return;
    Canvas& canvas = stage.canvas;
    const Extent size = snapshot.shown_size;
    const Camera& camera = stage.view.preferences.camera;
    const Lens lens{picture_point(camera, part.area, size, 0, 0), zoom_of(camera, part.area, size)};
    const Box clip{float(part.clip.x), float(part.clip.y), float(part.clip.width), float(part.clip.height)};
    canvas.list().PushClipRect({clip.x, clip.y}, {clip.right(), clip.bottom()}, true);
    const bool fits = result.size() == defined.size() && size.pixels() > 0 &&
                      result.size() % size.pixels() == 0 && !result.empty();
    if (lens.zoom >= kPixelsFrom && fits)
        draw_pixels(canvas, lens, clip, size, result.size() / size.pixels(), result, defined);
    draw_clusters(canvas, lens, clip, snapshot.result.difference->where);
    canvas.list().PopClipRect();
}

void draw_wrong_label(const Stage& stage, float right, float y) {
    const std::optional<Difference>& difference = stage.snapshot.result.difference;
    if (!difference || difference->wrong == 0) return;
    Canvas& canvas = stage.canvas;
    const std::string_view words = difference->wrong == 1
                                       ? say("picture.wrong.one")
                                       : say("picture.wrong", grouped_number(difference->wrong));
    const float sign = canvas.px(40);
    const Box box{std::round(right - canvas.width(words, Font::body) - canvas.px(32) - sign), std::round(y),
                  canvas.width(words, Font::body) + canvas.px(32) + sign, canvas.px(44)};
    canvas.fill(box, Ink::shade, 6);
    canvas.warning({box.x + canvas.px(12), box.y + canvas.px(8), canvas.px(30), canvas.px(28)},
                   Ink::on_shade);
    canvas.text(box.after(canvas.px(16) + sign), words, Font::body, Ink::on_shade);
}

std::optional<MoveCamera> to_next_wrong(const Difference& difference, const Camera& camera, int by) {
    std::optional<Place> from;
    if (camera.framing == Framing::free)
        from = Place{int(std::floor(camera.center_x)), int(std::floor(camera.center_y))};
    const std::optional<Place> next = next_wrong(difference.where, from, by);
    if (!next) return std::nullopt;
    const float zoom = camera.framing == Framing::free ? std::max(camera.zoom, kJumpsTo) : kJumpsTo;
    return MoveCamera{{Framing::free, zoom, float(next->column) + 0.5f, float(next->row) + 0.5f}};
}

}  // namespace ws
