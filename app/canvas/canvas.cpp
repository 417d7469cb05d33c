#include "app/canvas/canvas.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "app/canvas/font_files.h"
#include "app/canvas/text.h"

namespace ws {
namespace {

ImVec2 top_left(Box box) {
    return {box.x, box.y};
}
ImVec2 bottom_right(Box box) {
    return {box.right(), box.bottom()};
}

// The start of the character after `at`.
std::size_t next_character(std::string_view text, std::size_t at) {
    ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) ++at;
    return at;
}

}  // namespace

Canvas::Canvas(ImDrawList& list, Theme theme, float unit, Drawing& drawing)
    : list_(list), theme_(theme), unit_(unit), drawing_(drawing) {}

ImU32 Canvas::color(Ink ink, float alpha) const {
    const Rgba c = palette(theme_)[std::size_t(ink)];
    return IM_COL32(c.r, c.g, c.b, int(float(c.a) * alpha));
}

void Canvas::fill(Box box, Ink ink, float radius) {
    list_.AddRectFilled(top_left(box), bottom_right(box), color(ink), px(radius));
    drawing_.fills.push_back({box, ink});
}

void Canvas::mark(Box box, Ink ink, float alpha) {
    list_.AddRectFilled(top_left(box), bottom_right(box), color(ink, alpha));
}

void Canvas::frame(Box box, Ink ink, float radius, float thickness) {
    const Box in = box.inset(px(thickness) / 2);
    list_.AddRect(top_left(in), bottom_right(in), color(ink), px(radius), 0, std::max(1.0f, px(thickness)));
}

void Canvas::card(Box box) {
    fill(box, Ink::panel, 10);
}

void Canvas::line(float x0, float y0, float x1, float y1, Ink ink, float thickness) {
    list_.AddLine({x0, y0}, {x1, y1}, color(ink), std::max(1.0f, px(thickness)));
}

void Canvas::dotted(float x0, float y0, float x1, float y1, Ink ink, float thickness) {
    const float length = std::hypot(x1 - x0, y1 - y0);
    const float dash = px(6);
    for (float at = 0; at < length; at += 2 * dash) {
        const float end = std::min(length, at + dash);
        line(x0 + (x1 - x0) * at / length, y0 + (y1 - y0) * at / length, x0 + (x1 - x0) * end / length,
             y0 + (y1 - y0) * end / length, ink, thickness);
    }
}

void Canvas::polyline(const ImVec2* points, int count, Ink ink, float thickness) {
    list_.AddPolyline(points, count, color(ink), 0, std::max(1.0f, px(thickness)));
}

void Canvas::circle(float x, float y, float radius, Ink ink) {
    list_.AddCircleFilled({x, y}, px(radius), color(ink), 32);
}

void Canvas::ring(float x, float y, float radius, Ink ink, float thickness) {
    list_.AddCircle({x, y}, px(radius), color(ink), 32, std::max(1.0f, px(thickness)));
}

void Canvas::triangle(ImVec2 a, ImVec2 b, ImVec2 c, Ink ink) {
    list_.AddTriangleFilled(a, b, c, color(ink));
}

void Canvas::warning(Box box, Ink ink) {
    triangle({box.center_x(), box.y}, {box.right(), box.bottom()}, {box.x, box.bottom()}, ink);
    const float middle = box.center_x();
    const ImU32 hole = color(Ink::ground);
    const float half = std::max(1.0f, box.w * 0.05f);
    list_.AddRectFilled({middle - half, box.y + box.h * 0.38f}, {middle + half, box.y + box.h * 0.70f}, hole);
    list_.AddRectFilled({middle - half, box.y + box.h * 0.78f}, {middle + half, box.y + box.h * 0.89f}, hole);
}

