#pragma once
// Choosing a picture: by its path, by a part of its name, or by its thumbnail; all of it by keyboard.

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/canvas/canvas.h"
#include "app/window/edit.h"
#include "app/window/folder_rows.h"
#include "app/window/thumbnails.h"
#include "render/window.h"

namespace ws {

// A texture of a thumbnail for ImGui; 0 where there is none.
using ThumbnailTexture = std::function<unsigned(const ThumbnailKey& key, const RgbaImage& image)>;

class OpenDialog {
  public:
    // `recent`: paths of pictures that were open, the latest first.
    void show(const std::filesystem::path& folder, std::span<const std::string> recent);
    void hide() { visible_ = false; }
    [[nodiscard]] bool visible() const { return visible_; }
    // A thumbnail is being made.
    [[nodiscard]] bool busy() const { return visible_ && thumbnails_.busy(); }
    // What a key does while the dialog is visible; characters go into its field when it is drawn next, and
    // keys behind them wait for that.
    void press(const KeyPress& key, Edits& edits);
    // Draws it, if it is visible; asks for the picture that was chosen.
    void draw(Theme theme, float unit, Drawing& drawing, const ThumbnailTexture& texture, Edits& edits);

    // What was typed, as the field has it.
    void type(std::string text);
    // The row that Enter takes; null where there is none.
    [[nodiscard]] const FolderRow* chosen() const;
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    [[nodiscard]] const std::string& problem() const { return problem_; }

  private:
    void apply(const KeyPress& key, Edits& edits);
    void enter(const std::filesystem::path& folder);
    void take(Edits& edits);
    void take_row(const FolderRow& row, Edits& edits);
    void draw_field(Edits& edits);
    void draw_rows(Canvas& canvas, Box room, const ThumbnailTexture& texture, Edits& edits);
    void draw_row(Canvas& canvas, Box row, int at, const ThumbnailTexture& texture, Edits& edits);

    bool visible_ = false;
    bool focus_ = false;             // the field is to take the characters
    bool takes_ = false;             // it did when it was drawn last
    std::string pressed_;            // characters since it was drawn
    std::vector<KeyPress> waiting_;  // keys behind them
    int field_ = 0;                  // of the field's ids: a new one forgets what ImGui keeps of its text
    std::string typed_;
    std::vector<std::string> recent_;
    std::filesystem::path folder_;
    std::string shown_folder_;  // from home
    std::vector<FolderRow> rows_;
    std::vector<int> shown_;  // of rows_, that match what was typed
    int chosen_ = 0;          // of shown_
    int first_ = 0;           // of shown_, at the top
    int fitting_ = 8;         // rows on a page
    std::string problem_;
    Thumbnails thumbnails_;
    std::vector<ThumbnailKey> wanted_;  // of the frame
};

}  // namespace ws
