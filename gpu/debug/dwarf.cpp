#include "gpu/debug/dwarf.h"

#include <utility>

namespace ws::debug {
namespace {

constexpr std::size_t kDeepestEntry = 64;

struct Abbreviation {
    int tag = 0;
    bool has_children = false;
    std::vector<std::pair<int, int>> attributes;  // and their forms
};

std::map<std::uint64_t, Abbreviation> abbreviations(const PtxSection& section) {
    std::map<std::uint64_t, Abbreviation> made;
    DwarfBytes bytes(section);
    while (!bytes.ended()) {
        const std::uint64_t code = bytes.leb();
        if (code == 0) break;
        Abbreviation one;
        one.tag = int(bytes.leb());
        one.has_children = bytes.number(1) != 0;
        while (!bytes.ended()) {
            const int attribute = int(bytes.leb());
            const int form = int(bytes.leb());
            if (attribute == 0 && form == 0) break;
            one.attributes.emplace_back(attribute, form);
        }
        made[code] = std::move(one);
    }
    return made;
}

class DwarfReader {
  public:
    explicit DwarfReader(const PtxText& text) : text_(text) {}

    DwarfTree read() {
        const auto info = text_.sections.find(".debug_info");
        const auto abbreviated = text_.sections.find(".debug_abbrev");
        if (info == text_.sections.end() || abbreviated == text_.sections.end()) return {};
        known_ = abbreviations(abbreviated->second);
        DwarfBytes bytes(info->second);
        // The header: length, version, abbreviations, bytes of an address.
        (void)bytes.number(4);
        const std::uint64_t version = bytes.number(2);
        (void)bytes.number(4);
        (void)bytes.number(1);
        if (version < 2 || version > 4) return {};
        std::vector<std::size_t> open;
        while (!bytes.ended() && open.size() < kDeepestEntry) {
            const std::uint64_t offset = bytes.at();
            const std::uint64_t code = bytes.leb();
            if (code == 0) {
                if (!open.empty()) open.pop_back();
                if (open.empty()) break;
                continue;
            }
            const auto abbreviation = known_.find(code);
            if (abbreviation == known_.end()) break;
            DwarfEntry entry;
            entry.offset = offset;
            entry.tag = abbreviation->second.tag;
            bool known = true;
            for (const auto& [attribute, form] : abbreviation->second.attributes)
                known = known && value(bytes, form, entry.values[attribute]);
            if (!known) break;  // the length of what follows is not known, either
            const std::size_t index = tree_.entries.size();
            (open.empty() ? tree_.roots : tree_.entries[open.back()].children).push_back(index);
            tree_.by_offset[offset] = index;
            tree_.entries.push_back(std::move(entry));
            if (abbreviation->second.has_children) open.push_back(index);
        }
        return std::move(tree_);
    }

  private:
    bool value(DwarfBytes& bytes, int form, DwarfValue& made) const {
        const auto block = [&](std::uint64_t count) {
            made.block = bytes.block(count);
            made.is_block = true;
        };
        switch (form) {
            case 0x01:  // addr
                made.symbol = bytes.symbol();
                made.number = bytes.number(8);
                return true;
            case 0x03:  // block2
                block(bytes.number(2));
                return true;
            case 0x04:  // block4
                block(bytes.number(4));
                return true;
            case 0x09:  // block
            case 0x18:  // exprloc
                block(bytes.leb());
                return true;
            case 0x0A:  // block1
                block(bytes.number(1));
                return true;
            case 0x0B:  // data1
            case 0x0C:  // flag
            case 0x11:  // ref1
                made.number = bytes.number(1);
                return true;
            case 0x05:  // data2
            case 0x12:  // ref2
                made.number = bytes.number(2);
                return true;
            case 0x06:  // data4
            case 0x10:  // ref_addr
            case 0x13:  // ref4
            case 0x17:  // sec_offset
                made.number = bytes.number(4);
                return true;
            case 0x07:  // data8
            case 0x14:  // ref8
                made.symbol = bytes.symbol();
                made.number = bytes.number(8);
                return true;
            case 0x08:  // string
                made.text = bytes.text();
                return true;
            case 0x0D:  // sdata
                made.number = std::uint64_t(bytes.signed_leb());
                return true;
            case 0x0F:  // udata
            case 0x15:  // ref_udata
                made.number = bytes.leb();
                return true;
            case 0x0E: {  // strp
                const std::uint64_t at = bytes.number(4);
                const auto strings = text_.sections.find(".debug_str");
                if (strings != text_.sections.end()) made.text = DwarfBytes(strings->second, at).text();
                return true;
            }
            case 0x19:  // flag_present
                made.number = 1;
                return true;
            default:
                return false;
        }
    }

    const PtxText& text_;
    std::map<std::uint64_t, Abbreviation> known_;
    DwarfTree tree_;
};

}  // namespace

std::uint64_t DwarfBytes::number(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i, ++at_) {
        if (at_ < section_.bytes.size()) value |= std::uint64_t(section_.bytes[at_]) << (8 * i);
    }
    return value;
}

std::uint64_t DwarfBytes::leb() {
    std::uint64_t value = 0;
    for (int shift = 0; !ended(); shift += 7) {
        const std::uint64_t byte = number(1);
        if (shift < 64) value |= (byte & 0x7F) << shift;
        if ((byte & 0x80) == 0) break;
    }
    return value;
}

std::int64_t DwarfBytes::signed_leb() {
    std::uint64_t value = 0;
    int shift = 0;
    while (!ended()) {
        const std::uint64_t byte = number(1);
        if (shift < 64) value |= (byte & 0x7F) << shift;
        shift += 7;
        if ((byte & 0x80) != 0) continue;
        if (shift < 64 && (byte & 0x40) != 0) value |= ~std::uint64_t(0) << shift;
        break;
    }
    return std::int64_t(value);
}

std::string DwarfBytes::text() {
    std::string made;
    while (!ended()) {
        const char c = char(number(1));
        if (c == '\0') break;
        made += c;
    }
    return made;
}

PtxSection DwarfBytes::block(std::uint64_t bytes) {
    PtxSection made;
    for (std::uint64_t i = 0; i < bytes && !ended(); ++i) {
        if (const auto found = section_.references.find(at_); found != section_.references.end())
            made.references[i] = found->second;
        made.bytes.push_back(std::uint8_t(number(1)));
    }
    return made;
}

std::string DwarfBytes::symbol() const {
    const auto found = section_.references.find(at_);
    return found != section_.references.end() ? found->second.symbol : "";
}

DwarfTree read_dwarf(const PtxText& text) {
    return DwarfReader(text).read();
}

}  // namespace ws::debug
