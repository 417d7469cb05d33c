// What docs/simulated-gpu.md lists as not simulated is refused: by name, with the kernel and the line.

#include <fstream>
#include <string>
#include <vector>

#include "simt_support.h"

namespace ws {
namespace {

using testing::refusal;

// The table's rows under the heading, in cells.
std::vector<std::vector<std::string>> rows_under(const std::string& heading) {
    std::ifstream file(WARPSCOPE_SOURCE_DIR "/docs/simulated-gpu.md");
    std::vector<std::vector<std::string>> rows;
    bool inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("## ")) inside = line == "## " + heading;
        if (!inside || !line.starts_with("| ")) continue;
        std::vector<std::string> cells;
        for (std::size_t at = 1, end = 0; (end = line.find('|', at)) != std::string::npos; at = end + 1)
            cells.push_back(line.substr(at, end - at));
        if (!cells[0].empty() && cells[0].find("---") == std::string::npos) rows.push_back(cells);
    }
    return rows;
}

// What stands in `...`.
std::vector<std::string> quoted_in(const std::string& text) {
    std::vector<std::string> made;
    for (std::size_t at = 0; (at = text.find('`', at)) != std::string::npos;) {
        const std::size_t end = text.find('`', at + 1);
        made.push_back(text.substr(at + 1, end - at - 1));
        at = end + 1;
    }
    return made;
}

TEST(SimtUnsupported, EveryListedInstructionIsRefusedByName) {
    int instructions = 0;
    for (const std::vector<std::string>& row : rows_under("What is not simulated")) {
        ASSERT_EQ(row.size(), 2u) << row[0];
        for (const std::string& opcode : quoted_in(row[1])) {
            ++instructions;
            const std::string text = refusal(opcode + " %r1, %r2, %r3;");
            EXPECT_NE(text.find("'" + opcode + "'"), std::string::npos) << opcode << ": " << text;
            EXPECT_NE(text.find("kernel k, line 17"), std::string::npos) << opcode << ": " << text;
            // The instruction, and not these operands of it.
            bool itself = false;
            for (const char* reason : {"does not know", "not with these suffixes", "is not supported",
                                       "1D and 2D textures", "two types", "'.ca' or '.cg' is missing"})
                itself |= text.find(reason) != std::string::npos;
            EXPECT_TRUE(itself) << opcode << ": " << text;
        }
    }
    EXPECT_GT(instructions, 40) << "the table is not found";
}

TEST(SimtUnsupported, TextureReferencesAndRecursionWithArraysAreRefusedByName) {
    const std::string reference = refusal("", ".global .texref picture;\n");
    EXPECT_NE(reference.find("line 1 of the PTX: texture references"), std::string::npos) << reference;
    const std::string recursive =
        ".func deeper() { .local .b8 own[16]; .reg .b64 %rd<2>; mov.u64 %rd1, own; call deeper; ret; }\n";
    EXPECT_NE(refusal("call deeper;", recursive).find("'deeper' calls itself"), std::string::npos)
        << refusal("call deeper;", recursive);
}

}  // namespace
}  // namespace ws
