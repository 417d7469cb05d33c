#include "gpu/simt/ptx.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "gpu/simt/ptx_lexer.h"

namespace ws::simt {
namespace {

bool starts_with(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

// The size in bytes of the last part of a type: 4 for ".f32", 0 if it is no type.
std::uint64_t size_of(std::string_view type) {
    std::size_t digits = type.find_first_of("0123456789");
    if (type == ".pred") return 1;
    if (type.size() < 3 || digits != 2 || std::string_view("busf").find(type[1]) == std::string_view::npos)
        return 0;
    int bits = 0;
    const auto [end, error] = std::from_chars(type.data() + digits, type.data() + type.size(), bits);
    return error == std::errc() && end == type.data() + type.size() ? std::uint64_t(bits) / 8 : 0;
}

class Parser {
  public:
    explicit Parser(std::string_view text) : lexer_(text) {}

    PtxModule module() {
        while (lexer_.peek().kind != Token::Kind::end) top_level();
        return std::move(module_);
    }

  private:
    struct Scope {
        std::map<std::string, std::string, std::less<>> names;  // as written to as kept
    };

    [[noreturn]] void fail(const std::string& what) const {
        throw SyntaxError(fmt::format("line {} of the PTX: {}", lexer_.peek().line, what));
    }
    bool accept(std::string_view text) {
        if (lexer_.peek().kind == Token::Kind::text || lexer_.peek().text != text) return false;
        lexer_.next();
        return true;
    }
    void expect(std::string_view text) {
        if (!accept(text)) fail(fmt::format("'{}' expected, '{}' found", text, lexer_.peek().text));
    }
    std::string word() {
        if (lexer_.peek().kind != Token::Kind::word)
            fail(fmt::format("a name expected, '{}' found", lexer_.peek().text));
        return std::string(lexer_.next().text);
    }

    // An integer, or the bits of a float: "12", "-5", "0x1F", "0f3F800000", "0d3FF0000000000000".
    PtxOperand number() {
        PtxOperand operand;
        operand.kind = PtxOperand::Kind::number;
        const bool minus = accept("-");
        if (lexer_.peek().kind != Token::Kind::number)
            fail(fmt::format("a number expected, '{}' found", lexer_.peek().text));
        std::string_view text = lexer_.next().text;
        int base = 10;
        if (text.size() > 2 && text[0] == '0' && std::isalpha(std::uint8_t(text[1]))) {
            operand.is_float = text[1] == 'f' || text[1] == 'F';
            base = text[1] == 'b' || text[1] == 'B' ? 2 : 16;
            text.remove_prefix(2);
        }
        while (!text.empty() && text.back() == 'U') text.remove_suffix(1);
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), operand.bits, base);
        if (error != std::errc() || end != text.data() + text.size())
            fail(fmt::format("'{}' is no number", text));
        if (minus) operand.bits = ~operand.bits + 1;
        return operand;
    }
    std::int64_t integer() { return std::int64_t(number().bits); }

    // ---- module level

    void top_level() {
        const std::string directive = word();
        if (directive == ".version") {
            integer();
            word();  // the fraction: ".0"
        } else if (directive == ".target") {
            module_.target = word();
            while (accept(",")) word();
        } else if (directive == ".address_size") {
            integer();
        } else if (directive == ".file") {
            file();
        } else if (directive == ".section") {
            word();
            expect("{");
            while (!accept("}")) {
                if (lexer_.peek().kind == Token::Kind::end) fail("the section has no end");
                lexer_.next();
            }
        } else if (directive == ".visible" || directive == ".weak" || directive == ".common") {
        } else if (directive == ".extern") {
            next_is_extern_ = true;
        } else if (directive == ".entry" || directive == ".func") {
            function(directive == ".entry");
            next_is_extern_ = false;
        } else if (directive == ".global" || directive == ".const" || directive == ".shared") {
            PtxVariable variable = declaration(space_named(directive));
            variable.is_extern = next_is_extern_;
            next_is_extern_ = false;
            module_.variables.push_back(std::move(variable));
            expect(";");
        } else if (directive == ".pragma" || directive == ".alias" || directive == ".loc") {
            while (!accept(";") && directive != ".loc") lexer_.next();
            if (directive == ".loc") fail(".loc outside a function");
        } else {
            fail(fmt::format("'{}' is not known here", directive));
        }
    }

