#include "gpu/compile/declarations.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "gpu/compile/source_text.h"

namespace ws {
namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_word(text[end])) ++end;
        if (end > at) words.push_back(text.substr(at, end - at));
        at = std::max(end, at + 1);
    }
    return words;
}

// A preprocessor line with what it continues on.
std::size_t end_of_directive(std::string_view code, std::size_t at) {
    while (true) {
        const std::size_t end = std::min(code.find('\n', at), code.size());
        std::size_t last = end;
        if (last > at && code[last - 1] == '\r') --last;
        if (end == code.size() || last == at || code[last - 1] != '\\') return end;
        at = end + 1;
    }
}

class Finder {
  public:
    Finder(std::string_view code, std::size_t begin, std::size_t end, const Words& device)
        : code_(code.substr(0, end)), at_(begin), device_(device) {}

    std::vector<Declaration> run() {
        while (true) {
            skip_blanks();
            if (at_ >= code_.size()) return std::move(found_);
            if (code_[at_] == '}' || code_[at_] == ';')
                ++at_;  // the end of a namespace
            else
                declaration();
        }
    }

  private:
    // Blanks, and "public:" in a type.
    void skip_blanks() {
        while (true) {
            at_ = std::min(code_.find_first_not_of(" \t\r\n", at_), code_.size());
            std::size_t end = at_;
            while (end < code_.size() && is_word(code_[end])) ++end;
            const std::string_view word = code_.substr(at_, end - at_);
            if (word != "public" && word != "private" && word != "protected") return;
            end = std::min(code_.find_first_not_of(" \t\r\n", end), code_.size());
            if (end == code_.size() || code_[end] != ':') return;
            at_ = end + 1;
        }
    }

    // The place behind the bracket that closes the one at `at`; the end of the code where none does.
    [[nodiscard]] std::size_t behind_bracket(std::size_t at) const {
        int depth = 0;
        for (; at < code_.size(); ++at) {
            if (code_[at] == '(' || code_[at] == '{' || code_[at] == '[') ++depth;
            if ((code_[at] == ')' || code_[at] == '}' || code_[at] == ']') && --depth == 0) return at + 1;
        }
        return at;
    }

    void declaration() {
        Declaration made;
        made.begin = at_;
        at_ = code_.size() - behind_template(code_.substr(at_)).size();
        bool assigned = false;
        while (at_ < code_.size()) {
            const char c = code_[at_];
            if (c == ';') {
                ++at_;
                break;
            }
            if (c == '}') break;  // of a namespace: what stands before it was a macro
            if (c == '(' || c == '[') {
                at_ = behind_bracket(at_);
            } else if (c == '{') {
                const std::string_view head = code_.substr(made.begin, at_ - made.begin);
                if (!assigned && opens_scope(head)) {
                    ++at_;
                    return;
                }
                if (made.body == 0) made.body = at_;
                at_ = behind_bracket(at_);
                if (!assigned && is_function(head) && ends_behind_body()) break;
            } else {
                assigned |= c == '=' && !is_operator(made.begin);
                ++at_;
            }
        }
        made.end = at_;
        classify(made, assigned);
        found_.push_back(made);
    }

    // "operator=", "operator==": no value is given.
    [[nodiscard]] bool is_operator(std::size_t begin) const {
        constexpr std::string_view kOperator = "operator";
        const std::size_t found = code_.substr(begin, at_ - begin).rfind(kOperator);
        if (found == std::string_view::npos) return false;
        const std::string_view between =
            code_.substr(begin + found + kOperator.size(), at_ - begin - found - kOperator.size());
        return std::all_of(between.begin(), between.end(), [](char c) { return !is_word(c) && c != '('; });
    }

    // A member is initialised with braces, or another try block follows.
    [[nodiscard]] bool ends_behind_body() {
        const std::size_t next = std::min(code_.find_first_not_of(" \t\r\n", at_), code_.size());
        return next == code_.size() ||
               (code_[next] != ',' && code_[next] != '{' && !code_.substr(next).starts_with("catch"));
    }

    [[nodiscard]] static bool opens_scope(std::string_view head) {
        const std::vector<std::string_view> words = words_of(head);
        if (words.empty()) return false;
        if (words[0] == "namespace" || (words[0] == "inline" && words.size() > 1 && words[1] == "namespace"))
            return true;
        return words.size() == 1 && words[0] == "extern";  // "C" is a literal
    }

