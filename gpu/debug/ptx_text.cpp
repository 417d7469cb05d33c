#include "gpu/debug/ptx_text.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "gpu/core/numbers.h"

namespace ws::debug {
namespace {

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
    return text;
}

std::string_view without_comment(std::string_view text) {
    return text.substr(0, text.find("//"));
}

bool is_symbol_letter(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' || c == '%';
}

// One after the other, with blanks between.
std::string_view next_word(std::string_view& text) {
    text = trimmed(text);
    std::size_t end = 0;
    while (end < text.size() && !std::isspace(static_cast<unsigned char>(text[end]))) ++end;
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    return word;
}

// Decimal or hexadecimal, with a sign.
std::optional<std::int64_t> number_in(std::string_view text) {
    const std::string copy(trimmed(text));
    char* end = nullptr;
    if (copy.empty()) return std::nullopt;
    const bool negative = copy.front() == '-';
    const std::uint64_t value = std::strtoull(copy.c_str() + (negative ? 1 : 0), &end, 0);
    if (*end != '\0') return std::nullopt;
    return negative ? -std::int64_t(value) : std::int64_t(value);
}

// "12", "label", "label+12".
void append_value(PtxSection& section, std::string_view text, int bytes) {
    std::int64_t value = 0;
    if (const std::optional<std::int64_t> number = number_in(text)) {
        value = *number;
    } else {
        text = trimmed(text);
        std::size_t end = 0;
        while (end < text.size() && is_symbol_letter(text[end])) ++end;
        PtxSection::Reference reference{std::string(text.substr(0, end)), 0};
        std::string_view rest = trimmed(text.substr(end));
        if (!rest.empty() && rest.front() == '+') rest.remove_prefix(1);
        if (const std::optional<std::int64_t> plus = number_in(rest)) reference.plus = *plus;
        value = reference.plus;
        section.references[section.bytes.size()] = std::move(reference);
    }
    for (int i = 0; i < bytes; ++i) section.bytes.push_back(std::uint8_t(std::uint64_t(value) >> (8 * i)));
}

void read_data(PtxSection& section, std::string_view line) {
    std::string_view rest = line;
    const std::string_view directive = next_word(rest);
    const std::optional<int> bits = parse_number<int>(directive.substr(2));
    if (!bits || (*bits != 8 && *bits != 16 && *bits != 32 && *bits != 64)) return;
    while (!trimmed(rest).empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        append_value(section, rest.substr(0, comma), *bits / 8);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
}

class PtxTextReader {
  public:
    PtxText read(std::string_view ptx) {
        made_.source.emplace_back();
        for (std::size_t at = 0; at < ptx.size();) {
            const std::size_t end = std::min(ptx.find('\n', at), ptx.size());
            std::string_view line = ptx.substr(at, end - at);
            line = line.substr(0, line.find('\0'));
            made_.lines.emplace_back(line);
            take(trimmed(without_comment(line)));
            made_.source.push_back(here_);
            at = end + 1;
        }
        return std::move(made_);
    }

  private:
    void take(std::string_view line) {
        if (section_) {
            if (line.starts_with(".b")) read_data(*section_, line);
            if (line.starts_with("}")) section_ = nullptr;
        } else if (line.starts_with(".section")) {
            line.remove_prefix(std::string_view(".section").size());
            std::string_view name = next_word(line);
            while (name.ends_with("{")) name.remove_suffix(1);
            section_ = &made_.sections[std::string(name)];
        } else if (line.starts_with(".loc")) {
            take_place(line.substr(4));
        } else if (line.starts_with(".file")) {
            take_file(line.substr(5));
        } else if (line.starts_with(".entry") || line.starts_with(".func") || line.starts_with(".visible") ||
                   line.starts_with(".weak")) {
            here_ = {};
        } else if (line.ends_with(":") && std::all_of(line.begin(), line.end() - 1, is_symbol_letter)) {
            made_.labels[std::string(line.substr(0, line.size() - 1))] = int(made_.lines.size());
        }
    }

    // Line 0 says nothing and leaves the one before.
    void take_place(std::string_view rest) {
        const std::optional<std::int64_t> file = number_in(next_word(rest));
        const std::optional<std::int64_t> line = number_in(next_word(rest));
        if (!file || !line || *line == 0) return;
        here_ = {int(*file), int(*line)};
    }

    void take_file(std::string_view rest) {
        const std::optional<std::int64_t> number = number_in(next_word(rest));
        const std::size_t open = rest.find('"');
        const std::size_t close = open == std::string_view::npos ? open : rest.find('"', open + 1);
        if (!number || close == std::string_view::npos) return;
        made_.files[int(*number)] = std::string(rest.substr(open + 1, close - open - 1));
    }

    PtxText made_;
    SourceLine here_;
    PtxSection* section_ = nullptr;
};

}  // namespace

PtxText read_ptx_text(std::string_view ptx) {
    return PtxTextReader().read(ptx);
}

}  // namespace ws::debug
