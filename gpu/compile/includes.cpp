#include "gpu/compile/includes.h"

#include <algorithm>

#include "gpu/compile/source_text.h"

namespace ws {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// "  # include <name> ..." without its comments. Names of macros are none.
std::optional<Include> include_in(std::string_view code, std::string_view line) {
    const auto skip = [&](std::size_t at) {
        return std::min(code.find_first_not_of(kBlanks, at), code.size());
    };
    std::size_t at = skip(0);
    if (at == code.size() || code[at] != '#') return std::nullopt;
    at = skip(at + 1);
    constexpr std::string_view kWord = "include";
    if (!code.substr(at).starts_with(kWord)) return std::nullopt;
    at = skip(at + kWord.size());
    // What stands in quotes is blank in the code: it is read from the line itself.
    if (at == line.size() || (line[at] != '"' && line[at] != '<')) return std::nullopt;
    const bool quoted = line[at] == '"';
    const std::size_t end = line.find(quoted ? '"' : '>', at + 1);
    if (end == std::string_view::npos || end == at + 1) return std::nullopt;
    return Include{std::string(line.substr(at + 1, end - at - 1)), 0, quoted};
}

}  // namespace

std::vector<Include> includes_of(std::string_view text) {
    std::vector<Include> found;
    const std::string code = code_of(text);
    int number = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        ++number;
        if (auto include =
                include_in(std::string_view(code).substr(at, end - at), text.substr(at, end - at))) {
            include->line = number;
            found.push_back(std::move(*include));
        }
        at = end;
    }
    return found;
}

std::vector<KernelHeader> headers_of(std::string_view text, const HeaderLookup& find) {
    std::vector<KernelHeader> headers;
    const auto add = [&](std::string_view from) {
        for (const Include& include : includes_of(from)) {
            const bool known = std::any_of(headers.begin(), headers.end(), [&](const KernelHeader& header) {
                return header.name == include.name;
            });
            if (known) continue;
            if (auto found = find(include.name)) headers.push_back({include.name, std::move(*found)});
        }
    };
    add(text);
    for (std::size_t i = 0; i < headers.size(); ++i) add(std::string(headers[i].text));
    return headers;
}

}  // namespace ws