    // What is declared, behind "template <...>".
    [[nodiscard]] static std::string_view behind_template(std::string_view head) {
        while (true) {
            head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
            if (!head.starts_with("template")) return head;
            std::size_t at = std::min(head.find('<'), head.size());
            int depth = 0;
            int brackets = 0;
            for (; at < head.size(); ++at) {
                if (head[at] == '(' || head[at] == '{') ++brackets;
                if (head[at] == ')' || head[at] == '}') --brackets;
                if (brackets == 0) depth += head[at] == '<' ? 1 : head[at] == '>' ? -1 : 0;
                if (depth == 0 || (brackets == 0 && head[at] == ';')) break;
            }
            head.remove_prefix(std::min(at + 1, head.size()));
        }
    }

    [[nodiscard]] static bool is_type(std::string_view head) {
        const std::vector<std::string_view> words = words_of(behind_template(head));
        constexpr std::array<std::string_view, 9> kTypes{
            "struct", "class", "union", "enum", "typedef", "using", "static_assert", "friend", "namespace"};
        if (words.empty() || std::find(kTypes.begin(), kTypes.end(), words[0]) == kTypes.end()) return false;
        if (words[0] != "struct" && words[0] != "class" && words[0] != "union" && words[0] != "enum")
            return true;
        // "struct A f(int) {" is a function; "struct __align__(16) A {" is not.
        const std::size_t open = head.find('(');
        if (open == std::string_view::npos) return true;
        const std::vector<std::string_view> before = words_of(head.substr(0, open));
        return before.size() > 1 &&
               (before.back().find("align") != std::string_view::npos || before.back() == "__attribute__");
    }

    [[nodiscard]] static bool is_function(std::string_view head) {
        return !is_type(head) && head.find('(') != std::string_view::npos;
    }

    void classify(Declaration& made, bool assigned) const {
        const std::size_t head_end = made.body ? made.body : made.end;
        const std::string_view head = code_.substr(made.begin, head_end - made.begin);
        made.kind = is_type(head)                    ? Declaration::Kind::type
                    : !assigned && is_function(head) ? Declaration::Kind::function
                                                     : Declaration::Kind::variable;
        // A macro that is used and nothing else.
        if (made.kind == Declaration::Kind::function && !made.body &&
            words_of(head.substr(0, head.find('('))).size() < 2)
            made.kind = Declaration::Kind::other;
        const bool whole = made.kind == Declaration::Kind::type;
        for (const std::string_view word :
             words_of(whole ? code_.substr(made.begin, made.end - made.begin) : head)) {
            made.device |= device_.count(word) > 0;
            made.constant |=
                word == "constexpr" || (word == "const" && made.kind != Declaration::Kind::function);
        }
    }

    std::string_view code_;
    std::size_t at_;
    const Words& device_;
    std::vector<Declaration> found_;
};

}  // namespace

Words device_words(std::string_view code) {
    Words words{"__global__", "__device__", "__constant__", "__shared__", "__managed__", "__grid_constant__"};
    // A macro may stand for another one that is defined below it.
    for (bool found = true; found;) {
        found = false;
        for (std::size_t at = code.find('#'); at != std::string_view::npos; at = code.find('#', at + 1)) {
            const std::string_view line = code.substr(at, end_of_directive(code, at) - at);
            const std::vector<std::string_view> parts = words_of(line);
            if (parts.size() < 3 || parts[0] != "define") continue;
            const bool marks = std::any_of(parts.begin() + 2, parts.end(),
                                           [&](std::string_view part) { return words.count(part) > 0; });
            if (marks) found |= words.emplace(parts[1]).second;
        }
    }
    return words;
}

std::vector<std::pair<std::size_t, std::size_t>> directives_of(std::string_view code) {
    std::vector<std::pair<std::size_t, std::size_t>> lines;
    for (std::size_t at = 0; at < code.size();) {
        const std::size_t first = code.find_first_not_of(" \t\r", at);
        const bool is_directive = first != std::string_view::npos && code[first] == '#';
        const std::size_t end =
            is_directive ? end_of_directive(code, at) : std::min(code.find('\n', at), code.size());
        if (is_directive) lines.emplace_back(at, end);
        at = end + 1;
    }
    return lines;
}

std::string plain_code(std::string_view text) {
    std::string code = code_of(text);
    for (const auto& [begin, end] : directives_of(code)) {
        std::replace_if(
            code.begin() + std::ptrdiff_t(begin), code.begin() + std::ptrdiff_t(end),
            [](char c) { return c != '\n'; }, ' ');
    }
    return code;
}

std::vector<Declaration> declarations_of(std::string_view code, std::size_t begin, std::size_t end,
                                         const Words& device) {
    return Finder(code, begin, end, device).run();
}

}  // namespace ws
