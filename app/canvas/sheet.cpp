#include "app/canvas/sheet.h"

#include "gpu/core/error.h"

#ifdef WARPSCOPE_CAIRO
#include <cairo-ft.h>
#include <cairo-pdf.h>

#include <array>
#include <cmath>
#include <cstring>
#include <memory>

#include "app/canvas/font_files.h"
#endif

namespace ws {

#ifdef WARPSCOPE_CAIRO
namespace {

template <auto Free>
struct Freed {
    template <typename T>
    void operator()(T* made) const {
        Free(made);
    }
};
using Surface = std::unique_ptr<cairo_surface_t, Freed<cairo_surface_destroy>>;
using Context = std::unique_ptr<cairo_t, Freed<cairo_destroy>>;
using Face = std::unique_ptr<cairo_font_face_t, Freed<cairo_font_face_destroy>>;

void check(cairo_status_t status) {
    if (status != CAIRO_STATUS_SUCCESS)
        throw Error("the sheet cannot be drawn", "", cairo_status_to_string(status));
}

// Cairo keeps faces for later, beyond a drawing: FreeType lives as long as the program.
FT_Library free_type() {
    static const FT_Library kLibrary = [] {
        FT_Library made = nullptr;
        if (FT_Init_FreeType(&made) != 0) throw Error("FreeType cannot be started");
        return made;
    }();
    return kLibrary;
}

void forget_face(void* face) {
    FT_Done_Face(static_cast<FT_Face>(face));
}

// The embedded fonts as Cairo draws them.
class Faces {
  public:
    [[nodiscard]] cairo_font_face_t* of(Font font) {
        Face& face = faces_[std::size_t(font)];
        if (!face) face = made(font_file(font));
        return face.get();
    }

  private:
    static Face made(std::string_view file) {
        FT_Face read = nullptr;
        const auto* bytes = reinterpret_cast<const FT_Byte*>(file.data());
        if (FT_New_Memory_Face(free_type(), bytes, FT_Long(file.size()), 0, &read) != 0)
            throw Error("an embedded font cannot be read");
        Face face(cairo_ft_font_face_create_for_ft_face(read, FT_LOAD_NO_HINTING));
        static const cairo_user_data_key_t kRead{};
        if (cairo_font_face_set_user_data(face.get(), &kRead, read, forget_face) != CAIRO_STATUS_SUCCESS)
            FT_Done_Face(read);
        return face;
    }

    std::array<Face, std::size_t(Font::count)> faces_;
};

void use(cairo_t* to, Ink ink) {
    const Rgba color = palette(Theme::light)[std::size_t(ink)];
    cairo_set_source_rgb(to, color.r / 255.0, color.g / 255.0, color.b / 255.0);
}

void draw_picture(cairo_t* to, const SheetPicture& one) {
    const Extent size = one.picture.size;
    const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, size.width, size.height));
    check(cairo_surface_status(surface.get()));
    std::uint8_t* rows = cairo_image_surface_get_data(surface.get());
    const std::size_t stride = std::size_t(cairo_image_surface_get_stride(surface.get()));
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
            const std::uint32_t gray =
                one.picture.bytes[std::size_t(y) * std::size_t(size.width) + std::size_t(x)];
            const std::uint32_t pixel = gray << 16 | gray << 8 | gray;
            std::memcpy(rows + std::size_t(y) * stride + 4 * std::size_t(x), &pixel, sizeof pixel);
        }
    }
    cairo_surface_mark_dirty(surface.get());
    cairo_save(to);
    cairo_translate(to, double(one.box.x), double(one.box.y));
    cairo_scale(to, double(one.box.w) / size.width, double(one.box.h) / size.height);
    cairo_set_source_surface(to, surface.get(), 0, 0);
    const bool enlarged = double(one.box.w) > 2.0 * size.width;
    cairo_pattern_set_filter(cairo_get_source(to), enlarged ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
    cairo_rectangle(to, 0, 0, size.width, size.height);
    cairo_fill(to);
    cairo_restore(to);
}

