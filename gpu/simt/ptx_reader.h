#pragma once
// Reads PTX text token by token: what is expected next, numbers, declarations of variables.

#include <string>
#include <string_view>

#include "gpu/simt/ptx.h"
#include "gpu/simt/ptx_lexer.h"

namespace ws::simt {

// Every function throws SyntaxError, with the line of the PTX, for text of another form.
class PtxReader {
  public:
    explicit PtxReader(std::string_view text) : lexer_(text) {}

    [[noreturn]] void fail(const std::string& what) const;
    [[nodiscard]] const Token& peek() const { return lexer_.peek(); }
    [[nodiscard]] bool at_end() const { return peek().kind == Token::Kind::end; }
    // Whether the next token is this word or mark.
    [[nodiscard]] bool at(std::string_view text) const {
        return peek().kind != Token::Kind::text && peek().text == text;
    }
    Token next() { return lexer_.next(); }
    bool accept(std::string_view text);
    void expect(std::string_view text);
    std::string word();
    // Passes over everything up to `text`, and over it.
    void skip_past(std::string_view text);

    // "12", "-5", "0x1F", "017", "0b11", "0f3F800000", "0d3FF0000000000000", "1.5e3".
    PtxOperand number();
    std::int64_t integer();
    // What follows ".shared": ".align 4 .b8 tile[2128] = {...}".
    PtxVariable variable(Space space);

  private:
    struct Element {
        std::uint64_t bytes = 0;
        bool is_float = false;
    };
    Element types_of_variable(PtxVariable& variable);
    void pointed_to();
    std::uint64_t alignment();
    void initial_values(PtxVariable& variable, const Element& element, bool sized);
    void initial_value(PtxVariable& variable, const Element& element);
    Lexer lexer_;
};

}  // namespace ws::simt
