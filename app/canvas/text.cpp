#include "app/canvas/text.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ws {

namespace {

// Pieces that keep their place; those of the largest frame so far stay.
class TextStore {
  public:
    std::span<char> keep(std::string_view text) {
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
    const std::span<char> kept = store().keep(made);
    return {kept.data(), kept.size()};
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

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Of what joins the word that ends here to the next one: "32 × 4", "83 %", and "8 x 8", but no other x.
std::size_t joint_at(std::string_view all, std::size_t at) {
    constexpr std::string_view kTimes = " × ", kPercent = " %", kLetter = " x ";
    const std::string_view rest = all.substr(at);
    if (rest.starts_with(kTimes)) return kTimes.size();
    if (rest.starts_with(kPercent)) return kPercent.size();
    const bool between_digits = at > 0 && is_digit(all[at - 1]) && rest.starts_with(kLetter) &&
                                rest.size() > kLetter.size() && is_digit(rest[kLetter.size()]);
    return between_digits ? kLetter.size() : 0;
}

}  // namespace

std::size_t end_of_word(std::string_view text, std::size_t from) {
    const auto next = [&](std::size_t at) { return std::min(text.find_first_of(" \n", at), text.size()); };
    std::size_t at = next(from);
    while (const std::size_t joint = joint_at(text, at)) at = next(at + joint);
    return at;
}

// ImGui's own wrapping breaks after points and commas too, inside of "1.75" and "blur_g1.cu".
std::string_view broken_at_blanks(std::string_view text, float width) {
    const ImFont& font = *ImGui::GetFont();
    const auto width_of = [&](const char* begin, const char* end) {
        return font.CalcTextSizeA(ImGui::GetFontSize(), FLT_MAX, 0, begin, end).x;
    };
    if (width_of(text.data(), text.data() + text.size()) <= width) return text;
    const std::span<char> lines = store().keep(text);
    const std::string_view space = " ";
    const float blank = width_of(space.data(), space.data() + space.size());
    float used = 0;  // of the line so far
    char* const end = lines.data() + lines.size();
    for (char* word = lines.data(); word < end;) {
        char* const word_end = lines.data() + end_of_word(text, std::size_t(word - lines.data()));
        const float wide = width_of(word, word_end);
        if (used > 0 && used + wide > width) {
            word[-1] = '\n';
            used = 0;
        }
        used = word_end < end && *word_end == '\n' ? 0 : used + wide + blank;
        word = word_end + 1;
    }
    return {lines.data(), lines.size()};
}

void wrapped(std::string_view text) {
    constexpr float kRounding = 1;  // so that ImGui finds nothing left to break but words that are too wide
    text = broken_at_blanks(text, ImGui::GetContentRegionAvail().x - kRounding);
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

}  // namespace ws
