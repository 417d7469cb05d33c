#include "gpu/compile/host_code.h"

#include <algorithm>

#include "gpu/compile/source_text.h"

namespace ws {
namespace {

using Kind = Declaration::Kind;

// Blanks declarations of a text, but neither line ends nor the preprocessor's lines.
class Eraser {
  public:
    explicit Eraser(std::string_view text) : text_(text), directives_(directives_of(code_of(text))) {}

    void erase(const Declaration& declaration) {
        auto line = directives_.begin();
        for (std::size_t at = declaration.begin; at < declaration.end; ++at) {
            while (line != directives_.end() && line->second <= at) ++line;
            if (line != directives_.end() && line->first <= at) continue;
            if (text_[at] != '\n' && text_[at] != '\r') text_[at] = ' ';
        }
    }
    [[nodiscard]] std::string take() { return std::move(text_); }

  private:
    std::string text_;
    std::vector<std::pair<std::size_t, std::size_t>> directives_;
};

// First and last byte of each line.
class Lines {
  public:
    explicit Lines(std::string_view text) {
        for (std::size_t at = 0; at != std::string_view::npos; at = text.find('\n', at)) {
            if (at > 0) ++at;
            starts_.push_back(at);
        }
        starts_.push_back(text.size() + 1);
    }
    [[nodiscard]] bool touches(const Declaration& declaration, int line) const {
        if (line < 1 || std::size_t(line) >= starts_.size()) return false;
        return declaration.begin < starts_[std::size_t(line)] &&
               starts_[std::size_t(line) - 1] < declaration.end;
    }

  private:
    std::vector<std::size_t> starts_;
};

}  // namespace

std::string without_host_code(std::string_view text, const Words& device) {
    const std::string code = plain_code(text);
    Eraser eraser(text);
    for (const Declaration& declaration : declarations_of(code, 0, code.size(), device)) {
        const bool of_values = declaration.kind == Kind::function || declaration.kind == Kind::variable;
        if (of_values && !declaration.device && !declaration.constant) eraser.erase(declaration);
    }
    return eraser.take();
}

std::string without_declarations_at(std::string_view text, const std::vector<int>& lines,
                                    const Words& device) {
    const std::string code = plain_code(text);
    const Lines places(text);
    const auto touched = [&](const Declaration& declaration) {
        return std::any_of(lines.begin(), lines.end(),
                           [&](int line) { return places.touches(declaration, line); });
    };
    Eraser eraser(text);
    for (const Declaration& declaration : declarations_of(code, 0, code.size(), device)) {
        if (!touched(declaration)) continue;
        if (!declaration.device) {
            eraser.erase(declaration);
            continue;
        }
        if (declaration.kind != Kind::type || declaration.body == 0) continue;
        const std::size_t close = code.rfind('}', declaration.end - 1);
        for (const Declaration& member : declarations_of(code, declaration.body + 1, close, device)) {
            if (member.kind == Kind::function && !member.device && touched(member)) eraser.erase(member);
        }
    }
    return eraser.take();
}

}  // namespace ws
