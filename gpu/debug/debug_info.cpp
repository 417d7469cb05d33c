#include "gpu/debug/debug_info.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "gpu/debug/dwarf.h"

namespace ws::debug {
namespace {

constexpr int kMostOrigins = 8;  // of an entry that stands for another

// A register's name as DWARF has it: its letters in a number, the first the highest.
std::string register_name(std::uint64_t number) {
    std::string name;
    for (; number != 0; number >>= 8) name.insert(name.begin(), char(number & 0xFF));
    return name;
}

std::string demangled_type(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
    return status == 0 && text ? text.get() : name;
}

class DebugInfoReader {
  public:
    explicit DebugInfoReader(const PtxText& text) : text_(text), tree_(read_dwarf(text)) {}

    DebugInfo read() {
        // Types first, so that their names are known whatever has a variable of them.
        for (const DwarfEntry& entry : tree_.entries) {
            if (is_type(entry.tag)) (void)type_at(entry.offset);
        }
        for (const std::size_t root : tree_.roots) walk(tree_.entries[root], -1);
        return std::move(made_);
    }

  private:
    static bool is_type(int tag) {
        return tag == dw::kStructure || tag == dw::kClass || tag == dw::kUnion || tag == dw::kEnumeration ||
               tag == dw::kTypedef || tag == dw::kBase;
    }

    // ---- what stands for another entry has its name and type

    const DwarfValue* find(const DwarfEntry& entry, int attribute) const {
        const DwarfEntry* one = &entry;
        for (int i = 0; one && i < kMostOrigins; ++i) {
            if (const DwarfValue* value = one->find(attribute)) return value;
            const DwarfValue* origin = one->find(dw::kAbstractOrigin);
            if (!origin) origin = one->find(dw::kSpecification);
            one = origin ? tree_.at(origin->number) : nullptr;
        }
        return nullptr;
    }
    std::string name_of(const DwarfEntry& entry) const {
        const DwarfValue* name = find(entry, dw::kName);
        return name ? name->text : "";
    }

    // ---- types

    int type_of(const DwarfEntry& entry) {
        const DwarfValue* type = find(entry, dw::kType);
        return type ? type_at(type->number) : TypeTable::kVoid;
    }

    int type_at(std::uint64_t offset) {
        if (const auto known = types_.find(offset); known != types_.end()) return known->second;
        const DwarfEntry* entry = tree_.at(offset);
        if (!entry || depth_ > 64) return TypeTable::kVoid;
        ++depth_;
        const int made = make_type(*entry);
        --depth_;
        types_[offset] = made;
        return made;
    }

    int make_type(const DwarfEntry& entry) {
        switch (entry.tag) {
            case dw::kBase:
                return base_type(entry);
            case dw::kPointer:
            case dw::kReference:
            case dw::kRvalueReference: {
                // A structure may point to itself: its own number is known by then.
                return made_.types.pointer_to(type_of(entry));
            }
            case dw::kConst:
            case dw::kVolatile:
            case dw::kRestrict:
                return type_of(entry);
            case dw::kTypedef: {
                const int type = type_of(entry);
                made_.types.give_name(name_of(entry), type);
                return type;
            }
            case dw::kArray:
                return array_type(entry);
            case dw::kEnumeration:
                return enumeration_type(entry);
            case dw::kStructure:
            case dw::kClass:
            case dw::kUnion:
                return structure_type(entry);
            default:
                return TypeTable::kVoid;
        }
    }

    int base_type(const DwarfEntry& entry) {
        const std::string name = name_of(entry);
        const std::uint64_t bytes = entry.number(dw::kByteSize);
        if (const std::optional<int> known = made_.types.named(name);
            known && made_.types[*known].bytes == bytes)
            return *known;
        Type made;
        made.name = name;
        made.bytes = bytes;
        const std::uint64_t encoding = entry.number(dw::kEncoding);
        made.kind = encoding == 2                    ? TypeKind::boolean
                    : encoding == 4                  ? TypeKind::floating
                    : encoding == 6 || encoding == 8 ? TypeKind::character
                                                     : TypeKind::integer;
        made.is_signed = encoding == 4 || encoding == 5 || encoding == 6;
        const int number = made_.types.add(std::move(made));
        made_.types.give_name(name, number);
        return number;
    }

    // Of several dimensions an array of arrays.
    int array_type(const DwarfEntry& entry) {
        std::vector<std::uint64_t> counts;
        for (const std::size_t child : entry.children) {
            const DwarfEntry& range = tree_.entries[child];
            if (range.tag != dw::kSubrange) continue;
            const DwarfValue* upper = range.find(dw::kUpperBound);
            counts.push_back(upper ? upper->number + 1 : range.number(dw::kCount));
        }
        int type = type_of(entry);
        for (auto count = counts.rbegin(); count != counts.rend(); ++count)
            type = made_.types.array_of(type, *count);
        return type;
    }

    int enumeration_type(const DwarfEntry& entry) {
        Type made;
        made.kind = TypeKind::enumeration;
        made.name = demangled_type(name_of(entry));
        made.bytes = entry.number(dw::kByteSize, 4);
        made.is_signed = true;
        for (const std::size_t child : entry.children) {
            const DwarfEntry& one = tree_.entries[child];
            if (one.tag == dw::kEnumerator)
                made.names.emplace_back(demangled_type(name_of(one)),
                                        std::int64_t(one.number(dw::kConstValue)));
        }
        const std::string name = made.name;
        const int number = made_.types.add(std::move(made));
        made_.types.give_name(name, number);
        return number;
    }

