#pragma once
// Rectangles of the window, in pixels.

namespace ws {

struct Box {
    float x = 0, y = 0, w = 0, h = 0;

    [[nodiscard]] float right() const { return x + w; }
    [[nodiscard]] float bottom() const { return y + h; }
    [[nodiscard]] float center_x() const { return x + w / 2; }
    [[nodiscard]] float center_y() const { return y + h / 2; }
    [[nodiscard]] bool contains(float px, float py) const {
        return px >= x && py >= y && px < right() && py < bottom();
    }
    [[nodiscard]] Box inset(float dx, float dy) const { return {x + dx, y + dy, w - 2 * dx, h - 2 * dy}; }
    [[nodiscard]] Box inset(float d) const { return inset(d, d); }
    // The part at a side, and what is left of it.
    [[nodiscard]] Box top(float height) const { return {x, y, w, height}; }
    [[nodiscard]] Box below(float height) const { return {x, y + height, w, h - height}; }
    [[nodiscard]] Box bottom_part(float height) const { return {x, bottom() - height, w, height}; }
    [[nodiscard]] Box above(float height) const { return {x, y, w, h - height}; }
    [[nodiscard]] Box left(float width) const { return {x, y, width, h}; }
    [[nodiscard]] Box after(float width) const { return {x + width, y, w - width, h}; }
    [[nodiscard]] Box right_part(float width) const { return {right() - width, y, width, h}; }
    [[nodiscard]] Box before(float width) const { return {x, y, w - width, h}; }
    // The i-th of n equal columns, or rows, with gaps between them.
    [[nodiscard]] Box column(int i, int n, float gap) const {
        const float each = (w - gap * float(n - 1)) / float(n);
        return {x + float(i) * (each + gap), y, each, h};
    }
    [[nodiscard]] Box row(int i, int n, float gap) const {
        const float each = (h - gap * float(n - 1)) / float(n);
        return {x, y + float(i) * (each + gap), w, each};
    }
    friend bool operator==(const Box&, const Box&) = default;
};

}  // namespace ws