float Canvas::width(std::string_view text, Font font) const {
    if (text.empty()) return 0;  // ImGui would look for the end of what begins nowhere
    const ImFont* face = font_of(font);
    return face->CalcTextSizeA(height_of(*face), FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

float Canvas::height(Font font) const {
    return height_of(*font_of(font));
}

Ink Canvas::ground_at(Box box) const {
    for (auto fill = drawing_.fills.rbegin(); fill != drawing_.fills.rend(); ++fill) {
        if (fill->box.contains(box.center_x(), box.center_y())) return fill->ink;
    }
    return Ink::ground;
}

float Canvas::least_size(Font font) const {
    return std::min(1.0f, size_of(font) * kHeightOverEm * unit_ / height(font));
}

Box Canvas::text(Box room, std::string_view text, Font font, Ink ink, Align align) {
    if (text.empty()) return {room.x, room.y, 0, 0};
    const float wide = width(text, font);
    const float size = wide > room.w ? std::max(least_size(font), room.w / wide) : 1;
    return sized_text(room, text, font, size, ink, align);
}

Box Canvas::sized_text(Box room, std::string_view text, Font font, float size, Ink ink, Align align) {
    constexpr float kRounding = 0.5f;
    float wide = size * width(text, font);
    const bool cut = wide > room.w + kRounding;
    if (cut) {
        std::size_t end = 0;
        const std::string_view dots = "…";
        const float most = room.w - size * width(dots, font);
        for (std::size_t next = next_character(text, 0); next <= text.size();
             next = next_character(text, next)) {
            if (size * width(text.substr(0, next), font) > most) break;
            end = next;
        }
        text = ws::text("{}{}", text.substr(0, end), dots);
        wide = size * width(text, font);
    }
    const float high = size * height(font);
    const float x = align == Align::left     ? room.x
                    : align == Align::center ? room.center_x() - wide / 2
                                             : room.right() - wide;
    const Box box{std::round(x), std::round(room.center_y() - high / 2), wide, high};
    list_.AddText(font_of(font), high, {box.x, box.y}, color(ink), text.data(), text.data() + text.size());
    drawing_.texts.push_back({box, room, font, ink, ground_at(box), cut, text});
    return box;
}

std::size_t Canvas::line_end(std::string_view all, std::size_t at, Font font, float wide) const {
    const float blank = width(" ", font);
    std::size_t end = at;
    float used = 0;
    while (end < all.size()) {
        const std::size_t word_end = end_of_word(all, end);
        const float word = width(all.substr(end, word_end - end), font);
        if (used > 0 && used + word > wide) break;
        used += word + blank;
        end = word_end + 1;
    }
    return end;
}

float Canvas::line_step(Font font, float leading) const {
    return height(font) / 1.164f * leading;
}

float Canvas::paragraph_height(float wide, std::string_view all, Font font, float leading) const {
    float high = 0;
    for (std::size_t at = 0; at < all.size(); at = line_end(all, at, font, wide))
        high += line_step(font, leading);
    return high;
}

float Canvas::paragraph(Box room, std::string_view all, Font font, Ink ink, float leading) {
    constexpr float kSmaller = 0.95f;
    float size = 1;
    // Lines of smaller letters hold what larger ones would in a wider room.
    while (size > least_size(font) && size * paragraph_height(room.w / size, all, font, leading) > room.h + 1)
        size = std::max(least_size(font), size * kSmaller);
    const float step = size * line_step(font, leading);
    float y = room.y;
    std::size_t at = 0;
    while (at < all.size()) {
        const std::size_t end = line_end(all, at, font, room.w / size);
        const bool last = y + 2 * step > room.bottom() + 1;
        const std::string_view rest = all.substr(at);
        const std::string_view line = last ? rest : rest.substr(0, std::min(end - at, rest.size() + 1) - 1);
        sized_text({room.x, y, room.w, step}, line, font, size, ink, Align::left);
        y += step;
        if (last) break;
        at = end;
    }
    return y - room.y;
}

Touch Canvas::touch(const char* id, Box box) {
    ImGui::SetCursorScreenPos({box.x, box.y});
    Touch touch;
    touch.box = box;
    const bool pressed =
        ImGui::InvisibleButton(id, {std::max(1.0f, box.w), std::max(1.0f, box.h)},
                               ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
    touch.hovered = ImGui::IsItemHovered();
    touch.held = ImGui::IsItemActive() && ImGui::IsMouseDown(ImGuiMouseButton_Left);
    touch.right_clicked = pressed && ImGui::IsMouseReleased(ImGuiMouseButton_Right);
    touch.clicked = pressed && !touch.right_clicked;
    return touch;
}

bool Canvas::pointed_at(Box box) {
    return ImGui::IsWindowHovered() &&
           ImGui::IsMouseHoveringRect({box.x, box.y}, {box.right(), box.bottom()});
}

void Canvas::tooltip(const Touch& touch, std::string_view text) {
    if (text.empty()) return;
    drawing_.tips.push_back({touch.box, text});
    if (!touch.hovered || touch.held || tipped_) return;
    tipped_ = true;
    ImGui::BeginTooltip();
    const float wide = px(760);
    ImGui::PushTextWrapPos(wide);  // of a word that is wider
    const std::string_view lines = broken_at_blanks(text, wide - ImGui::GetCursorPosX() - 1);
    ImGui::TextUnformatted(lines.data(), lines.data() + lines.size());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

}  // namespace ws
