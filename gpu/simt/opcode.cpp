#include "gpu/simt/opcode.h"

#include <algorithm>
#include <utility>

namespace ws::simt {

char register_width(Type type) {
    return type == Type::pred ? 'p' : bits_of(type) == 64 ? '8' : '4';
}

Space space_in(const Opcode& opcode) {
    for (const auto& [name, space] : {std::pair{"global", Space::global},
                                      {"shared", Space::shared},
                                      {"local", Space::local},
                                      {"const", Space::constant},
                                      {"param", Space::param}}) {
        for (const std::string& part : opcode.parts) {
            if (part == name || part.rfind(std::string(name) + "::", 0) == 0) return space;
        }
    }
    return Space::generic;
}

bool Opcode::has(std::string_view part) const {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
}

Opcode take_apart(const std::string& text) {
    Opcode made;
    std::size_t at = text.find('.');
    made.name = text.substr(0, at);
    while (at != std::string::npos) {
        const std::size_t end = text.find('.', at + 1);
        made.parts.push_back(text.substr(at + 1, end == std::string::npos ? end : end - at - 1));
        at = end;
    }
    for (const std::string& part : made.parts) {
        if (const std::optional<Type> type = type_named(part)) {
            made.types.push_back(*type);
            made.last_type = part;
        }
        if (part == "ftz") made.modifiers.flush = true;
        if (part == "sat" || part == "satfinite") made.modifiers.saturate = true;
        if (part == "rz" || part == "rzi") made.modifiers.rounding = std::uint8_t(Rounding::zero);
        if (part == "rm" || part == "rmi") made.modifiers.rounding = std::uint8_t(Rounding::down);
        if (part == "rp" || part == "rpi") made.modifiers.rounding = std::uint8_t(Rounding::up);
    }
    return made;
}

}  // namespace ws::simt