    int structure_type(const DwarfEntry& entry) {
        Type made;
        made.kind = TypeKind::structure;
        made.name = name_of(entry).empty() ? "{...}" : name_of(entry);
        made.bytes = entry.number(dw::kByteSize);
        const std::string name = made.name;
        const int number = made_.types.add(std::move(made));
        types_[entry.offset] = number;
        made_.types.give_name(name, number);
        std::vector<Member> members;
        for (const std::size_t child : entry.children) {
            const DwarfEntry& one = tree_.entries[child];
            if (one.tag != dw::kMember && one.tag != dw::kInheritance) continue;
            Member member;
            member.name = one.tag == dw::kInheritance ? "<base>" : name_of(one);
            member.type = type_of(one);
            member.offset = member_offset(one);
            member.bits = int(one.number(dw::kBitSize));
            if (member.bits > 0)
                member.shift = int(8 * one.number(dw::kByteSize, made_.types[member.type].bytes)) -
                               member.bits - int(one.number(dw::kBitOffset));
            members.push_back(std::move(member));
        }
        made_.types.at(number).members = std::move(members);
        return number;
    }

    static std::uint64_t member_offset(const DwarfEntry& entry) {
        const DwarfValue* place = entry.find(dw::kMemberLocation);
        if (!place) return 0;
        if (!place->is_block) return place->number;
        DwarfBytes bytes(place->block);
        return bytes.number(1) == 0x23 ? bytes.leb() : 0;  // plus_uconst
    }

    // ---- places

    Where where_of(const PtxSection& expression) const {
        DwarfBytes bytes(expression);
        Where made;
        const std::uint64_t operation = bytes.number(1);
        if (operation == 0x90) {  // regx
            made.kind = Where::Kind::in_register;
            made.name = register_name(bytes.leb());
        } else if (operation == 0x03) {  // addr
            made.kind = Where::Kind::at_symbol;
            made.name = bytes.symbol();
            const auto reference = expression.references.find(bytes.at());
            if (reference != expression.references.end()) made.offset = reference->second.plus;
            (void)bytes.number(8);
            if (!bytes.ended() && bytes.number(1) == 0x23) made.offset += std::int64_t(bytes.leb());
            if (made.name.empty()) made.kind = Where::Kind::nowhere;
        }
        return made;
    }

    int line_of(const std::string& label, int otherwise) const {
        const auto found = text_.labels.find(label);
        return found != text_.labels.end() ? found->second : otherwise;
    }

    std::vector<Variable::Part> parts_of(const DwarfEntry& entry) const {
        const DwarfValue* place = entry.find(dw::kLocation);
        if (!place) return {};
        if (place->is_block) return {{{}, where_of(place->block)}};
        const auto lists = text_.sections.find(".debug_loc");
        if (lists == text_.sections.end()) return {};
        std::vector<Variable::Part> made;
        DwarfBytes bytes(lists->second, place->number);
        while (!bytes.ended()) {
            const std::string from = bytes.symbol();
            const std::uint64_t first = bytes.number(8);
            const std::string to = bytes.symbol();
            const std::uint64_t last = bytes.number(8);
            if (from.empty() && to.empty() && first == 0 && last == 0) break;
            const std::uint64_t size = bytes.number(2);
            const PtxSection expression = bytes.block(size);
            made.push_back({{line_of(from, 0), line_of(to, 0)}, where_of(expression)});
        }
        return made;
    }

    // ---- scopes

    void walk(const DwarfEntry& entry, int scope) {
        const bool function = entry.tag == dw::kSubprogram;
        const bool inlined = entry.tag == dw::kInlined;
        const bool block = entry.tag == dw::kLexicalBlock;
        if (is_type(entry.tag) || ++depth_ > 64) return;
        if (entry.tag == dw::kVariable || entry.tag == dw::kParameter) {
            add_variable(entry, scope);
        } else if (function || inlined || block) {
            const DwarfValue* low = entry.find(dw::kLowPc);
            const DwarfValue* high = entry.find(dw::kHighPc);
            if (low && high) {
                Scope one;
                one.parent = scope;
                one.range = {line_of(low->symbol, 0), line_of(high->symbol, 0)};
                if (function || inlined) one.function = name_of(entry);
                one.inlined = inlined;
                one.call_line = int(entry.number(dw::kCallLine));
                made_.scopes.push_back(std::move(one));
                const int number = int(made_.scopes.size()) - 1;
                for (const std::size_t child : entry.children) walk(tree_.entries[child], number);
            }
            // One without code describes others that are inlined.
        } else {
            for (const std::size_t child : entry.children) walk(tree_.entries[child], scope);
        }
        --depth_;
    }

    void add_variable(const DwarfEntry& entry, int scope) {
        Variable made;
        made.name = name_of(entry);
        made.type = type_of(entry);
        made.is_parameter = entry.tag == dw::kParameter;
        made.parts = parts_of(entry);
        if (made.name.empty()) return;
        (scope < 0 ? made_.globals : made_.scopes[std::size_t(scope)].variables).push_back(std::move(made));
    }

    const PtxText& text_;
    DwarfTree tree_;
    DebugInfo made_;
    std::map<std::uint64_t, int> types_;
    int depth_ = 0;
};

}  // namespace

std::vector<const Scope*> DebugInfo::scopes_at(int ptx_line) const {
    std::vector<const Scope*> found;
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
        if (!scope->range.holds(ptx_line)) continue;
        // Blocks that stand beside each other do not hold the same line: what does is around the inner one.
        found.push_back(&*scope);
    }
    return found;
}

DebugInfo read_debug_info(const PtxText& text) {
    return DebugInfoReader(text).read();
}

}  // namespace ws::debug
