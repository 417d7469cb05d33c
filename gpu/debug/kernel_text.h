#pragma once
// A kernel as the debugger sees it: its source, its PTX, and which belongs to which.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/debug/debug_info.h"
#include "gpu/debug/ptx_text.h"
#include "gpu/simt/program.h"

namespace ws::debug {

// A file of source, by the name that the compiler was given for it.
struct SourceFile {
    std::string name;  // "sum.cu"
    std::string text;
};

struct KernelSources {
    std::vector<SourceFile> files;     // the kernel's first
    std::map<std::string, int> knobs;  // as the compiler was given them
    std::string ptx;
};

class KernelText {
  public:
    KernelText(KernelSources sources, const simt::Program& program);

    struct File {
        std::string name;
        std::vector<std::string> lines;
        std::string code;  // without comments and what stands in quotes
    };
    [[nodiscard]] const std::vector<File>& files() const { return files_; }
    [[nodiscard]] const PtxText& ptx() const { return ptx_; }
    [[nodiscard]] DebugInfo& info() { return info_; }
    [[nodiscard]] const DebugInfo& info() const { return info_; }
    // Whether the PTX says where variables are.
    [[nodiscard]] bool knows_variables() const { return !info_.scopes.empty(); }

    // Of an instruction of the program; the file is one of files(). Line 0: of no file that is known.
    [[nodiscard]] SourceLine source_of(int instruction) const { return source_[std::size_t(instruction)]; }
    [[nodiscard]] int ptx_line_of(int instruction) const;
    [[nodiscard]] std::string text_of(SourceLine line) const;
    // The instructions with which the code of a line begins; of a line without code those of the next one
    // that has some, which `line` then is.
    [[nodiscard]] std::vector<int> starts_of(SourceLine& line) const;
    // Functions of the source by their instruction: the scope that is no block, innermost first.
    [[nodiscard]] std::vector<const Scope*> functions_at(int instruction) const;

    // What a shared array of a function is, which the compiler does not say: its declaration in the source is
    // read for it. Without one it is bytes.
    [[nodiscard]] int shared_type(std::string_view name, std::uint64_t bytes);
    // A knob, a #define or a constant of the source that is a whole number.
    [[nodiscard]] std::optional<std::int64_t> constant(std::string_view name) const;

  private:
    [[nodiscard]] std::optional<std::int64_t> constant(std::string_view name, int depth) const;
    [[nodiscard]] std::optional<std::int64_t> whole_number(const std::string& text, int depth) const;

    const simt::Program& program_;
    std::map<std::string, int> knobs_;
    PtxText ptx_;
    DebugInfo info_;
    std::vector<File> files_;
    std::vector<SourceLine> source_;  // by instruction
    std::map<std::string, int, std::less<>> shared_types_;
    mutable std::map<std::string, std::optional<std::int64_t>, std::less<>>
        constants_;  // that were asked for
};

// "sum(float*)::part" and "_ZZ3sumE4part" are part.
[[nodiscard]] std::string plain_symbol(const std::string& symbol);

}  // namespace ws::debug