    void file() {
        const int index = int(integer());
        if (lexer_.peek().kind != Token::Kind::text) fail("a file name expected");
        std::string_view name = lexer_.next().text;
        module_.files[index] = std::string(name.substr(1, name.size() - 2));
        while (accept(",")) integer();
    }

    static Space space_named(std::string_view directive) {
        if (directive == ".global") return Space::global;
        if (directive == ".const") return Space::constant;
        if (directive == ".shared") return Space::shared;
        if (directive == ".local") return Space::local;
        return Space::param;
    }

    // What follows ".shared" up to the semicolon: ".align 4 .b8 tile[2128] = {...}".
    PtxVariable declaration(Space space) {
        PtxVariable variable;
        variable.space = space;
        std::uint64_t element = 0;
        std::uint64_t repeat = 1;
        while (lexer_.peek().kind == Token::Kind::word && lexer_.peek().text[0] == '.') {
            const std::string part = word();
            if (part == ".align") {
                variable.align = std::uint64_t(integer());
            } else if (part == ".v2" || part == ".v4") {
                repeat = std::uint64_t(part[2] - '0');
            } else if (part == ".ptr" || part == ".attribute") {
                if (part == ".attribute") skip_parentheses();
            } else if (part == ".texref" || part == ".samplerref" || part == ".surfref") {
                fail("texture references are not supported; use texture objects");
            } else if (const std::uint64_t size = size_of(part)) {
                element = size;
            } else if (space != Space::param) {
                fail(fmt::format("'{}' is not known in a declaration", part));
            }
        }
        variable.name = word();
        std::uint64_t count = 1;
        while (accept("[")) {
            count *= lexer_.peek().text == "]" ? 0 : std::uint64_t(integer());
            expect("]");
        }
        variable.align = std::max({variable.align, element, std::uint64_t(1)});
        variable.bytes = element * repeat * count;
        if (accept("=")) initial_values(variable, element);
        return variable;
    }

    void skip_parentheses() {
        expect("(");
        for (int depth = 1; depth > 0;) {
            const std::string_view text = lexer_.next().text;
            depth += text == "(" ? 1 : text == ")" ? -1 : 0;
            if (lexer_.peek().kind == Token::Kind::end) fail("')' expected");
        }
    }

    void initial_values(PtxVariable& variable, std::uint64_t element) {
        int depth = 0;
        while (true) {
            if (accept("{")) {
                ++depth;
            } else if (accept("}")) {
                --depth;
            } else if (accept(",")) {
            } else if (lexer_.peek().kind == Token::Kind::word) {
                std::string name = word();
                if (name == "generic") {
                    expect("(");
                    name = word();
                    expect(")");
                }
                variable.pointers.emplace_back(variable.initial.size(), name);
                const std::uint64_t offset = accept("+") ? std::uint64_t(integer()) : 0;
                for (std::uint64_t i = 0; i < element; ++i)
                    variable.initial.push_back(std::uint8_t(offset >> (8 * i)));
            } else {
                const std::uint64_t bits = number().bits;
                for (std::uint64_t i = 0; i < element; ++i)
                    variable.initial.push_back(std::uint8_t(bits >> (8 * i)));
            }
            if (depth == 0 && lexer_.peek().text == ";") return;
            if (lexer_.peek().kind == Token::Kind::end) fail("the initial values have no end");
        }
    }

    // ---- functions

    std::vector<PtxVariable> parameters() {
        std::vector<PtxVariable> list;
        expect("(");
        while (!accept(")")) {
            const std::string kind = word();
            if (kind != ".param") fail(fmt::format("'.param' expected, '{}' found", kind));
            list.push_back(declaration(Space::param));
            accept(",");
        }
        return list;
    }

