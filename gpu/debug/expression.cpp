#include "gpu/debug/expression.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <optional>

namespace ws::debug {
namespace {

constexpr int kDeepestExpression = 64;
constexpr std::size_t kLongestExpression = 2000;

struct Token {
    enum class Kind : std::uint8_t { end, name, number, character, sign };
    Kind kind = Kind::end;
    std::string text;
    std::size_t at = 0;
};

bool begins_name(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$';
}
bool goes_on_name(char c) {
    return begins_name(c) || std::isdigit(static_cast<unsigned char>(c));
}

class Lexer {
  public:
    explicit Lexer(std::string_view text) : text_(text) {}

    std::vector<Token> read() {
        std::vector<Token> made;
        while (true) {
            while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
            if (at_ == text_.size()) break;
            const std::size_t from = at_;
            Token token = next(made);
            token.at = from;
            made.push_back(std::move(token));
        }
        made.push_back({Token::Kind::end, "", at_});
        return made;
    }

  private:
    // '%' begins a register where an operand may stand.
    static bool operand_may_stand(const std::vector<Token>& before) {
        if (before.empty()) return true;
        const Token& last = before.back();
        return last.kind == Token::Kind::sign && last.text != ")" && last.text != "]";
    }

    Token next(const std::vector<Token>& before) {
        const char c = text_[at_];
        if (begins_name(c)) return name();
        if (c == '%' && operand_may_stand(before) && at_ + 1 < text_.size() && begins_name(text_[at_ + 1]))
            return register_name();
        const bool point =
            c == '.' && at_ + 1 < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_ + 1]));
        if (std::isdigit(static_cast<unsigned char>(c)) || point) return number();
        if (c == '\'') return character();
        static constexpr std::array<std::string_view, 11> kPairs{
            "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "::", "++"};
        for (const std::string_view pair : kPairs) {
            if (text_.substr(at_, 2) != pair) continue;
            at_ += 2;
            return {Token::Kind::sign, std::string(pair), 0};
        }
        ++at_;
        return {Token::Kind::sign, std::string(1, c), 0};
    }

    // With "::" between names, as in an enumeration's.
    Token name() {
        const std::size_t from = at_;
        while (at_ < text_.size() && goes_on_name(text_[at_])) {
            ++at_;
            if (text_.substr(at_, 2) == "::" && at_ + 2 < text_.size() && begins_name(text_[at_ + 2]))
                at_ += 2;
        }
        return {Token::Kind::name, std::string(text_.substr(from, at_ - from)), 0};
    }

    // "%r1", "%tid.x"
    Token register_name() {
        const std::size_t from = at_++;
        while (at_ < text_.size() && goes_on_name(text_[at_])) ++at_;
        if (at_ + 1 < text_.size() && text_[at_] == '.' && text_[at_ + 1] >= 'x' && text_[at_ + 1] <= 'z' &&
            (at_ + 2 == text_.size() || !goes_on_name(text_[at_ + 2])))
            at_ += 2;
        return {Token::Kind::name, std::string(text_.substr(from, at_ - from)), 0};
    }

