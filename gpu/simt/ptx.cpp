#include "gpu/simt/ptx.h"

#include <fmt/format.h>

#include "gpu/simt/ptx_reader.h"

namespace ws::simt {
namespace {

// A text that declares more registers than this for one function is no kernel of a GPU.
constexpr std::size_t kMostRegisters = 1 << 17;
constexpr std::size_t kDeepestScope = 256;
constexpr std::int64_t kMostThreads = 1 << 16;  // of a side of a block, in a directive

class Parser {
  public:
    explicit Parser(std::string_view text) : reader_(text) {}

    PtxModule module() {
        while (!reader_.at_end()) top_level();
        return std::move(module_);
    }

  private:
    struct Scope {
        int id = 0;                                             // 0: the function's own
        std::map<std::string, std::string, std::less<>> names;  // as written to as kept
    };
    // A branch whose label may stand further down: the scopes in which to look for it, the outermost first.
    struct Branch {
        std::size_t instruction = 0;
        std::vector<int> scopes;
    };

    // ---- module level

    void top_level() {
        const std::string directive = reader_.word();
        if (directive == ".version") {
            version();
        } else if (directive == ".target") {
            module_.target = reader_.word();
            while (reader_.accept(",")) reader_.word();
        } else if (directive == ".address_size") {
            if (reader_.integer() != 64) reader_.fail("only addresses of 64 bits are supported");
        } else if (directive == ".file") {
            file();
        } else if (directive == ".section") {
            reader_.skip_past("{");
            reader_.skip_past("}");
        } else if (directive == ".visible" || directive == ".weak" || directive == ".common") {
        } else if (directive == ".extern") {
            next_is_extern_ = true;
        } else if (directive == ".entry" || directive == ".func") {
            function(directive == ".entry");
            next_is_extern_ = false;
        } else if (directive == ".global" || directive == ".const" || directive == ".shared") {
            PtxVariable variable = reader_.variable(space_named(directive));
            variable.is_extern = next_is_extern_;
            next_is_extern_ = false;
            module_variable(std::move(variable));
            reader_.expect(";");
        } else if (directive == ".pragma" || directive == ".alias") {
            reader_.skip_past(";");
        } else {
            reader_.fail(fmt::format("'{}' is not known here", directive));
        }
    }

    void version() {
        if (reader_.peek().kind != Token::Kind::number) reader_.fail("a version expected");
        reader_.next();
    }

    void file() {
        const int index = int(reader_.integer());
        if (reader_.peek().kind != Token::Kind::text) reader_.fail("a file name expected");
        const std::string_view name = reader_.next().text;
        module_.files[index] = std::string(name.substr(1, name.size() - 2));
        while (reader_.accept(",")) reader_.integer();
    }

    // A definition replaces the declaration that stood before it.
    void module_variable(PtxVariable made) {
        for (PtxVariable& known : module_.variables) {
            if (known.name != made.name) continue;
            if (!known.is_extern && !made.is_extern)
                reader_.fail(fmt::format("'{}' is declared twice", made.name));
            if (known.is_extern) known = std::move(made);
            return;
        }
        module_.variables.push_back(std::move(made));
    }

    static Space space_named(std::string_view directive) {
        if (directive == ".global") return Space::global;
        if (directive == ".const") return Space::constant;
        if (directive == ".shared") return Space::shared;
        if (directive == ".local") return Space::local;
        return Space::param;
    }

    // ---- functions

    std::vector<PtxVariable> parameters() {
        std::vector<PtxVariable> list;
        reader_.expect("(");
        if (reader_.accept(")")) return list;
        do {
            reader_.expect(".param");
            list.push_back(reader_.variable(Space::param));
            declare(list.back().name);
        } while (reader_.accept(","));
        reader_.expect(")");
        return list;
    }

    // ".maxntid 128, 1, 1", ".reqntid 64", and others, which say nothing about a launch.
    void performance_directives(PtxFunction& made) {
        while (!reader_.at("{") && !reader_.at(";")) {
            if (reader_.at_end()) reader_.fail(fmt::format("the function '{}' has no body", made.name));
            const std::string text(reader_.next().text);
            if (text != ".maxntid" && text != ".reqntid") continue;
            std::array<int, 3>& sides = text == ".maxntid" ? made.most_threads : made.required_threads;
            sides = {1, 1, 1};
            std::size_t i = 0;
            do {
                const std::int64_t side = reader_.integer();
                if (i == sides.size() || side < 1 || side > kMostThreads)
                    reader_.fail("one to three numbers of threads expected");
                sides[i++] = int(side);
            } while (reader_.accept(","));
        }
    }

