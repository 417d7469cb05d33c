#pragma once
// What a debugger reads of a kernel's PTX besides its instructions: source lines, labels, and the sections
// that the compiler adds for debuggers. The number of a line of the PTX, from 1, is the address of what
// stands there.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ws::debug {

// A place in the source.
struct SourceLine {
    int file = 0;
    int line = 0;  // 0: none is known
    friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// What a section holds, with what is to be added once symbols are known.
struct PtxSection {
    std::vector<std::uint8_t> bytes;
    struct Reference {
        std::string symbol;
        std::int64_t plus = 0;
    };
    std::map<std::size_t, Reference> references;  // by place
};

struct PtxText {
    std::vector<std::string> lines;     // from 0
    std::vector<SourceLine> source;     // by line of the PTX, from 1
    std::map<std::string, int> labels;  // to lines
    std::map<int, std::string> files;   // by number, as the PTX has them
    std::map<std::string, PtxSection> sections;
};

[[nodiscard]] PtxText read_ptx_text(std::string_view ptx);

}  // namespace ws::debug
