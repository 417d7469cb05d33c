#include "gpu/sass/line_table.h"

#include <algorithm>

namespace ws {
namespace {

// What stands before a program.
struct Prologue {
    std::uint64_t step = 1;  // bytes of the shortest instruction
    int line_base = 0;
    std::uint64_t line_range = 1, opcode_base = 1;
    std::vector<std::uint64_t> arguments;  // of each standard opcode, from 1
};

// The state of the machine that a program drives, and a row that it made.
struct LineState {
    std::uint64_t address = 0, file = 1, caller = 0;
    std::size_t first = 0;  // row of its sequence: a kernel's rows count their callers from there on
    std::int64_t line = 1;
    int section = -1;
    bool end = false;
};

enum Standard : std::uint64_t {
    copy = 1,
    advance_pc,
    advance_line,
    set_file,
    set_column,
    negate,
    block,
    add_pc,
    fixed_pc
};
enum Extended : std::uint64_t { end_sequence = 1, set_address = 2, inlined_call = 0x90 };

class Program {
  public:
    Program(const Prologue& prologue, const std::map<std::uint64_t, int>& targets)
        : prologue_(prologue), targets_(targets) {}

    // `begin`: where `reader` stands in the section.
    void run(ByteReader& reader, std::uint64_t begin) {
        while (!reader.done()) {
            const std::uint64_t opcode = reader.number(1);
            if (opcode >= prologue_.opcode_base)
                special(opcode - prologue_.opcode_base);
            else if (opcode == 0)
                extended(reader, begin);
            else
                standard(opcode, reader);
        }
    }
    [[nodiscard]] const std::vector<LineState>& rows() const { return rows_; }

  private:
    void special(std::uint64_t opcode) {
        state_.address += opcode / prologue_.line_range * prologue_.step;
        state_.line += prologue_.line_base + std::int64_t(opcode % prologue_.line_range);
        rows_.push_back(state_);
    }

    void standard(std::uint64_t opcode, ByteReader& reader) {
        switch (opcode) {
            case copy:
                rows_.push_back(state_);
                break;
            case advance_pc:
                state_.address += reader.uleb() * prologue_.step;
                break;
            case advance_line:
                state_.line += reader.sleb();
                break;
            case set_file:
                state_.file = reader.uleb();
                break;
            case add_pc:
                state_.address += (255 - prologue_.opcode_base) / prologue_.line_range * prologue_.step;
                break;
            case fixed_pc:
                state_.address += reader.number(2);
                break;
            default:  // columns and marks, which say nothing of lines
                for (std::uint64_t i = 0; i < prologue_.arguments[opcode - 1] && !reader.bad(); ++i)
                    static_cast<void>(reader.uleb());
        }
    }

    void extended(ByteReader& reader, std::uint64_t begin) {
        const std::uint64_t size = reader.uleb();
        const std::size_t from = reader.at();
        switch (size == 0 ? 0 : reader.number(1)) {
            case end_sequence:
                state_.end = true;
                rows_.push_back(state_);
                state_ = {};
                state_.first = rows_.size();
                break;
            case set_address: {
                const auto target = targets_.find(begin + reader.at());
                if (target != targets_.end()) state_.section = target->second;
                state_.address = size == 9 ? reader.number(8) : 0;
                break;
            }
            case inlined_call:  // the row, from 1, of the call; 0 outside of calls
                state_.caller = reader.uleb();
                break;
            default:
                break;
        }
        const std::uint64_t taken = reader.at() - from;
        if (size > taken) reader.skip(size - taken);
    }

    const Prologue& prologue_;
    const std::map<std::uint64_t, int>& targets_;
    LineState state_;
    std::vector<LineState> rows_;
};

Prologue prologue_of(ByteReader& reader, std::uint64_t version) {
    Prologue prologue;
    prologue.step = reader.number(1);
    if (version >= 4) reader.skip(1);  // operations of an instruction
    reader.skip(1);
    const int base = int(reader.number(1));  // a signed byte
    prologue.line_base = base < 128 ? base : base - 256;
    prologue.line_range = std::max<std::uint64_t>(1, reader.number(1));
    prologue.opcode_base = std::max<std::uint64_t>(1, reader.number(1));
    for (std::uint64_t i = 1; i < prologue.opcode_base; ++i) prologue.arguments.push_back(reader.number(1));
    return prologue;
}

// The line in the file that the rows of this section begin in.
int line_in_main(const std::vector<LineState>& rows, const LineState& row, std::uint64_t main_file) {
    const LineState* at = &row;
    for (int depth = 0;
         at->file != main_file && at->caller > 0 && row.first + at->caller <= rows.size() && depth < 64;
         ++depth)
        at = &rows[row.first + std::size_t(at->caller - 1)];
    const bool known = at->file == main_file && at->line > 0 && at->line < 1 << 30;
    return known ? int(at->line) : 0;
}

}  // namespace

std::vector<LineRow> line_rows(const Elf& elf, std::string_view table, int text) {
    const std::span<const char> bytes = elf.section(table);
    const std::map<std::uint64_t, int> targets = elf.relocations(table);
    std::vector<LineRow> made;
    for (std::size_t at = 0; at + 10 < bytes.size();) {
        ByteReader head(bytes.subspan(at));
        const std::uint64_t size = head.number(4);
        const std::uint64_t version = head.number(2);
        const std::uint64_t to_program = head.number(4);
        if (size < 6 || size > bytes.size() - at - 4 || version < 2 || version > 4 || to_program > size - 6)
            break;
        const Prologue prologue = prologue_of(head, version);
        const std::size_t begin = at + 10 + std::size_t(to_program);
        ByteReader reader(bytes.subspan(begin, at + 4 + std::size_t(size) - begin));
        Program program(prologue, targets);
        program.run(reader, begin);
        std::uint64_t main_file = 0;
        for (const LineState& row : program.rows()) {
            if (row.section != text) continue;
            if (main_file == 0) main_file = row.file;
            made.push_back({row.address, line_in_main(program.rows(), row, main_file), row.end});
        }
        at += 4 + std::size_t(size);
    }
    std::stable_sort(made.begin(), made.end(),
                     [](const LineRow& a, const LineRow& b) { return a.address < b.address; });
    return made;
}

int line_at(const std::vector<LineRow>& rows, std::uint64_t address) {
    const auto after =
        std::upper_bound(rows.begin(), rows.end(), address,
                         [](std::uint64_t wanted, const LineRow& row) { return wanted < row.address; });
    if (after == rows.begin()) return 0;
    const LineRow& row = *std::prev(after);
    return row.end ? 0 : row.line;
}

}  // namespace ws
