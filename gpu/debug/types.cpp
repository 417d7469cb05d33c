#include "gpu/debug/types.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace ws::debug {
namespace {

constexpr int kDeepestName = 32;  // of types within types, as they are written

// "long unsigned" and "unsigned long int" are "unsigned long"; nothing where a word is none of C++'s.
std::optional<std::string> plain_name_of_words(std::string_view text) {
    std::istringstream stream{std::string(text)};
    bool is_signed = false;
    bool is_unsigned = false;
    int longs = 0;
    std::string base;
    for (std::string word; stream >> word;) {
        if (word == "const" || word == "volatile" || word == "struct" || word == "enum") continue;
        if (word == "signed")
            is_signed = true;
        else if (word == "unsigned")
            is_unsigned = true;
        else if (word == "long")
            ++longs;
        else if (word == "int" && !base.empty())
            continue;  // of "short int"
        else if (base.empty() || base == "int")
            base = word;
        else
            return std::nullopt;
    }
    if (longs > 0 && base == "double") return "double";
    if (longs > 0) base = longs > 1 ? "long long" : "long";
    if (base.empty()) base = "int";
    if (is_unsigned) return "unsigned " + base;
    return is_signed && base == "char" ? "signed char" : base;
}

}  // namespace

TypeTable::TypeTable() {
    const auto plain = [&](TypeKind kind, const char* name, std::uint64_t bytes, bool is_signed) {
        Type type;
        type.kind = kind;
        type.name = name;
        type.bytes = bytes;
        type.is_signed = is_signed;
        const int number = add(std::move(type));
        give_name(name, number);
        return number;
    };
    plain(TypeKind::nothing, "void", 0, false);
    plain(TypeKind::boolean, "bool", 1, false);
    plain(TypeKind::integer, "int", 4, true);
    plain(TypeKind::integer, "unsigned int", 4, false);
    plain(TypeKind::integer, "long long", 8, true);
    plain(TypeKind::integer, "unsigned long long", 8, false);
    plain(TypeKind::floating, "float", 4, true);
    plain(TypeKind::floating, "double", 8, true);
    plain(TypeKind::character, "char", 1, true);
    const int small = plain(TypeKind::character, "unsigned char", 1, false);
    const int small_signed = plain(TypeKind::character, "signed char", 1, true);
    const int half = plain(TypeKind::integer, "short", 2, true);
    const int half_unsigned = plain(TypeKind::integer, "unsigned short", 2, false);
    for (const auto& [name, type] : {std::pair{"long", kLong},
                                     {"unsigned long", kUnsignedLong},
                                     {"size_t", kUnsignedLong},
                                     {"int8_t", small_signed},
                                     {"uint8_t", small},
                                     {"int16_t", half},
                                     {"uint16_t", half_unsigned},
                                     {"int32_t", kInt},
                                     {"uint32_t", kUnsigned},
                                     {"int64_t", kLong},
                                     {"uint64_t", kUnsignedLong},
                                     {"uint", kUnsigned},
                                     {"uchar", small},
                                     {"ushort", half_unsigned}})
        give_name(name, type);
}

int TypeTable::add(Type type) {
    types_.push_back(std::move(type));
    return int(types_.size()) - 1;
}

std::optional<int> TypeTable::named(std::string_view name) const {
    if (const auto found = named_.find(name); found != named_.end()) return found->second;
    const std::optional<std::string> plain = plain_name_of_words(name);
    if (!plain) return std::nullopt;
    const auto found = named_.find(*plain);
    return found != named_.end() ? std::optional(found->second) : std::nullopt;
}

int TypeTable::pointer_to(int type) {
    for (std::size_t i = 0; i < types_.size(); ++i) {
        if (types_[i].kind == TypeKind::pointer && types_[i].target == type) return int(i);
    }
    Type made;
    made.kind = TypeKind::pointer;
    made.bytes = 8;
    made.target = type;
    return add(std::move(made));
}

int TypeTable::array_of(int type, std::uint64_t count) {
    for (std::size_t i = 0; i < types_.size(); ++i) {
        const Type& known = types_[i];
        if (known.kind == TypeKind::array && known.target == type && known.count == count) return int(i);
    }
    Type made;
    made.kind = TypeKind::array;
    made.bytes = count * types_[std::size_t(type)].bytes;
    made.target = type;
    made.count = count;
    return add(std::move(made));
}

std::string TypeTable::text_of(int type) const {
    std::string behind;
    std::string stars;
    for (int depth = 0; depth < kDeepestName; ++depth) {
        const Type& one = types_[std::size_t(type)];
        if (one.kind == TypeKind::array)
            behind += one.count > 0 ? fmt::format("[{}]", one.count) : "[]";
        else if (one.kind == TypeKind::pointer)
            stars += "*";
        else
            return one.name + stars + behind;
        type = one.target;
    }
    return "..." + stars + behind;
}

}  // namespace ws::debug
