#include "gpu/sass/accesses.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>

namespace ws {
namespace {

std::string_view without_blanks(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r"), text.size()));
    return text;
}

int take_number(std::string_view& text) {
    text = without_blanks(text);
    int number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(std::size_t(end - text.data()));
    return number;
}

// The next part of "ld.global.v4.f32": up to a dot or a blank.
std::string_view take_part(std::string_view& text) {
    const std::size_t end = std::min(text.find_first_of(". \t"), text.size());
    const std::string_view part = text.substr(0, end);
    const bool more = end < text.size() && text[end] == '.';
    text.remove_prefix(more ? end + 1 : text.size());
    return part;
}

// Bytes of "f32"; 0: no type.
int bytes_of_type(std::string_view part) {
    if (part.size() < 2 || std::string_view("usfb").find(part[0]) == std::string_view::npos) return 0;
    part.remove_prefix(1);
    const int bits = take_number(part);
    return part.empty() ? bits / 8 : 0;
}

// "ld.global.nc.v4.f32 {...}, [...];"
std::optional<AccessKind> access_of(std::string_view text) {
    if (text.starts_with('@'))
        text = without_blanks(text.substr(std::min(text.find_first_of(" \t"), text.size())));
    const std::string_view verb = take_part(text);
    if (verb != "ld" && verb != "st") return std::nullopt;
    AccessKind kind;
    kind.store = verb == "st";
    kind.space = MemorySpace::generic;
    int lanes = 1;
    while (!text.empty()) {
        std::string_view part = take_part(text);
        if (part.starts_with("param") || part == "const") return std::nullopt;
        if (part == "global") kind.space = MemorySpace::global;
        if (part.starts_with("shared")) kind.space = MemorySpace::shared;
        if (part == "local") kind.space = MemorySpace::local;
        if (part == "v2" || part == "v4" || part == "v8") lanes = part[1] - '0';
        if (const int bytes = bytes_of_type(part)) kind.bytes = lanes * bytes;
    }
    return kind;
}

// Where the instructions that follow a .loc belong: "1 34 5", perhaps with "inlined_at 1 12 3".
class Location {
  public:
    void read(std::string_view text) {
        constexpr std::string_view kCaller = "inlined_at";
        const std::size_t at = text.find(kCaller);
        int file = take_number(text);
        int line = take_number(text);
        if (main_ == 0) main_ = file;
        if (file != main_ && at != std::string_view::npos) {
            std::string_view caller = text.substr(std::min(text.find(kCaller), text.size()));
            caller.remove_prefix(std::min(kCaller.size(), caller.size()));
            file = take_number(caller);
            line = take_number(caller);
        }
        if (file == main_ && line > 0) line_ = line;
    }
    [[nodiscard]] int line() const { return line_; }

  private:
    int main_ = 0, line_ = 0;
};

}  // namespace

AccessTable machine_accesses(const MachineCode& code) {
    AccessTable table;
    for (const MachineInstruction& one : code.instructions) {
        const bool store = one.kind == MachineKind::store;
        if (one.kind == MachineKind::load || store) ++table[{one.line, one.space, store, one.bytes}];
    }
    return table;
}

AccessTable ptx_accesses(std::string_view ptx, std::string_view kernel) {
    AccessTable table;
    Location location;
    bool inside = false;
    for (std::size_t at = 0; at < ptx.size();) {
        const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
        std::string_view line = without_blanks(ptx.substr(at, end - at));
        at = end + 1;
        if (const std::size_t entry = line.find(".entry "); entry != std::string_view::npos) {
            std::string_view name = line.substr(entry + 7);
            inside = name.substr(0, name.find_first_of("( ")) == kernel;
            location = {};
        } else if (inside && line.starts_with(".loc")) {
            location.read(line.substr(4));
        } else if (inside && line.starts_with(".func")) {
            inside = false;
        } else if (inside) {
            if (std::optional<AccessKind> kind = access_of(line)) {
                kind->line = location.line();
                ++table[*kind];
            }
        }
    }
    return table;
}

std::vector<int> changed_lines(const AccessTable& ptx, const AccessTable& machine) {
    std::set<int> lines;
    const auto compare = [&](const AccessTable& one, const AccessTable& other) {
        for (const auto& [kind, count] : one) {
            const auto found = other.find(kind);
            if (found == other.end() || found->second != count) lines.insert(kind.line);
        }
    };
    compare(ptx, machine);
    compare(machine, ptx);
    return {lines.begin(), lines.end()};
}

}  // namespace ws
