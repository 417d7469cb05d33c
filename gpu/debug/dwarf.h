#pragma once
// DWARF as a tree of entries, read out of the sections of PTX (DWARF 2, with the forms of later ones).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpu/debug/ptx_text.h"

namespace ws::debug {

namespace dw {
inline constexpr int kArray = 0x01, kEnumeration = 0x04, kParameter = 0x05, kLexicalBlock = 0x0B,
                     kMember = 0x0D, kPointer = 0x0F, kReference = 0x10, kCompileUnit = 0x11,
                     kStructure = 0x13, kTypedef = 0x16, kUnion = 0x17, kInheritance = 0x1C, kInlined = 0x1D,
                     kSubrange = 0x21, kBase = 0x24, kConst = 0x26, kEnumerator = 0x28, kSubprogram = 0x2E,
                     kVariable = 0x34, kVolatile = 0x35, kRestrict = 0x37, kNamespace = 0x39,
                     kUnspecified = 0x3B, kRvalueReference = 0x42, kClass = 0x02;
inline constexpr int kLocation = 0x02, kName = 0x03, kByteSize = 0x0B, kBitOffset = 0x0C, kBitSize = 0x0D,
                     kLowPc = 0x11, kHighPc = 0x12, kConstValue = 0x1C, kUpperBound = 0x2F,
                     kAbstractOrigin = 0x31, kCount = 0x37, kMemberLocation = 0x38, kEncoding = 0x3E,
                     kSpecification = 0x47, kType = 0x49, kCallLine = 0x59;
}  // namespace dw

// What stands in an entry: a number or a reference to another entry, a text, a block of bytes, or a place in
// the code.
struct DwarfValue {
    std::uint64_t number = 0;
    std::string text;
    PtxSection block;    // with its references
    std::string symbol;  // of an address
    bool is_block = false;
};

struct DwarfEntry {
    std::uint64_t offset = 0;
    int tag = 0;
    std::map<int, DwarfValue> values;  // by attribute
    std::vector<std::size_t> children;

    [[nodiscard]] const DwarfValue* find(int attribute) const {
        const auto found = values.find(attribute);
        return found != values.end() ? &found->second : nullptr;
    }
    [[nodiscard]] std::uint64_t number(int attribute, std::uint64_t otherwise = 0) const {
        const DwarfValue* value = find(attribute);
        return value ? value->number : otherwise;
    }
};

struct DwarfTree {
    std::vector<DwarfEntry> entries;
    std::vector<std::size_t> roots;
    std::map<std::uint64_t, std::size_t> by_offset;

    [[nodiscard]] const DwarfEntry* at(std::uint64_t offset) const {
        const auto found = by_offset.find(offset);
        return found != by_offset.end() ? &entries[found->second] : nullptr;
    }
};

// Bytes one after the other; past the end they are 0, and `ended` is true.
class DwarfBytes {
  public:
    explicit DwarfBytes(const PtxSection& section, std::size_t at = 0) : section_(section), at_(at) {}

    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] bool ended() const { return at_ >= section_.bytes.size(); }
    [[nodiscard]] std::uint64_t number(int bytes);
    [[nodiscard]] std::uint64_t leb();
    [[nodiscard]] std::int64_t signed_leb();
    [[nodiscard]] std::string text();
    [[nodiscard]] PtxSection block(std::uint64_t bytes);
    // The symbol of what stands here, empty without one.
    [[nodiscard]] std::string symbol() const;

  private:
    const PtxSection& section_;
    std::size_t at_ = 0;
};

[[nodiscard]] DwarfTree read_dwarf(const PtxText& text);

}  // namespace ws::debug
