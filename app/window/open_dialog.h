#pragma once
// Choosing a picture by its path.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ws {

class OpenDialog {
  public:
    void show(const std::filesystem::path& folder);
    void hide() { visible_ = false; }
    [[nodiscard]] bool visible() const { return visible_; }
    // Draws the dialog if it is visible; returns a path once one was chosen.
    [[nodiscard]] std::optional<std::string> draw();

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
