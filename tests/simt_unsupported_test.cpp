// Every instruction of the PTX ISA is either simulated, or listed in docs/simulated-gpu.md and refused: by
// name, with the kernel and the line.

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/simt/opcode.h"
#include "ptx_instructions.h"
#include "ptx_operands.h"
#include "simt_support.h"

namespace ws {
namespace {

using testing::expanded;
using testing::operands_of;
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

// Whether a text of the table, in which a star stands for any text, names the opcode.
bool stands_for(std::string_view listed, std::string_view opcode) {
    const std::size_t star = listed.find('*');
    if (star == std::string_view::npos) return listed == opcode;
    if (!opcode.starts_with(listed.substr(0, star))) return false;
    for (std::size_t at = star; at <= opcode.size(); ++at) {
        if (stands_for(listed.substr(star + 1), opcode.substr(at))) return true;
    }
    return false;
}

// Every instruction of PTX is either simulated or in the table, and refused by its name.
TEST(SimtUnsupported, EveryInstructionIsSimulatedOrListed) {
    std::map<std::string, int> listed;
    for (const std::vector<std::string>& row : rows_under("What is not simulated")) {
        ASSERT_EQ(row.size(), 2u) << row[0];
        for (const std::string& text : quoted_in(row[1])) listed.emplace(text, 0);
    }
    int simulated = 0;
    int refused = 0;
    for (const std::span<const testing::InstructionForms> chapter : testing::kAllInstructions) {
        for (const testing::InstructionForms& forms : chapter) {
            for (const std::string& opcode : expanded(std::string(forms.opcodes))) {
                const std::string text =
                    refusal("LABEL: " + opcode + " " + operands_of(opcode, forms.operands) + ";");
                int rows = 0;
                for (auto& [pattern, used] : listed) {
                    if (!stands_for(pattern, opcode)) continue;
                    ++rows;
                    ++used;
                }
                if (text.empty()) {
                    ++simulated;
                    EXPECT_EQ(rows, 0) << opcode << " is simulated and listed as not";
                    continue;
                }
                ++refused;
                EXPECT_GT(rows, 0) << opcode << " is refused and not listed: " << text;
                EXPECT_NE(text.find("'" + opcode + "'"), std::string::npos) << opcode << ": " << text;
                EXPECT_NE(text.find("kernel k, line 17"), std::string::npos) << opcode << ": " << text;
            }
        }
    }
    for (const auto& [pattern, used] : listed)
        EXPECT_GT(used, 0) << pattern << " is no instruction of the ISA";
    EXPECT_GT(simulated, 2000);
    EXPECT_GT(refused, 300);
}

// What the compiler makes of the intrinsics for several numbers in a register, on any GPU.
TEST(SimtUnsupported, NumbersSideBySideAreTaken) {
    WS_NEED_COMPILER();
    std::string body;
    for (const char* name : {"add",    "addss",    "addus",    "avgs", "avgu", "haddu", "cmpeq", "cmpges",
                             "cmpgeu", "absdiffu", "absdiffs", "maxs", "maxu", "mins",  "minu",  "seteq",
                             "setges", "setgeu",   "sadu",     "sads", "sub",  "subss", "subus"})
        body += std::string("*o++ = __v") + name + "2(a, b) + __v" + name + "4(a, b);\n";
    for (const char* name : {"abs", "absss", "neg", "negss"})
        body += std::string("*o++ = __v") + name + "2(a) + __v" + name + "4(a);\n";
    body += "*o++ = __vimax_s16x2_relu(a, b) + __vimin_s32_relu(a, b) + __vimax3_u16x2(a, b, a);\n";
    for (const int architecture : testing::compiler()->architectures()) {
        std::string entry;
        const std::string ptx = testing::ptx_of(
            "extern \"C\" __global__ void k(unsigned* o, unsigned a, unsigned b) {\n" + body + "}", "k",
            entry, architecture);
        const auto program = simt::load_program(ptx, entry);
        EXPECT_TRUE(program.ok()) << architecture << ": " << program.message();
    }
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
