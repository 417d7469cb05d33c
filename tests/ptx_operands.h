#pragma once
// From the table of ptx_instructions.h to the text of instructions.

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/simt/opcode.h"

namespace ws::testing {

// The instructions that a text with alternatives stands for: "b{c,d}" is bc and bd.
inline std::vector<std::string> expanded(const std::string& text) {
    const std::size_t open = text.find('{');
    if (open == std::string::npos) return {text};
    const std::size_t close = text.find('}', open);
    std::vector<std::string> made;
    const std::vector<std::string> rests = expanded(text.substr(close + 1));
    for (std::size_t at = open + 1; at <= close;) {
        const std::size_t end = std::min(text.find(',', at), close);
        for (const std::string& rest : rests)
            made.push_back(text.substr(0, open) + text.substr(at, end - at) + rest);
        at = end + 1;
    }
    return made;
}

inline std::string register_of(simt::Type type) {
    if (type == simt::Type::pred) return "%p1";
    if (type == simt::Type::f32) return "%f1";
    if (type == simt::Type::f64) return "%fd1";
    const int bits = simt::bits_of(type);
    return bits == 64 ? "%rd1" : bits == 32 ? "%r1" : "%rs1";
}

inline std::string vector_of(const std::string& element, std::size_t count) {
    std::string text = "{" + element;
    while (--count > 0) text += ", " + element;
    return text + "}";
}

// The operands with the letters of InstructionForms replaced.
inline std::string operands_of(const std::string& opcode, std::string_view form) {
    const simt::Opcode parts(opcode);
    const auto last = parts.types.empty() ? simt::Type::u32 : parts.types.back();
    const auto first = parts.types.empty() ? simt::Type::u32 : parts.types.front();
    const std::string of_last = register_of(last);
    const std::size_t count = parts.has("v2") ? 2 : parts.has("v4") ? 4 : parts.has("v8") ? 8 : 1;
    const std::map<char, std::string> letters{{'T', of_last},
                                              {'C', of_last},
                                              {'D', register_of(first)},
                                              {'G', vector_of(register_of(first), 4)},
                                              {'W', simt::bits_of(last) == 16 ? "%r1" : "%rd1"},
                                              {'V', count == 1 ? of_last : vector_of(of_last, count)},
                                              {'h', "%rs1"},
                                              {'r', "%r1"},
                                              {'l', "%rd1"},
                                              {'f', "%f1"},
                                              {'d', "%fd1"},
                                              {'p', "%p1"}};
    const auto in_word = [&](std::size_t at) {
        return at < form.size() && (std::isalnum(form[at]) || form[at] == '%' || form[at] == '[');
    };
    std::string made;
    for (std::size_t i = 0; i < form.size(); ++i) {
        const auto letter = letters.find(form[i]);
        const bool alone = letter != letters.end() && (i == 0 || !in_word(i - 1)) && !in_word(i + 1);
        made += alone ? letter->second : std::string(1, form[i]);
    }
    return made;
}

}  // namespace ws::testing
