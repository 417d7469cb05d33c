#include "gpu/compile/minimal_program.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "gpu/compile/includes.h"

namespace ws {
namespace {

bool is_of_a_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

// Whether a name in the text begins so.
bool names(std::string_view text, std::string_view beginning) {
    for (auto at = text.find(beginning); at != std::string_view::npos; at = text.find(beginning, at + 1)) {
        if (at == 0 || !is_of_a_name(text[at - 1])) return true;
    }
    return false;
}

bool names_what_is_left_out(std::string_view text) {
    constexpr std::array<std::string_view, 3> kBeginnings{"tex", "surf", "cuda"};
    // Names that a macro joins are not seen.
    return text.find("<<<") != std::string_view::npos || text.find("##") != std::string_view::npos ||
           std::ranges::any_of(kBeginnings,
                               [&](std::string_view beginning) { return names(text, beginning); });
}

}  // namespace

bool is_minimal(const CompileRequest& request) {
    if (request.host_names || names_what_is_left_out(request.text)) return false;
    const auto is_held = [&](const Include& include) {
        return std::ranges::find(request.headers, include.name, &KernelHeader::name) != request.headers.end();
    };
    const auto includes_only_what_is_held = [&](std::string_view text) {
        const std::size_t included = count(text, "include");
        if (included == 0) return true;
        const std::vector<Include> found = includes_of(text);
        return found.size() == included && std::ranges::all_of(found, is_held);  // fewer: its name is a macro
    };
    return includes_only_what_is_held(request.text) &&
           std::ranges::all_of(request.headers, [&](const KernelHeader& header) {
               return !names_what_is_left_out(header.text) && includes_only_what_is_held(header.text);
           });
}

}  // namespace ws
