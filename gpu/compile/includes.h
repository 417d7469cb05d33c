#pragma once
// What a source text includes, read without a preprocessor: lines that a condition leaves out are found, too.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/kernel.h"

namespace ws {

struct Include {
    std::string name;  // as it is written, without quotes or brackets
    int line = 0;      // from 1
    bool quoted = false;
    friend bool operator==(const Include&, const Include&) = default;
};

// Comments and literals are no code; an include whose name is a macro is not found.
[[nodiscard]] std::vector<Include> includes_of(std::string_view text);

// The text of a header, nothing where there is none.
using HeaderLookup = std::function<std::optional<std::string>(const std::string& name)>;

// The headers that the text includes and those that they do, each once, as far as `find` has them.
[[nodiscard]] std::vector<KernelHeader> headers_of(std::string_view text, const HeaderLookup& find);

}  // namespace ws
