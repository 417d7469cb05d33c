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

}  // namespace ws
