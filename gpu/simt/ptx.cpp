#include "gpu/simt/ptx.h"

#include <fmt/format.h>

#include "gpu/simt/ptx_function.h"
#include "gpu/simt/ptx_lines.h"
#include "gpu/simt/ptx_reader.h"

namespace ws::simt {
namespace {

class ModuleReader {
  public:
    explicit ModuleReader(std::string_view text) : reader_(text) {}

    PtxModule read() {
        while (!reader_.at_end()) top_level();
        return std::move(module_);
    }

  private:
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
            keep(PtxFunctionReader(reader_, lines_).read(directive == ".entry"));
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

    PtxReader reader_;
    PtxModule module_;
    PtxLines lines_;
    bool next_is_extern_ = false;
};

}  // namespace

Result<PtxModule> parse_ptx(std::string_view text) {
    try {
        return ModuleReader(text).read();
    } catch (const SyntaxError& error) {
        return Result<PtxModule>::failure(error.what());
    }
}

}  // namespace ws::simt
