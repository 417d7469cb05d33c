#include "app/widgets/text.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace ws {

namespace {

// Pieces that keep their place; those of the largest frame so far stay.
class TextStore {
  public:
    std::string_view keep(std::string_view text) {
        if (text.size() + 1 > kPiece) return large_.emplace_back(text);
        if (used_ + text.size() + 1 > kPiece) {
            ++piece_;
            used_ = 0;
        }
        if (piece_ == pieces_.size()) pieces_.push_back(std::make_unique<std::array<char, kPiece>>());
        char* to = pieces_[piece_]->data() + used_;
        *std::copy(text.begin(), text.end(), to) = 0;
        used_ += text.size() + 1;
        return {to, text.size()};
    }
    void forget() {
        piece_ = used_ = 0;
        large_.clear();
    }

  private:
    static constexpr std::size_t kPiece = 16384;
    std::vector<std::unique_ptr<std::array<char, kPiece>>> pieces_;
    std::size_t piece_ = 0;
    std::size_t used_ = 0;
    std::deque<std::string> large_;
};

TextStore& store() {
    static TextStore made;
    return made;
}

}  // namespace

std::string_view frame_text(std::string_view made) {
    return store().keep(made);
}

void begin_frame_texts() {
    store().forget();
}

std::string_view time_text(double ms) {
    if (ms < 0.01) return text("{:.2f} µs", ms * 1000);
    if (ms < 1) return text("{:.1f} µs", ms * 1000);
    if (ms < 100) return text("{:.2f} ms", ms);
    return text("{:.0f} ms", ms);
}

void wrapped(std::string_view text) {
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
}

void wrapped(const ImVec4& color, std::string_view text) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    wrapped(text);
    ImGui::PopStyleColor();
}

float em() {
    return ImGui::GetFontSize();
}

void table_row(std::string_view label, std::string_view value) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    wrapped(kDim, label);
    ImGui::TableNextColumn();
    wrapped(value);
}

}  // namespace ws
