#pragma once
// A file of the source tree that is part of the program.

#include <span>
#include <string_view>

namespace ws {

struct EmbeddedFile {
    std::string_view name;  // the file's name without its folder
    std::string_view text;  // a 0 stands behind either
};

}  // namespace ws
