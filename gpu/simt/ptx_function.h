#pragma once
// Reads one function of a PTX module: its parameters, directives, declarations and instructions.

#include <vector>

#include "gpu/simt/ptx.h"
#include "gpu/simt/ptx_lines.h"
#include "gpu/simt/ptx_reader.h"
#include "gpu/simt/ptx_scopes.h"

namespace ws::simt {

// The space of a directive that declares a variable: ".global", ".const", ".shared", ".local", else .param.
[[nodiscard]] Space space_named(std::string_view directive);

class PtxFunctionReader {
  public:
    // `lines` knows what the functions before have inlined.
    PtxFunctionReader(PtxReader& reader, PtxLines& lines) : reader_(reader), lines_(lines), scopes_(reader) {}

    // What follows ".entry" or ".func". Throws SyntaxError for text of another form.
    [[nodiscard]] PtxFunction read(bool is_entry);

  private:
    // A branch whose label may stand further down: the scopes in which to look for it, the outermost first.
    struct Branch {
        std::size_t instruction = 0;
        std::vector<int> scopes;
    };

    std::vector<PtxVariable> parameters();
    void performance_directives();
    void body();
    void statement();
    void operation(PtxInstruction& instruction, const std::string& opcode);
    void label(const std::string& name);
    void resolve_label(const Branch& branch);
    void body_directive(const std::string& directive);
    void add_register(const std::string& name, const std::string& type);
    void registers();

    void operands(PtxInstruction& instruction);
    PtxOperand operand();
    [[nodiscard]] bool at_number() const;
    PtxOperand scalar();
    PtxOperand vector();
    PtxOperand address();
    std::vector<std::string> names_in_parentheses();
    void call(PtxInstruction& instruction);

    PtxReader& reader_;
    PtxLines& lines_;
    PtxScopes scopes_;
    PtxFunction function_;
    std::vector<Branch> branches_;
};

}  // namespace ws::simt