    Token number() {
        const std::size_t from = at_;
        const bool hex = text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X";
        while (at_ < text_.size()) {
            const char c = text_[at_];
            const char before = at_ > from ? char(std::tolower(text_[at_ - 1])) : ' ';
            const bool exponent = (c == '+' || c == '-') && !hex && before == 'e';
            if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && !exponent) break;
            ++at_;
        }
        return {Token::Kind::number, std::string(text_.substr(from, at_ - from)), 0};
    }

    Token character() {
        const std::size_t end = text_.find('\'', at_ + 2);
        if (end == std::string_view::npos || end - at_ > 3) throw DebugError("a character is written as 'a'");
        const std::string inner(text_.substr(at_ + 1, end - at_ - 1));
        if (inner.size() == 2 && inner.front() != '\\') throw DebugError("a character is written as 'a'");
        at_ = end + 1;
        return {Token::Kind::character, inner, 0};
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

class ExpressionParser {
  public:
    ExpressionParser(std::string_view text, TypeTable& types)
        : text_(text), types_(types), tokens_(Lexer(text).read()) {}

    Expression parse() {
        Expression made = choice();
        if (here().kind != Token::Kind::end) {
            if (is("="))
                throw DebugError("nothing can be assigned: what follows would not be what the kernel does");
            fail();
        }
        return made;
    }

  private:
    [[nodiscard]] const Token& here() const { return tokens_[at_]; }
    [[nodiscard]] bool is(std::string_view sign) const {
        return here().kind == Token::Kind::sign && here().text == sign;
    }
    bool accept(std::string_view sign) {
        if (!is(sign)) return false;
        ++at_;
        return true;
    }
    void expect(std::string_view sign) {
        if (!accept(sign)) fail();
    }
    [[noreturn]] void fail() const {
        if (here().kind == Token::Kind::end)
            throw DebugError(text_.empty() ? "an expression is missing"
                                           : fmt::format("'{}' ends too early", text_));
        throw DebugError(fmt::format("a syntax error in '{}', near '{}'", text_, text_.substr(here().at)));
    }

    // Parentheses within parentheses, and the like.
    struct Deeper {
        explicit Deeper(int& depth) : depth_(depth) {
            if (++depth_ > kDeepestExpression) throw DebugError("the expression is nested too deeply");
        }
        ~Deeper() { --depth_; }
        Deeper(const Deeper&) = delete;
        Deeper& operator=(const Deeper&) = delete;
        int& depth_;
    };

    static Expression of(Expression::Kind kind, std::string text, std::vector<Expression> parts,
                         int type = 0) {
        Expression made;
        made.kind = kind;
        made.text = std::move(text);
        made.type = type;
        made.parts = std::move(parts);
        return made;
    }
    static std::vector<Expression> both(Expression a, Expression b) {
        std::vector<Expression> made;
        made.push_back(std::move(a));
        made.push_back(std::move(b));
        return made;
    }

    Expression choice() {
        const Deeper deeper(depth_);
        Expression condition = binary(0);
        if (!accept("?")) return condition;
        Expression yes = choice();
        expect(":");
        std::vector<Expression> parts = both(std::move(condition), std::move(yes));
        parts.push_back(choice());
        return of(Expression::Kind::choice, "?:", std::move(parts));
    }

    // Of a sign its level, the loosest first; -1: none that stands between two operands.
    [[nodiscard]] static int level_of(const Token& token) {
        static constexpr std::array<std::array<std::string_view, 4>, 11> kLevels{{{"||"},
                                                                                  {"&&"},
                                                                                  {"|"},
                                                                                  {"^"},
                                                                                  {"&"},
                                                                                  {"==", "!="},
                                                                                  {"<", ">", "<=", ">="},
                                                                                  {"<<", ">>"},
                                                                                  {"@"},
                                                                                  {"+", "-"},
                                                                                  {"*", "/", "%"}}};
        if (token.kind != Token::Kind::sign) return -1;
        for (std::size_t level = 0; level < kLevels.size(); ++level) {
            for (const std::string_view sign : kLevels[level]) {
                if (!sign.empty() && sign == token.text) return int(level);
            }
        }
        return -1;
    }

    Expression binary(int level) {
        const Deeper deeper(depth_);
        Expression left = unary();
        while (true) {
            const int found = level_of(here());
            if (found < level) return left;
            const std::string sign = here().text;
            ++at_;
            left = of(Expression::Kind::binary, sign, both(std::move(left), binary(found + 1)));
        }
    }

    Expression unary() {
        const Deeper deeper(depth_);
        for (const std::string_view sign : {"-", "+", "!", "~", "*", "&"}) {
            if (!is(sign)) continue;
            ++at_;
            std::vector<Expression> parts;
            parts.push_back(unary());
            return of(Expression::Kind::unary, std::string(sign), std::move(parts));
        }
        if (here().kind == Token::Kind::name && here().text == "sizeof") return size();
        if (is("(")) {
            if (const std::optional<int> type = type_in_parentheses()) {
                std::vector<Expression> parts;
                parts.push_back(unary());
                return of(Expression::Kind::cast, "", std::move(parts), *type);
            }
        }
        return postfix();
    }

    Expression size() {
        ++at_;
        if (!is("(")) fail();
        if (const std::optional<int> type = type_in_parentheses())
            return of(Expression::Kind::size_of, "", {}, *type);
        std::vector<Expression> parts;
        parts.push_back(unary());
        return of(Expression::Kind::size_of, "", std::move(parts));
    }

    // "(const float*)"; nothing, and nothing read, where it is no type.
    std::optional<int> type_in_parentheses() {
        const std::size_t from = at_;
        std::string words;
        std::size_t at = from + 1;
        for (; tokens_[at].kind == Token::Kind::name; ++at)
            words += (words.empty() ? "" : " ") + tokens_[at].text;
        std::optional<int> type = words.empty() ? std::nullopt : types_.named(words);
        if (!type) return std::nullopt;
        const auto sign = [&](std::string_view text) {
            return tokens_[at].kind == Token::Kind::sign && tokens_[at].text == text;
        };
        for (int stars = 0; sign("*"); ++at) {
            if (++stars > 8) return std::nullopt;
            type = types_.pointer_to(*type);
        }
        if (!sign(")")) return std::nullopt;
        at_ = at + 1;
        return type;
    }

    Expression postfix() {
        Expression made = primary();
        while (true) {
            if (accept("[")) {
                made = of(Expression::Kind::element, "", both(std::move(made), choice()));
                expect("]");
            } else if (is(".") || is("->")) {
                const std::string sign = here().text;
                ++at_;
                if (here().kind != Token::Kind::name) fail();
                if (sign == "->") {
                    std::vector<Expression> pointer;
                    pointer.push_back(std::move(made));
                    made = of(Expression::Kind::unary, "*", std::move(pointer));
                }
                std::vector<Expression> parts;
                parts.push_back(std::move(made));
                made = of(Expression::Kind::member, here().text, std::move(parts));
                ++at_;
            } else {
                return made;
            }
            if (++postfixes_ > kDeepestExpression) throw DebugError("the expression is too long");
        }
    }

    Expression primary() {
        if (accept("(")) {
            Expression made = choice();
            expect(")");
            return made;
        }
        const Token token = here();
        if (token.kind == Token::Kind::number || token.kind == Token::Kind::character) {
            ++at_;
            return token.kind == Token::Kind::number ? number(token.text) : character(token.text);
        }
        if (token.kind != Token::Kind::name) fail();
        ++at_;
        if (token.text == "true" || token.text == "false") {
            Expression made = of(Expression::Kind::number, "", {}, TypeTable::kBool);
            made.bits = token.text == "true" ? 1 : 0;
            return made;
        }
        return of(Expression::Kind::name, token.text, {});
    }

    static Expression character(const std::string& text) {
        char c = text[0];
        if (text.size() == 2 && text[0] == '\\')
            c = text[1] == 'n' ? '\n' : text[1] == 't' ? '\t' : text[1] == '0' ? '\0' : text[1];
        Expression made = of(Expression::Kind::number, "", {}, TypeTable::kChar);
        made.bits = std::uint64_t(std::int64_t(c));
        return made;
    }

    static Expression number(std::string text) {
        const auto wrong = [&] { return DebugError(fmt::format("'{}' is not a number", text)); };
        const std::string whole = text;
        const bool hex = text.starts_with("0x") || text.starts_with("0X");
        Expression made = of(Expression::Kind::number, "", {}, TypeTable::kInt);
        char* end = nullptr;
        if (!hex && text.find_first_of(".eE") != std::string::npos) {
            const bool single = text.back() == 'f' || text.back() == 'F';
            if (single) text.pop_back();
            const double value = std::strtod(text.c_str(), &end);
            if (*end != '\0') throw wrong();
            made.type = single ? TypeTable::kFloat : TypeTable::kDouble;
            made.bits =
                single ? std::bit_cast<std::uint32_t>(float(value)) : std::bit_cast<std::uint64_t>(value);
            return made;
        }
        bool is_unsigned = false;
        int longs = 0;
        while (!text.empty() && (std::tolower(text.back()) == 'u' || std::tolower(text.back()) == 'l')) {
            is_unsigned |= std::tolower(text.back()) == 'u';
            longs += std::tolower(text.back()) == 'l';
            text.pop_back();
        }
        if (text.size() > 18) throw wrong();
        made.bits = std::strtoull(text.c_str(), &end, 0);
        if (text.empty() || *end != '\0') throw wrong();
        const bool small = made.bits <= 0x7FFFFFFFu;
        if (longs > 0 || made.bits > 0xFFFFFFFFu)
            made.type = is_unsigned ? TypeTable::kUnsignedLong : TypeTable::kLong;
        else if (is_unsigned || (hex && !small))
            made.type = TypeTable::kUnsigned;
        else if (!small)
            made.type = TypeTable::kLong;
        return made;
    }

    std::string_view text_;
    TypeTable& types_;
    std::vector<Token> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
    int postfixes_ = 0;
};

}  // namespace

Expression parse_expression(std::string_view text, TypeTable& types) {
    if (text.size() > kLongestExpression) throw DebugError("the expression is too long");
    return ExpressionParser(text, types).parse();
}

}  // namespace ws::debug
