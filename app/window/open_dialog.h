#pragma once
// Choosing a picture by its path.

#include <filesystem>
#include <string>
#include <vector>

#include "app/canvas/palette.h"
#include "app/window/edit.h"

namespace ws {

class OpenDialog {
  public:
    void show(const std::filesystem::path& folder);
    void hide() { visible_ = false; }
    [[nodiscard]] bool visible() const { return visible_; }
    // Draws the dialog if it is visible; asks for the picture that was chosen.
    void draw(Theme theme, Edits& edits);

  private:
    void list(const std::filesystem::path& folder);

    bool visible_ = false;
    bool focus_ = false;
    std::string typed_;
    std::filesystem::path folder_;
    std::vector<std::filesystem::path> entries_;  // folders first, then pictures
    std::string problem_;
};

}  // namespace ws
