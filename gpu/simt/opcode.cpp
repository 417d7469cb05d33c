#include "gpu/simt/opcode.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ws::simt {

char register_width(Type type) {
    return type == Type::pred ? 'p' : char('0' + bits_of(type) / 8);
}

Space space_in(const Opcode& opcode) {
    // Every block is a cluster of its own: its shared memory is the cluster's.
    for (const auto& [name, space] : {std::pair{"global", Space::global},
                                      {"shared", Space::shared},
                                      {"shared::cta", Space::shared},
                                      {"shared::cluster", Space::shared},
                                      {"local", Space::local},
                                      {"const", Space::constant},
                                      {"param", Space::param},
                                      {"param::entry", Space::param},
                                      {"param::func", Space::param}}) {
        if (opcode.has(name)) return space;
    }
    return Space::generic;
}

Opcode::Opcode(const std::string& text) {
    std::size_t at = text.find('.');
    name = text.substr(0, at);
    while (at != std::string::npos) {
        const std::size_t end = text.find('.', at + 1);
        const std::string part = text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
        if (const std::optional<Type> type = type_named(part)) {
            types.push_back(*type);
            last_type = part;
        } else {
            suffixes_.push_back({part});
        }
        at = end;
    }
}

bool Opcode::has(std::string_view text) const {
    const auto found = std::find_if(suffixes_.begin(), suffixes_.end(), [&](const Suffix& suffix) {
        return !suffix.taken && suffix.text == text;
    });
    if (found == suffixes_.end()) return false;
    found->taken = true;
    return true;
}

void Opcode::ignore(std::initializer_list<std::string_view> suffixes) const {
    for (const std::string_view suffix : suffixes) has(suffix);
}

void Opcode::ignore_beginning(std::string_view prefix) const {
    for (Suffix& suffix : suffixes_) suffix.taken = suffix.taken || suffix.text.starts_with(prefix);
}

void Opcode::take_all() const {
    for (Suffix& suffix : suffixes_) suffix.taken = true;
}

std::string Opcode::take_first() const {
    for (Suffix& suffix : suffixes_) {
        if (!std::exchange(suffix.taken, true)) return suffix.text;
    }
    return "";
}

Modifiers Opcode::modifiers(std::initializer_list<std::string_view> allowed) const {
    Modifiers made;
    bool rounds = false;
    for (const std::string_view suffix : allowed) {
        const bool is_rounding = suffix[0] == 'r';
        if ((is_rounding && rounds) || !has(suffix)) continue;
        rounds = rounds || is_rounding;
        if (suffix == "ftz") made.flush = true;
        if (suffix == "sat") made.saturate = true;
        if (suffix == "rz" || suffix == "rzi") made.rounding = std::uint8_t(Rounding::zero);
        if (suffix == "rm" || suffix == "rmi") made.rounding = std::uint8_t(Rounding::down);
        if (suffix == "rp" || suffix == "rpi") made.rounding = std::uint8_t(Rounding::up);
    }
    return made;
}

std::string Opcode::left() const {
    std::string made;
    for (const Suffix& suffix : suffixes_) {
        if (!suffix.taken) made += "." + suffix.text;
    }
    return made;
}

}  // namespace ws::simt