    void function(bool is_entry) {
        PtxFunction made;
        made.is_entry = is_entry;
        if (!is_entry && lexer_.peek().text == "(") made.results = parameters();
        made.name = word();
        if (lexer_.peek().text == "(") made.params = parameters();
        while (lexer_.peek().text != "{" && lexer_.peek().text != ";")
            lexer_.next();  // .maxntid 128, 1, 1 ...
        if (accept(";")) {
            module_.functions.push_back(std::move(made));
            return;
        }
        expect("{");
        made.has_body = true;
        function_ = &made;
        scopes_.assign(1, {});
        for (const PtxVariable& variable : made.params) scopes_[0].names[variable.name] = variable.name;
        for (const PtxVariable& variable : made.results) scopes_[0].names[variable.name] = variable.name;
        line_ = 0;
        scope_count_ = 0;
        while (!scopes_.empty()) statement();
        resolve_labels(made);
        function_ = nullptr;
        // A definition replaces the declaration that stood before it.
        for (PtxFunction& known : module_.functions) {
            if (known.name == made.name) {
                known = std::move(made);
                return;
            }
        }
        module_.functions.push_back(std::move(made));
    }

    std::string declare(const std::string& name) {
        std::string kept = scopes_.size() == 1 ? name : fmt::format("{}#{}", name, scope_ids_.back());
        scopes_.back().names[name] = kept;
        return kept;
    }
    // The name in the innermost scope that declares it; what no scope knows keeps its name.
    std::string resolve(const std::string& name) const {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
            if (const auto found = scope->names.find(name); found != scope->names.end()) return found->second;
        }
        return name;
    }

    void statement() {
        if (lexer_.peek().kind == Token::Kind::end) fail("the function has no end");
        if (accept("{")) {
            scopes_.emplace_back();
            scope_ids_.push_back(++scope_count_);
            return;
        }
        if (accept("}")) {
            scopes_.pop_back();
            if (!scope_ids_.empty()) scope_ids_.pop_back();
            return;
        }
        if (accept(";")) return;
        PtxInstruction instruction;
        instruction.ptx_line = lexer_.peek().line;
        if (accept("@")) {
            instruction.guard_negated = accept("!");
            instruction.guard = resolve(word());
        }
        const std::string first = word();
        if (instruction.guard.empty() && accept(":")) {
            label(first);
        } else if (first[0] == '.') {
            body_directive(first);
        } else {
            instruction.opcode = first;
            if (starts_with(first, "call")) {
                call(instruction);
            } else {
                operands(instruction);
            }
            instruction.line = line_;
            instruction.inlined = line_file_ != main_file_;
            function_->body.push_back(std::move(instruction));
        }
    }

    void label(const std::string& name) {
        if (lexer_.peek().text == ".branchtargets") {
            word();
            std::vector<std::string>& list = function_->branch_lists[name];
            do list.push_back(declare_label(word()));
            while (accept(","));
            expect(";");
        } else if (starts_with(lexer_.peek().text, ".callprototype")) {
            while (!accept(";")) lexer_.next();
        } else {
            function_->labels[declare_label(name)] = int(function_->body.size());
        }
    }
    // Labels in the scopes of inline assembly may repeat.
    std::string declare_label(const std::string& name) {
        return scopes_.size() == 1 || name[0] == '$' ? name : fmt::format("{}#{}", name, scope_ids_.back());
    }

    void body_directive(const std::string& directive) {
        if (directive == ".reg") {
            registers();
        } else if (directive == ".loc") {
            location();
        } else if (directive == ".pragma") {
            while (!accept(";")) lexer_.next();
        } else if (directive == ".shared" || directive == ".local" || directive == ".param") {
            PtxVariable variable = declaration(space_named(directive));
            variable.name = declare(variable.name);
            function_->variables.push_back(std::move(variable));
            expect(";");
        } else {
            fail(fmt::format("'{}' is not known inside a function", directive));
        }
    }

    void registers() {
        std::string type = word();
        if (type == ".v2" || type == ".v4") fail("vector registers are not supported");
        type.erase(0, 1);
        do {
            const std::string name = word();
            if (accept("<")) {
                const std::int64_t count = integer();
                expect(">");
                for (std::int64_t i = 0; i < count; ++i)
                    function_->registers[declare(name + std::to_string(i))] = type;
            } else {
                function_->registers[declare(name)] = type;
            }
        } while (accept(","));
        expect(";");
    }

