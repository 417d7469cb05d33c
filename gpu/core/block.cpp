#include "gpu/core/block.h"

#include <optional>
#include <string_view>

#include "gpu/core/error.h"
#include "gpu/core/numbers.h"

namespace ws {

std::string to_string(Block block) {
    return std::to_string(block.x) + " x " + std::to_string(block.y);
}

Block parse_block(const std::string& text) {
    const UsageError malformed("'" + text + "' is not a block", "",
                               "write it as 32x8 (threads along a row x column)");
    const std::size_t cross = text.find_first_of("xX");
    if (cross == std::string::npos) throw malformed;
    const auto number = [&](std::string_view part) {
        while (!part.empty() && part.front() == ' ') part.remove_prefix(1);
        while (!part.empty() && part.back() == ' ') part.remove_suffix(1);
        const std::optional<int> value = parse_number<int>(part);
        if (!value) throw malformed;
        return *value;
    };
    const std::string_view view = text;
    const Block block{number(view.substr(0, cross)), number(view.substr(cross + 1))};
    if (!block.valid()) {
        throw UsageError("a block of " + text + " threads cannot be launched", "",
                         "both sides from 1 on, 1024 threads at most");
    }
    return block;
}

}  // namespace ws
