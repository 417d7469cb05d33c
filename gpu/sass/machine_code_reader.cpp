#include "gpu/sass/machine_code_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "gpu/sass/blocks.h"
#include "gpu/sass/decode.h"
#include "gpu/sass/elf.h"
#include "gpu/sass/line_table.h"

namespace ws {

namespace {

// Where all lanes add to one place, the assembler lets them vote who adds for them: an atomic with a guard
// and a vote, of one line of PTX.
void find_elected(MachineCode& code) {
    std::set<int> voted;
    for (const MachineInstruction& one : code.instructions)
        if (one.name == "VOTE" || one.name == "VOTEU") voted.insert(one.ptx_line);
    for (MachineInstruction& one : code.instructions)
        one.elected = one.kind == MachineKind::atomic && one.guarded && one.ptx_line > 0 &&
                      voted.contains(one.ptx_line);
}

// Takes it from the text: without a comment, and without blanks around it.
std::string_view next_ptx_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line = line.substr(0, line.find("//"));
    constexpr std::string_view kBlanks{" \t\r\0", 4};  // the compiler's text ends with a 0
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    return line.substr(0, line.find_last_not_of(kBlanks) + 1);
}

// Of the source: a line's place, a file, or what a section for debuggers holds.
bool says_origin(std::string_view line) {
    constexpr std::string_view kDirectives[] = {".loc", ".file", ".section", ".b8", ".b16", ".b32", ".b64"};
    return std::ranges::any_of(kDirectives, [&](std::string_view one) {
        return line.starts_with(one) &&
               (line.size() == one.size() || line[one.size()] == ' ' || line[one.size()] == '\t');
    });
}

}  // namespace

Result<MachineCode> read_machine_code(std::span<const char> cubin, std::string_view kernel) {
    using Read = Result<MachineCode>;
    const Result<Elf> opened = Elf::open(cubin);
    if (!opened.ok()) return Read::failure(opened.message());
    const Elf& elf = opened.value();
    const std::optional<int> text = elf.find(fmt::format(".text.{}", kernel));
    if (!text) return Read::failure(fmt::format("there is no kernel {} in the cubin", kernel));
    if (elf.architecture() < 75)
        return Read::failure(
            fmt::format("machine code of sm_{} is not read, only from 7.5 on", elf.architecture()));
    const std::span<const char> bytes = elf.section(*text);
    if (bytes.size() % kMachineInstructionBytes != 0 || bytes.size() > 1u << 28)
        return Read::failure(fmt::format("the machine code of {} is damaged", kernel));

    MachineCode code;
    code.kernel = kernel;
    code.architecture = elf.architecture();
    const std::vector<LineRow> lines = line_rows(elf, ".debug_line", *text);
    const std::vector<LineRow> ptx_lines = line_rows(elf, ".nv_debug_line_sass", *text);
    std::vector<InstructionWord> words;
    ByteReader reader(bytes);
    while (!reader.done()) {
        const InstructionWord& word = words.emplace_back(InstructionWord{reader.number(8), reader.number(8)});
        const int address = int(words.size() - 1) * kMachineInstructionBytes;
        MachineInstruction& made =
            code.instructions.emplace_back(decode_instruction(word, address, code.architecture));
        made.line = line_at(lines, std::uint64_t(address));
        made.ptx_line = line_at(ptx_lines, std::uint64_t(address));
    }
    find_elected(code);
    find_blocks(code, [&](int index) {
        return may_fall_through(words[std::size_t(index)], code.instructions[std::size_t(index)]);
    });
    return code;
}

std::string ptx_in(std::span<const char> cubin) {
    const Result<Elf> elf = Elf::open(cubin);
    if (!elf.ok()) return {};
    const std::span<const char> lines = elf.value().section(".nv_debug_ptx_txt");
    std::string text(lines.begin(), lines.end());
    std::replace(text.begin(), text.end(), '\0', '\n');  // each line ends with a 0
    return text;
}

bool is_same_ptx(std::string_view in_cubin, std::string_view text) {
    while (!in_cubin.empty() || !text.empty()) {
        const std::string_view kept = next_ptx_line(in_cubin);
        const std::string_view line = next_ptx_line(text);
        if (line != kept && !(kept.empty() && says_origin(line))) return false;
    }
    return true;
}

}  // namespace ws