// As wide as the canvas has measured it, to a hair.
void draw_text(cairo_t* to, Faces& faces, const DrawnText& text) {
    const std::string words(text.text);
    const double em = double(text.box.h) / double(kHeightOverEm);
    cairo_set_font_face(to, faces.of(text.font));
    cairo_set_font_size(to, em);
    cairo_text_extents_t extents;
    cairo_text_extents(to, words.c_str(), &extents);
    if (extents.x_advance <= 0) return;
    use(to, text.ink);
    cairo_save(to);
    cairo_translate(to, double(text.box.x), double(text.box.y) + double(kAscentOverEm) * em);
    cairo_scale(to, double(text.box.w) / extents.x_advance, 1);
    cairo_move_to(to, 0, 0);
    cairo_show_text(to, words.c_str());
    cairo_restore(to);
}

void draw(cairo_t* to, const Sheet& sheet) {
    use(to, Ink::panel);
    cairo_paint(to);
    for (const Drawing::Fill& fill : sheet.drawing.fills) {
        use(to, fill.ink);
        cairo_rectangle(to, double(fill.box.x), double(fill.box.y), double(fill.box.w), double(fill.box.h));
        cairo_fill(to);
    }
    for (const SheetPicture& picture : sheet.pictures) draw_picture(to, picture);
    Faces faces;
    for (const DrawnText& text : sheet.drawing.texts) draw_text(to, faces, text);
    check(cairo_status(to));
}

cairo_status_t keep(void* to, const unsigned char* bytes, unsigned count) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), count);
    return CAIRO_STATUS_SUCCESS;
}

}  // namespace

bool can_print() {
    return true;
}

std::string pdf_of(const Sheet& sheet, double width_points) {
    std::string bytes;
    const double scale = width_points / sheet.size.width;
    {
        const Surface surface(
            cairo_pdf_surface_create_for_stream(keep, &bytes, width_points, scale * sheet.size.height));
        const Context context(cairo_create(surface.get()));
        cairo_scale(context.get(), scale, scale);
        draw(context.get(), sheet);
        cairo_show_page(context.get());
        cairo_surface_finish(surface.get());
        check(cairo_surface_status(surface.get()));
    }
    return bytes;
}

RgbaImage image_of(const Sheet& sheet, double scale) {
    const Extent size{int(std::lround(scale * sheet.size.width)),
                      int(std::lround(scale * sheet.size.height))};
    const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, size.width, size.height));
    check(cairo_surface_status(surface.get()));
    {
        const Context context(cairo_create(surface.get()));
        cairo_scale(context.get(), scale, scale);
        draw(context.get(), sheet);
    }
    cairo_surface_flush(surface.get());
    RgbaImage image(size);
    const std::uint8_t* rows = cairo_image_surface_get_data(surface.get());
    const std::size_t stride = std::size_t(cairo_image_surface_get_stride(surface.get()));
    for (int y = 0; y < size.height; ++y) {
        for (int x = 0; x < size.width; ++x) {
            std::uint32_t pixel = 0;
            std::memcpy(&pixel, rows + std::size_t(y) * stride + 4 * std::size_t(x), sizeof pixel);
            std::uint8_t* out = &image.bytes[4 * (std::size_t(y) * std::size_t(size.width) + std::size_t(x))];
            out[0] = std::uint8_t(pixel >> 16);
            out[1] = std::uint8_t(pixel >> 8);
            out[2] = std::uint8_t(pixel);
            out[3] = 255;
        }
    }
    return image;
}

#else

namespace {
[[noreturn]] void refuse() {
    throw Error("this program was built without Cairo, which draws posters", "",
                "install libcairo2-dev and build it again");
}
}  // namespace

bool can_print() {
    return false;
}
std::string pdf_of(const Sheet& /*sheet*/, double /*width_points*/) {
    refuse();
}
RgbaImage image_of(const Sheet& /*sheet*/, double /*scale*/) {
    refuse();
}

#endif

}  // namespace ws
