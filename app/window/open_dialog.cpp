#include "app/window/open_dialog.h"

#include <imgui.h>
#include <imgui_internal.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "app/canvas/controls.h"
#include "app/canvas/text.h"
#include "app/texts/error_line.h"
#include "app/texts/texts.h"
#include "app/views/words.h"
#include "gpu/core/background.h"

namespace ws {
namespace fs = std::filesystem;

namespace {

using Key = KeyPress::Key;

std::string_view kind_text(FolderRow::Kind kind) {
    switch (kind) {
        case FolderRow::Kind::recent:
            return say("open.recent");
        case FolderRow::Kind::builtin:
            return say("open.builtin");
        case FolderRow::Kind::parent:
            return say("open.parent");
        case FolderRow::Kind::folder:
            return say("open.folder");
        case FolderRow::Kind::picture:
            break;
    }
    return {};
}

std::string utf8(unsigned character) {
    char bytes[5];
    return ImTextCharToUtf8(bytes, character);
}

// A field that begins to take characters selects its text, which the next one would replace.
int go_to_end(ImGuiInputTextCallbackData* field) {
    field->CursorPos = field->BufTextLen;
    field->ClearSelection();
    return 0;
}

}  // namespace

void OpenDialog::show(const fs::path& folder, std::span<const std::string> recent) {
    recent_.assign(recent.begin(), recent.end());
    visible_ = true;
    pressed_.clear();
    waiting_.clear();
    enter(folder_.empty() ? folder : folder_);
}

// A folder that cannot be read leaves the rows of the one before.
void OpenDialog::enter(const fs::path& folder) {
    try {
        rows_ = folder_rows(folder, recent_);
        folder_ = folder;
        shown_folder_ = to_home(folder.string());
        problem_.clear();
    } catch (...) {
        problem_ = caught_message();
    }
    type("");
    ++field_;
    takes_ = false;
    focus_ = true;
}

void OpenDialog::type(std::string text) {
    typed_ = std::move(text);
    shown_ = matching(rows_, typed_);
    chosen_ = first_ = 0;
}

const FolderRow* OpenDialog::chosen() const {
    if (chosen_ < 0 || chosen_ >= int(shown_.size())) return nullptr;
    return &rows_[std::size_t(shown_[std::size_t(chosen_)])];
}

void OpenDialog::press(const KeyPress& key, Edits& edits) {
    if (key.key == Key::character) {
        if (!key.control) pressed_ += utf8(key.character);
    } else if (pressed_.empty()) {
        apply(key, edits);
    } else {
        waiting_.push_back(key);
    }
}

void OpenDialog::apply(const KeyPress& key, Edits& edits) {
    const bool nothing_typed = typed_.empty();
    const int last = int(shown_.size()) - 1;
    const auto move_to = [&](int row) { chosen_ = std::clamp(row, 0, std::max(0, last)); };
    if (key.key == Key::up) move_to(chosen_ - 1);
    if (key.key == Key::down) move_to(chosen_ + 1);
    if (key.key == Key::page_up) move_to(chosen_ - fitting_);
    if (key.key == Key::page_down) move_to(chosen_ + fitting_);
    // With text these move its cursor.
    if (key.key == Key::home && nothing_typed) move_to(0);
    if (key.key == Key::end && nothing_typed) move_to(last);
    if (key.key == Key::left && nothing_typed && folder_.has_parent_path()) enter(folder_.parent_path());
    if (key.key == Key::right && nothing_typed && chosen() && chosen()->is_folder())
        take_row(*chosen(), edits);
    if (key.key == Key::enter) take(edits);
}

void OpenDialog::take(Edits& edits) {
    focus_ = true;  // Enter ends the field's input
    if (!is_path(typed_)) {
        if (chosen()) take_row(*chosen(), edits);
        return;
    }
    const fs::path path = (folder_ / from_home(typed_)).lexically_normal();
    std::error_code status;
    if (fs::is_directory(path, status)) {
        enter(path.has_filename() || !path.has_parent_path() ? path : path.parent_path());
        return;
    }
    visible_ = false;
    edits.add(OpenPicture{path.string()});
}

void OpenDialog::take_row(const FolderRow& row, Edits& edits) {
    const std::string path = row.file.path;
    if (row.is_folder()) {
        enter(path);
        return;
    }
    visible_ = false;
    edits.add(OpenPicture{path});
}

// A field takes characters from the frame after it asked for them on: those before are put behind its text.
void OpenDialog::draw_field(Edits& edits) {
    ImGui::SetNextItemWidth(-1);
    ImGui::PushID(field_);
    if (focus_) ImGui::SetKeyboardFocusHere();
    focus_ = false;
    std::string typed = typed_;
    if (!takes_) {
        typed += pressed_;
        ImGui::GetIO().ClearInputCharacters();
    }
    pressed_.clear();
    ImGui::InputTextWithHint("##path", say("open.hint").data(), &typed,
                             takes_ ? ImGuiInputTextFlags_None : ImGuiInputTextFlags_CallbackAlways,
                             go_to_end);
    takes_ = ImGui::IsItemActive();
    if (!takes_ && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) focus_ = true;
    ImGui::PopID();
    if (typed != typed_) type(std::move(typed));
    for (const KeyPress& key : std::exchange(waiting_, {})) {
        if (visible_) apply(key, edits);
    }
}

void OpenDialog::draw_row(Canvas& canvas, Box row, int at, const ThumbnailTexture& texture, Edits& edits) {
    const FolderRow& entry = rows_[std::size_t(shown_[std::size_t(at)])];
    ImGui::PushID(at);
    const Touch touch = canvas.touch("row", row);
    ImGui::PopID();
    const bool chosen = at == chosen_;
    if (chosen) canvas.fill(row, Ink::now_soft, 8);
    if (touch.hovered) canvas.frame(row, Ink::now_fill, 8);
    const Ink ink = chosen ? Ink::now : Ink::text;
    const Box small{row.x + canvas.px(12), row.y + canvas.px(4), (row.h - canvas.px(8)) * 4 / 3,
                    row.h - canvas.px(8)};
    const Box words = row.after(small.w + canvas.px(32)).before(canvas.px(12));
    const Box kind = words.right_part(canvas.px(300));
    const Box name = words.before(kind.w + canvas.px(12));
    const Thumbnail* thumbnail = nullptr;
    if (!entry.is_folder()) {
        wanted_.push_back(entry.file);
        thumbnail = thumbnails_.find(entry.file);
        canvas.frame(small, Ink::line, 2);
    }
    std::string_view says = kind_text(entry.kind);
    if (thumbnail && thumbnail->problem.empty()) {
        const unsigned drawn = texture ? texture(entry.file, thumbnail->image) : 0;
        const Extent size = thumbnail->image.size;
        const float scale = std::min(small.w / float(size.width), small.h / float(size.height));
        const float x = small.center_x() - scale * float(size.width) / 2;
        const float y = small.center_y() - scale * float(size.height) / 2;
        if (drawn != 0) {
            // OpenGL's number of a texture goes through ImGui as a pointer.
            const auto id =
                reinterpret_cast<ImTextureID>(std::uintptr_t(drawn));  // NOLINT(performance-no-int-to-ptr)
            canvas.list().AddImage(id, {x, y},
                                   {x + scale * float(size.width), y + scale * float(size.height)});
        }
        says = says.empty() ? size_text(thumbnail->full) : text("{}, {}", says, size_text(thumbnail->full));
    }
    if (thumbnail && !thumbnail->problem.empty()) {
        canvas.warning({small.center_x() - canvas.px(18), small.center_y() - canvas.px(16), canvas.px(36),
                        canvas.px(32)},
                       Ink::alarm);
        // Its name, and below it why it cannot be read.
        canvas.text(name.row(0, 2, 0), entry.name, Font::body, ink);
        const Box why = words.row(1, 2, 0);
        const std::string_view problem = said_line(thumbnail->problem);
        canvas.text(why, problem, Font::axis, Ink::alarm);
        canvas.tooltip(touch, problem);
        canvas.text(kind.row(0, 2, 0), says, Font::axis, Ink::dim, Align::right);
    } else {
        canvas.text(name, entry.name, Font::body, ink);
        canvas.text(kind, says, Font::axis, Ink::dim, Align::right);
    }
    if (touch.clicked) take_row(FolderRow(entry), edits);
}

void OpenDialog::draw_rows(Canvas& canvas, Box room, const ThumbnailTexture& texture, Edits& edits) {
    const float high = canvas.px(76);
    fitting_ = std::max(1, int(room.h / high));
    const int count = int(shown_.size());
    // The wheel moves the choice, which stays in view.
    if (const auto turned = int(ImGui::GetIO().MouseWheel * 3); turned != 0)
        chosen_ = std::clamp(chosen_ - turned, 0, std::max(0, count - 1));
    first_ = std::clamp(first_, std::max(0, chosen_ - fitting_ + 1), std::max(0, chosen_));
    if (count == 0) canvas.text(room.top(high), say("open.nothing"), Font::body, Ink::dim);
    wanted_.clear();
    const int field = field_;
    for (int i = 0; i < fitting_ && first_ + i < count && field == field_; ++i)
        draw_row(canvas, {room.x, room.y + high * float(i), room.w - canvas.px(20), high}, first_ + i,
                 texture, edits);
    // Where these rows lie among all.
    if (count <= fitting_) return;
    const Box track{room.right() - canvas.px(10), room.y, canvas.px(10), high * float(fitting_)};
    canvas.fill(track, Ink::context_soft, 4);
    canvas.fill({track.x, track.y + track.h * float(first_) / float(count), track.w,
                 std::max(canvas.px(20), track.h * float(fitting_) / float(count))},
                Ink::context_strong, 4);
}

void OpenDialog::draw(Theme theme, float unit, Drawing& drawing, const ThumbnailTexture& texture,
                      Edits& edits) {
    if (!visible_) return;
    const ImVec2 screen = ImGui::GetIO().DisplaySize;
    const ImVec2 size{std::min(screen.x * 0.94f, 1300 * unit), screen.y * 0.88f};
    const Box box{(screen.x - size.x) / 2, (screen.y - size.y) / 2, size.x, size.y};
    ImGui::SetNextWindowPos({box.x, box.y});
    ImGui::SetNextWindowSize(size);
    ImGui::SetNextWindowFocus();
    ImGui::Begin("##open", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                     ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoNav);
    Canvas canvas(*ImGui::GetWindowDrawList(), theme, unit, drawing);
    drawing.fills.push_back({box, Ink::panel});
    const Box in = box.inset(canvas.px(24), canvas.px(16));
    canvas.text(in.top(canvas.px(48)).before(canvas.px(220)), say("open.title"), Font::strong, Ink::text);
    const Box cancel = in.top(canvas.px(48)).right_part(button_width(canvas, say("open.cancel")));
    if (button(canvas, "cancel", cancel, say("open.cancel"), ButtonLook::outlined).clicked) visible_ = false;
    ImGui::SetCursorScreenPos({in.x, in.y + canvas.px(60)});
    draw_field(edits);
    const Box place = in.below(canvas.px(118)).top(canvas.px(40));
    const bool fails = !problem_.empty();
    canvas.text(place, fails ? said_line(problem_) : shown_folder_, Font::axis,
                fails ? Ink::alarm : Ink::dim);
    draw_rows(canvas, in.below(canvas.px(166)).above(canvas.px(48)), texture, edits);
    canvas.text(in.bottom_part(canvas.px(40)), say("open.keys"), Font::axis, Ink::dim);
    ImGui::End();
    thumbnails_.update(wanted_);
}

}  // namespace ws
