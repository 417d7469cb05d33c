#include "gpu/core/message.h"

#include <ostream>

namespace ws {

std::string english(const Message& message) {
    std::string made;
    put_values(
        message.pattern(), message.values().size(),
        [&](std::size_t i) -> std::string_view { return message.values()[i]; },
        [&](std::string_view piece) { made += piece; });
    return made;
}

std::ostream& operator<<(std::ostream& out, const Message& message) {
    return out << english(message);
}

}  // namespace ws