    void function(bool is_entry) {
        PtxFunction made;
        made.is_entry = is_entry;
        scopes_.assign(1, {});
        branches_.clear();
        if (!is_entry && reader_.at("(")) made.results = parameters();
        made.name = reader_.word();
        if (reader_.at("(")) made.params = parameters();
        performance_directives(made);
        if (!reader_.accept(";")) body(made);
        keep(std::move(made));
    }

    void body(PtxFunction& made) {
        reader_.expect("{");
        made.has_body = true;
        function_ = &made;
        line_ = 0;
        scope_count_ = 0;
        while (!scopes_.empty()) statement();
        for (const Branch& branch : branches_) resolve_label(branch);
        function_ = nullptr;
    }

    // A definition replaces the declaration that stood before it.
    void keep(PtxFunction made) {
        for (PtxFunction& known : module_.functions) {
            if (known.name != made.name) continue;
            if (known.has_body && made.has_body)
                reader_.fail(fmt::format("the function '{}' is defined twice", made.name));
            if (made.has_body) known = std::move(made);
            return;
        }
        module_.functions.push_back(std::move(made));
    }

    [[nodiscard]] static std::string in_scope(const std::string& name, int scope) {
        return scope == 0 ? name : fmt::format("{}#{}", name, scope);
    }
    std::string declare(const std::string& name) {
        std::string kept = in_scope(name, scopes_.back().id);
        if (!scopes_.back().names.emplace(name, kept).second)
            reader_.fail(fmt::format("'{}' is declared twice", name));
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
        if (reader_.at_end()) reader_.fail(fmt::format("the function '{}' has no end", function_->name));
        if (reader_.accept("{")) {
            if (scopes_.size() == kDeepestScope) reader_.fail("scopes are nested too deeply");
            scopes_.push_back({++scope_count_, {}});
            return;
        }
        if (reader_.accept("}")) return scopes_.pop_back();
        if (reader_.accept(";")) return;
        PtxInstruction instruction;
        instruction.ptx_line = reader_.peek().line;
        if (reader_.accept("@")) {
            instruction.guard_negated = reader_.accept("!");
            instruction.guard = resolve(reader_.word());
        }
        const std::string first = reader_.word();
        if (!instruction.guard.empty()) return operation(instruction, first);
        if (reader_.accept(":")) return label(first);
        if (first[0] == '.') return body_directive(first);
        operation(instruction, first);
    }

    void operation(PtxInstruction& instruction, const std::string& opcode) {
        if (opcode[0] == '.' || opcode[0] == '%')
            reader_.fail(fmt::format("an instruction expected, '{}' found", opcode));
        instruction.opcode = opcode;
        while (reader_.peek().kind == Token::Kind::word && reader_.peek().text[0] == '.')
            instruction.opcode += reader_.word();  // "ld .global .u32"
        const std::string name = instruction.opcode.substr(0, instruction.opcode.find('.'));
        if (name == "call") {
            call(instruction);
        } else {
            operands(instruction);
        }
        instruction.line = line_;
        instruction.inlined = line_file_ != main_file_;
        if (name == "bra" || name == "brx") {
            branches_.push_back({function_->body.size(), {}});
            for (const Scope& scope : scopes_) branches_.back().scopes.push_back(scope.id);
        }
        function_->body.push_back(std::move(instruction));
    }

    void label(const std::string& name) {
        const std::string kept = in_scope(name, scopes_.back().id);
        bool is_new = true;
        if (reader_.accept(".branchtargets")) {
            std::vector<std::string> list;
            do list.push_back(in_scope(reader_.word(), scopes_.back().id));
            while (reader_.accept(","));
            reader_.expect(";");
            is_new = function_->branch_lists.emplace(kept, std::move(list)).second;
        } else if (reader_.accept(".callprototype") || reader_.accept(".calltargets")) {
            reader_.skip_past(";");
        } else {
            is_new = function_->labels.emplace(kept, int(function_->body.size())).second;
        }
        if (!is_new) reader_.fail(fmt::format("the label '{}' is declared twice", name));
    }

    // The innermost scope that has the label, or the list of labels, is meant.
    void resolve_label(const Branch& branch) {
        PtxInstruction& instruction = function_->body[branch.instruction];
        if (instruction.operands.empty()) return;
        std::string& name = instruction.operands.back().name;
        for (auto scope = branch.scopes.rbegin(); scope != branch.scopes.rend(); ++scope) {
            const std::string kept = in_scope(name, *scope);
            if (function_->labels.count(kept) == 0 && function_->branch_lists.count(kept) == 0) continue;
            name = kept;
            return;
        }
    }

