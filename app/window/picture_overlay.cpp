#include "app/window/picture_overlay.h"

#include <array>
#include <cmath>

#include "app/canvas/controls.h"
#include "app/texts/texts.h"
#include "app/views/words.h"
#include "app/views/wrong_marks.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/matrix_picture.h"

namespace ws {
namespace {

constexpr float kValuesFrom = 24;  // zoom from which pixels have their values written in them

Box box_of(const Area& area) {
    return {float(area.x), float(area.y), float(area.width), float(area.height)};
}

struct Pixel {
    int column = 0;
    int row = 0;
    bool inside = false;
};

Pixel pixel_at(const PicturePart& part, const Camera& camera, Extent size, float x, float y) {
    const PicturePoint point = picture_point(camera, part.area, size, x, y);
    const Pixel pixel{int(std::floor(point.x)), int(std::floor(point.y)), false};
    const bool inside =
        pixel.column >= 0 && pixel.row >= 0 && pixel.column < size.width && pixel.row < size.height;
    return {pixel.column, pixel.row, inside};
}

std::string_view number_text(Element element, double value) {
    return element == Element::float32 || element == Element::float64 ? text("{:.4g}", value)
                                                                      : text("{}", std::int64_t(value));
}

std::string_view number_text(Element element, const HostBytes& bytes, Extent size, Pixel pixel) {
    const bool inside = pixel.column < size.width && pixel.row < size.height;
    if (!inside || bytes.size() != std::size_t(bytes_of(element)) * size.pixels()) return "–";
    return number_text(element, value_at(element, size, bytes.data(), pixel.column, pixel.row));
}

// Where a pixel of the lab's input lies in it.
std::size_t input_place(const Problem& problem, Pixel pixel) {
    return 4 * (std::size_t(pixel.row) * std::size_t(problem.size.width) + std::size_t(pixel.column));
}

std::string_view input_text(const Problem& problem, Pixel pixel) {
    const std::size_t place = input_place(problem, pixel);
    if (place + 4 > problem.input->size()) return "–";
    const std::uint8_t* p = problem.input->data() + place;
    if (problem.lab->takes_picture()) return text("{} {} {}", p[0], p[1], p[2]);
    const Element element = problem.lab->buffers.front().element;
    return number_text(element, value_of(element, p));
}

std::string_view value_text(const Engine& engine, const PictureScreen& screen, Side side, Pixel pixel) {
    const Snapshot& snapshot = engine.snapshot();
    const Problem& problem = snapshot.problem;
    if (side == Side::a) {
        const PictureA& a = screen.a();
        if (a.shown().side.kind == SideA::Kind::input) return input_text(problem, pixel);
        if (!a.shown().there) return "–";
        const BufferPicture& picture = *a.picture();
        const Extent size = picture.gray.size;
        if (pixel.column >= size.width || pixel.row >= size.height) return "–";
        if (!picture.is_picture) return number_text(picture.element, picture.values, size, pixel);
        return text(
            "{}",
            picture.gray.bytes[std::size_t(pixel.row) * std::size_t(size.width) + std::size_t(pixel.column)]);
    }
    if (!runs_anything(snapshot.work)) return input_text(problem, pixel);
    const Lab& lab = *problem.lab;
    const View& view = lab.views[std::size_t(snapshot.work.view)];
    const int shown = shown_buffer(view, version_of(lab, snapshot.work.version));
    const Element element = lab.buffers[std::size_t(shown)].element;
    if (element != Element::gray)
        return number_text(element, engine.checked_result(), snapshot.shown_size, pixel);
    return text("{}", screen.value_at(pixel.column, pixel.row));
}

// Of what lies on a side.
Extent size_of(const Engine& engine, const PictureScreen& screen, Side side) {
    const Snapshot& snapshot = engine.snapshot();
    if (side != Side::a || !snapshot.problem) return snapshot.shown_size;
    if (screen.a().shown().side.kind == SideA::Kind::input) return snapshot.problem.size;
    return screen.a().picture() ? screen.a().picture()->gray.size : snapshot.shown_size;
}

// `brief`: where there is little room.
std::string_view name_of(const Stage& stage, Side side, bool brief) {
    const Snapshot& snapshot = stage.snapshot;
    if (side == Side::difference) {
        const int factor = stage.view.preferences.comparison.amplification;
        return factor == 1 ? say("picture.difference") : say("picture.difference.times", factor);
    }
    const bool inks = stage.view.slide.on && stage.view.preferences.ink;
    if (side == Side::a) {
        const std::string_view name = stage.a ? stage.a->name : std::string_view{};
        const bool lines = stage.a && stage.a->side.kind != SideA::Kind::input &&
                           snapshot.work.lab->views[std::size_t(stage.a->side.view)].lines;
        return inks && lines ? say("picture.inverted", name) : name;
    }
    if (!runs_anything(snapshot.work)) return translated(view_of(snapshot).title);
    const std::string_view version = version_name(snapshot.work.version);
    const std::string_view by =
        brief ? version : say("picture.by", translated(view_of(snapshot).title), version);
    return inks && view_of(snapshot).lines ? say("picture.inverted", by) : by;
}

// What is known of B's pixels, in words.
std::string_view check_text(const Snapshot& snapshot) {
    if (!runs_anything(snapshot.work)) return {};
    if (!snapshot.device.can.needs_kernels) return say("check.native");
    switch (snapshot.result.check.state) {
        case Check::State::equal:
            return snapshot.run.stale ? say("check.pending")
                                      : say("check.equal", said(snapshot.result.check.message));
        case Check::State::different:
            // Beside it stands how many.
            return snapshot.result.difference && snapshot.result.difference->wrong > 0 ? std::string_view{}
                                                                                       : say("check.wrong");
        case Check::State::failed:
            return say("check.wrong");
        case Check::State::pending:
            break;
    }
    // Then the definition's picture stands there.
    if (snapshot.run.failure) return say("check.none");
    if (snapshot.run.progress && snapshot.run.progress->done > 0)
        return say("check.progress", text("{:.0f}", 100 * snapshot.run.progress->done));
    return say("check.pending");
}

void move_camera(const Stage& stage, const PicturePart& part, const Touch& touch) {
    const ImGuiIO& io = ImGui::GetIO();
    const Extent picture = stage.snapshot.shown_size;
    Camera camera = stage.view.preferences.camera;
    const Camera before = camera;
    if (touch.held && (io.MouseDelta.x != 0 || io.MouseDelta.y != 0))
        camera = panned(camera, part.area, picture, io.MouseDelta.x, io.MouseDelta.y);
    if (touch.hovered && io.MouseWheel != 0)
        camera =
            zoomed(camera, part.area, picture, io.MousePos.x, io.MousePos.y, std::pow(1.25f, io.MouseWheel));
    if (touch.hovered && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) camera = {};
    if (!(camera == before)) stage.edits.add(MoveCamera{camera});
}

void draw_wipe(const Stage& stage, const PictureParts& parts) {
    Canvas& canvas = stage.canvas;
    const Box box = box_of(parts.parts[0].area);
    const float x = parts.wipe_x;
    const float r = canvas.px(24);
    const Touch touch = canvas.touch("wipe", {x - r, box.y, 2 * r, box.h});
    if (touch.held && box.w > 0) stage.edits.add(MoveWipe{(ImGui::GetIO().MousePos.x - box.x) / box.w});
    const float y = box.center_y();
    // On a slide with dark edges the line is dark.
    const bool dark = stage.view.slide.on && stage.view.preferences.ink && view_of(stage.snapshot).lines;
    const ImU32 paper = dark ? canvas.color(Ink::shade) : IM_COL32_WHITE;
    const ImU32 ink = dark ? IM_COL32_WHITE : canvas.color(Ink::shade);
    canvas.list().AddLine({x, box.y}, {x, box.bottom()}, paper, std::max(2.0f, canvas.px(4)));
    canvas.list().AddCircleFilled({x, y}, r, paper, 32);
    const float a = canvas.px(9);
    canvas.list().AddTriangleFilled({x - canvas.px(4), y - a}, {x - canvas.px(4), y + a},
                                    {x - canvas.px(16), y}, ink);
    canvas.list().AddTriangleFilled({x + canvas.px(4), y - a}, {x + canvas.px(4), y + a},
                                    {x + canvas.px(16), y}, ink);
}

// The side shows what the lab begins with, as it is.
bool is_input(const Snapshot& snapshot, const PictureScreen& screen, Side side) {
    return side == Side::a ? screen.a().shown().side.kind == SideA::Kind::input
                           : side == Side::b && !runs_anything(snapshot.work);
}

bool has_colors(const Snapshot& snapshot, const PictureScreen& screen, Side side) {
    return snapshot.problem.lab->takes_picture() && is_input(snapshot, screen, side);
}

// How bright the pixel is: what is written in it has to be read.
int gray_under(const Engine& engine, const PictureScreen& screen, Side side, Pixel pixel) {
    const Problem& problem = engine.snapshot().problem;
    if (!problem.lab->takes_picture()) return 0;
    if (has_colors(engine.snapshot(), screen, side)) {
        const std::size_t place = input_place(problem, pixel);
        if (place + 4 > problem.input->size()) return 0;
        const std::uint8_t* p = problem.input->data() + place;
        return (299 * p[0] + 587 * p[1] + 114 * p[2]) / 1000;
    }
    if (side == Side::b) return screen.value_at(pixel.column, pixel.row);
    const SharedPicture& a = screen.a().picture();
    if (!a || !screen.a().shown().there) return 0;
    const GrayImage& gray = a->gray;
    if (pixel.column >= gray.size.width || pixel.row >= gray.size.height) return 0;
    return gray.bytes[std::size_t(pixel.row) * std::size_t(gray.size.width) + std::size_t(pixel.column)];
}

// Its value in the middle of the pixel; of a colour red, green and blue below each other.
void draw_value(Canvas& canvas, float x, float y, float zoom, std::string_view value, bool dark) {
    constexpr int kMost = 3;
    std::array<std::string_view, kMost> lines;
    int count = 0;
    for (std::string_view rest = value; count < kMost && !rest.empty(); ++count) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        lines[std::size_t(count)] = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    ImFont* font = font_of(Font::axis);
    const float high = std::min(zoom * (count > 1 ? 0.3f : 0.42f), height_of(*font));
    for (int i = 0; i < count; ++i) {
        const std::string_view line = lines[std::size_t(i)];
        const float wide = canvas.width(line, Font::axis) * high / height_of(*font);
        const float top = y + (zoom - float(count) * high) / 2 + float(i) * high;
        canvas.list().AddText(font, high, {x + (zoom - wide) / 2, top},
                              dark ? IM_COL32_BLACK : IM_COL32_WHITE, line.data(), line.data() + line.size());
    }
}

// Each pixel's value inside of it, where pixels are large enough.
void draw_values(const Stage& stage, const PicturePart& part, const Engine& engine,
                 const PictureScreen& screen) {
    const Extent size = size_of(engine, screen, part.side);
    const Camera& camera = stage.view.preferences.camera;
    const float zoom = zoom_of(camera, part.area, size);
    if (zoom < kValuesFrom || part.side == Side::difference) return;
    const Box clip = box_of(part.clip);
    const Pixel first = pixel_at(part, camera, size, clip.x, clip.y);
    const PicturePoint origin = picture_point(camera, part.area, size, 0, 0);
    for (int row = std::max(0, first.row); row < size.height; ++row) {
        const float y = (float(row) - origin.y) * zoom;
        if (y + zoom > clip.bottom()) break;
        if (y < clip.y) continue;
        for (int column = std::max(0, first.column); column < size.width; ++column) {
            const float x = (float(column) - origin.x) * zoom;
            if (x + zoom > clip.right()) break;
            if (x < clip.x) continue;
            const std::string_view value = value_text(engine, screen, part.side, {column, row, true});
            const int gray = gray_under(engine, screen, part.side, {column, row, true});
            draw_value(stage.canvas, x, y, zoom, value, gray > 110);
        }
    }
}

bool waits_for_a(const Stage& stage, const PicturePart& part) {
    return part.side == Side::a && stage.a && !stage.a->there;
}

// While A is being computed its definition stands in its place, as B's does.
std::string_view waiting_text(const ShownA& a) {
    return a.done > 0 ? say("check.progress", text("{:.0f}", 100 * a.done)) : say("check.pending");
}

// Where A cannot be had its definition stands there dimmed, with the reason.
void draw_why_not(const Stage& stage, const PicturePart& part) {
    if (!waits_for_a(stage, part) || stage.a->problem.empty()) return;
    Canvas& canvas = stage.canvas;
    const Box clip = box_of(part.clip);
    canvas.list().AddRectFilled({clip.x, clip.y}, {clip.right(), clip.bottom()},
                                canvas.color(Ink::shade, 0.6f));
    const Box room = clip.inset(canvas.px(24), canvas.px(72));
    if (room.w < canvas.px(160) || room.h < canvas.px(40)) return;
    const Box card = room.top(std::min(room.h, canvas.px(170)));
    canvas.fill(card, Ink::shade, 6);
    canvas.paragraph(card.inset(canvas.px(16), canvas.px(8)),
                     say("picture.a.never", stage.a->name, stage.a->problem), Font::body, Ink::on_shade);
}

}  // namespace

void draw_picture_overlay(const Stage& stage, const PictureParts& parts, const Engine& engine,
                          const PictureScreen& screen) {
    if (parts.count == 0 || !engine.snapshot().problem) return;
    Canvas& canvas = stage.canvas;
    const Snapshot& snapshot = stage.snapshot;
    const bool from_definition = !stage.a || is_definition(stage.a->side, snapshot.work);
    // The line first: what lies over the picture is touched before it.
    if (parts.wipe_x > 0) draw_wipe(stage, parts);
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    Pixel pointed;
    int pointed_part = -1;
    for (int i = 0; i < parts.count; ++i) {
        const PicturePart& part = parts.parts[std::size_t(i)];
        ImGui::PushID(i);
        const Touch touch = canvas.touch("picture", box_of(part.clip));
        ImGui::PopID();
        move_camera(stage, part, touch);
        if (touch.hovered) {
            pointed_part = i;
            pointed = pixel_at(part, stage.view.preferences.camera, size_of(engine, screen, part.side),
                               mouse.x, mouse.y);
        }
    }
    const float gap = canvas.px(16);
    for (int i = 0; i < parts.count; ++i) {
        const PicturePart& part = parts.parts[std::size_t(i)];
        const Box clip = box_of(part.clip);
        canvas.slot("picture", box_of(part.area));
        draw_values(stage, part, engine, screen);
        draw_why_not(stage, part);
        // Of a difference from something else other pixels are dark.
        if (part.side == Side::b || from_definition)
            draw_wrong_marks(stage, part, engine.checked_result(), engine.defined_result());
        const auto fits = [&](std::string_view words) {
            return clip.w > canvas.width(words, Font::body) + canvas.px(64);
        };
        std::string_view name = name_of(stage, part.side, false);
        if (!fits(name)) name = name_of(stage, part.side, true);
        const bool right = part.side == Side::b && parts.wipe_x > 0;
        if (fits(name))
            picture_label(canvas, right ? clip.right() - gap : clip.x + gap, clip.y + gap,
                          right ? Align::right : Align::left, name);
        const bool last = i == parts.count - 1;
        std::string_view below = last && part.side == Side::b ? check_text(snapshot) : std::string_view{};
        if (waits_for_a(stage, part) && stage.a->problem.empty()) below = waiting_text(*stage.a);
        // Pictures beside each other show one and the same pixel, the halves of a wipe two.
        if (pointed.inside && part.side != Side::difference && (parts.wipe_x == 0 || pointed_part == i))
            below = say(
                "picture.pixel", pointed.column, pointed.row,
                say(has_colors(snapshot, screen, part.side) ? "picture.pixel.rgb" : "picture.pixel.value"),
                value_text(engine, screen, part.side, pointed));
        if (!below.empty() && fits(below))
            picture_label(canvas, clip.right() - gap, clip.bottom() - gap - canvas.px(44), Align::right,
                          below);
        // A row higher: it stays while the pointer reads pixels.
        if (last && (part.side == Side::b || (part.side == Side::difference && from_definition)))
            draw_wrong_label(stage, clip.right() - gap, clip.bottom() - gap - canvas.px(96));
    }
}

}  // namespace ws
