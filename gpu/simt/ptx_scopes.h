#pragma once
// Names of a PTX function: every pair of braces is a scope of its own.

#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/simt/ptx_reader.h"

namespace ws::simt {

class PtxScopes {
  public:
    explicit PtxScopes(const PtxReader& reader) : reader_(reader) {}

    // The function's own scope, which its parameters and its body share.
    void begin_function();
    void open();
    void close() { scopes_.pop_back(); }
    // Whether the function's own scope is closed, too.
    [[nodiscard]] bool ended() const { return scopes_.empty(); }

    // The name under which what is declared here is kept: its own, with its scope behind it.
    std::string declare(const std::string& name);
    // The name in the innermost scope that declares it; what no scope knows keeps its name.
    [[nodiscard]] std::string resolve(const std::string& name) const;
    // Labels are used before they are declared: the name of one that stands here, and the scopes in which one
    // that is used here may stand, the outermost first.
    [[nodiscard]] std::string label(const std::string& name) const { return in(name, scopes_.back().id); }
    [[nodiscard]] std::vector<int> open_scopes() const;
    [[nodiscard]] static std::string in(const std::string& name, int scope);

  private:
    struct Scope {
        int id = 0;                                          // 0: the function's own
        std::unordered_map<std::string, std::string> names;  // as written to as kept
    };
    const PtxReader& reader_;
    std::vector<Scope> scopes_;
    int count_ = 0;
};

}  // namespace ws::simt