    void body_directive(const std::string& directive) {
        if (directive == ".reg") {
            registers();
        } else if (directive == ".loc") {
            location();
        } else if (directive == ".pragma") {
            reader_.skip_past(";");
        } else if (directive == ".shared" || directive == ".local" || directive == ".param") {
            PtxVariable variable = reader_.variable(space_named(directive));
            variable.name = declare(variable.name);
            function_->variables.push_back(std::move(variable));
            reader_.expect(";");
        } else {
            reader_.fail(fmt::format("'{}' is not known inside a function", directive));
        }
    }

    void add_register(const std::string& name, const std::string& type) {
        if (function_->registers.size() >= kMostRegisters)
            reader_.fail(fmt::format("a function may have {} registers", kMostRegisters));
        function_->registers[declare(name)] = type;
    }

    void registers() {
        std::string type = reader_.word();
        if (type == ".v2" || type == ".v4") reader_.fail("vector registers are not supported");
        if (type[0] != '.') reader_.fail(fmt::format("a type expected, '{}' found", type));
        type.erase(0, 1);
        do {
            const std::string name = reader_.word();
            if (reader_.accept("<")) {
                const std::int64_t count = reader_.integer();
                reader_.expect(">");
                if (count < 0) reader_.fail(fmt::format("'{}' is not a number of registers", count));
                for (std::int64_t i = 0; i < count; ++i) add_register(name + std::to_string(i), type);
            } else {
                add_register(name, type);
            }
        } while (reader_.accept(","));
        reader_.expect(";");
    }

    // ".loc 1 34 5", perhaps with ", function_name label, inlined_at 1 12 3". The line of an inlined function
    // of the same file counts for itself; line 0 says nothing and leaves the one before.
    void location() {
        const int file = int(reader_.integer());
        const int line = int(reader_.integer());
        reader_.integer();
        int outer_file = file;
        int outer_line = line;
        while (reader_.accept(",")) {
            const std::string part = reader_.word();
            if (part == "function_name") {
                reader_.word();
                if (reader_.accept("+")) reader_.integer();
            } else if (part == "inlined_at") {
                outer_file = int(reader_.integer());
                outer_line = int(reader_.integer());
                reader_.integer();
            } else {
                reader_.fail(fmt::format("'{}' is not known in a .loc", part));
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

    // ---- operands

    void operands(PtxInstruction& instruction) {
        if (reader_.accept(";")) return;
        do instruction.operands.push_back(operand());
        while (reader_.accept(","));
        reader_.expect(";");
    }

    PtxOperand operand() {
        if (reader_.at("{")) return vector();
        if (reader_.at("[")) return address();
        return scalar();
    }

    [[nodiscard]] bool at_number() const {
        return reader_.peek().kind == Token::Kind::number || reader_.at("-");
    }

    PtxOperand scalar() {
        if (at_number()) return reader_.number();
        PtxOperand made;
        made.negated = reader_.accept("!");
        made.name = resolve(reader_.word());
        if (reader_.accept("|")) made.pair = resolve(reader_.word());
        if (reader_.accept("+")) made.offset = reader_.integer();
        return made;
    }

    // "{%f1, %f2}".
    PtxOperand vector() {
        PtxOperand made;
        made.kind = PtxOperand::Kind::vector;
        reader_.expect("{");
        do made.parts.push_back(scalar());
        while (reader_.accept(","));
        reader_.expect("}");
        return made;
    }

    // "[%rd1+4]", "[symbol]", "[%rd1, {%f1, %f2}]".
    PtxOperand address() {
        PtxOperand made;
        made.kind = PtxOperand::Kind::address;
        reader_.expect("[");
        if (at_number()) {
            made.offset = reader_.integer();
        } else {
            made.name = resolve(reader_.word());
            if (reader_.accept("+") || reader_.at("-")) made.offset = reader_.integer();
        }
        if (reader_.accept(",")) made.parts = vector().parts;
        reader_.expect("]");
        return made;
    }

    std::vector<std::string> names_in_parentheses() {
        std::vector<std::string> names;
        reader_.expect("(");
        if (reader_.accept(")")) return names;
        do names.push_back(resolve(reader_.word()));
        while (reader_.accept(","));
        reader_.expect(")");
        return names;
    }

    void call(PtxInstruction& instruction) {
        if (reader_.at("(")) {
            instruction.results = names_in_parentheses();
            reader_.expect(",");
        }
        instruction.callee = resolve(reader_.word());
        if (reader_.accept(",")) {
            if (reader_.at("(")) {
                instruction.arguments = names_in_parentheses();
                if (reader_.accept(",")) reader_.word();  // the prototype of an indirect call
            } else {
                reader_.word();
            }
        }
        reader_.expect(";");
    }

    PtxReader reader_;
    PtxModule module_;
    PtxFunction* function_ = nullptr;
    bool next_is_extern_ = false;
    std::vector<Scope> scopes_;
    std::vector<Branch> branches_;  // of the function
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