    // ".loc 1 34 5", perhaps with ", function_name label, inlined_at 1 12 3". The line of an inlined function
    // of the same file counts for itself; line 0 says nothing and leaves the one before.
    void location() {
        const int file = int(integer());
        const int line = int(integer());
        integer();
        int outer_file = file;
        int outer_line = line;
        while (accept(",")) {
            const std::string part = word();
            if (part == "function_name") {
                word();
                if (accept("+")) integer();
            } else if (part == "inlined_at") {
                outer_file = int(integer());
                outer_line = int(integer());
                integer();
            }
        }
        if (main_file_ == 0) main_file_ = outer_file;
        if (file != main_file_ && outer_file == main_file_ && outer_line > 0) {
            line_file_ = main_file_;
            line_ = outer_line;
            called_from_[{file, line}] = outer_line;
        } else if (const auto caller = called_from_.find({outer_file, outer_line});
                   file != main_file_ && caller != called_from_.end()) {  // inlined into what was inlined
            line_file_ = main_file_;
            line_ = caller->second;
            called_from_[{file, line}] = line_;
        } else if (line > 0) {
            line_file_ = file;
            line_ = line;
        }
    }

    void operands(PtxInstruction& instruction) {
        if (accept(";")) return;
        do instruction.operands.push_back(operand());
        while (accept(","));
        expect(";");
    }

    PtxOperand operand() {
        if (lexer_.peek().text == "{" || lexer_.peek().text == "[") return group();
        if (lexer_.peek().kind == Token::Kind::number || lexer_.peek().text == "-") return number();
        PtxOperand made;
        made.negated = accept("!");
        made.name = resolve(word());
        if (accept("|")) made.pair = resolve(word());
        if (accept("+")) made.offset = integer();
        return made;
    }

    // "{%f1, %f2}", "[%rd1+4]", "[symbol]", "[%rd1, {%f1, %f2}]".
    PtxOperand group() {
        PtxOperand made;
        if (accept("{")) {
            made.kind = PtxOperand::Kind::vector;
            do made.parts.push_back(operand());
            while (accept(","));
            expect("}");
            return made;
        }
        expect("[");
        made.kind = PtxOperand::Kind::address;
        if (lexer_.peek().kind == Token::Kind::number || lexer_.peek().text == "-") {
            made.offset = integer();
        } else {
            made.name = resolve(word());
            if (accept("+") || lexer_.peek().text == "-") made.offset = integer();
        }
        if (accept(",")) {
            if (lexer_.peek().text == "{")
                made.parts = group().parts;
            else
                made.parts.push_back(operand());
        }
        expect("]");
        return made;
    }

    std::vector<std::string> names_in_parentheses() {
        std::vector<std::string> names;
        expect("(");
        while (!accept(")")) {
            names.push_back(resolve(word()));
            accept(",");
        }
        return names;
    }

    void call(PtxInstruction& instruction) {
        if (lexer_.peek().text == "(") {
            instruction.results = names_in_parentheses();
            expect(",");
        }
        instruction.callee = resolve(word());
        if (accept(",")) {
            if (lexer_.peek().text == "(") {
                instruction.arguments = names_in_parentheses();
                if (accept(",")) word();  // the prototype of an indirect call
            } else {
                word();
            }
        }
        expect(";");
    }

    // Labels of inline assembly carry their scope: an operand that names one is looked up with each scope.
    static void resolve_labels(PtxFunction& made) {
        for (PtxInstruction& instruction : made.body) {
            if (!starts_with(instruction.opcode, "bra") || instruction.operands.empty()) continue;
            std::string& name = instruction.operands.front().name;
            if (made.labels.count(name)) continue;
            const auto scoped = made.labels.lower_bound(name + "#");
            if (scoped != made.labels.end() && starts_with(scoped->first, name + "#")) name = scoped->first;
        }
    }

    Lexer lexer_;
    PtxModule module_;
    PtxFunction* function_ = nullptr;
    bool next_is_extern_ = false;
    std::vector<Scope> scopes_;
    std::vector<int> scope_ids_;
    int scope_count_ = 0;
    int line_ = 0;
    int line_file_ = 0;
    int main_file_ = 0;  // the first that a function names
    std::map<std::pair<int, int>, int>
        called_from_;  // lines of the main file, by file and line inlined there
};

}  // namespace

Result<PtxModule> parse_ptx(std::string_view text) {
    try {
        return Parser(text).module();
    } catch (const SyntaxError& error) {
        return Result<PtxModule>::failure(error.what());
    }
}

}  // namespace ws::simt
