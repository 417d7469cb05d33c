#include "gpu/sass/elf.h"

#include <algorithm>

namespace ws {

std::uint64_t ByteReader::number(int bytes) {
    if (bytes_.size() - std::min(at_, bytes_.size()) < std::size_t(bytes)) {
        bad_ = true;
        return 0;
    }
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i)
        value |= std::uint64_t(std::uint8_t(bytes_[at_ + std::size_t(i)])) << (8 * i);
    at_ += std::size_t(bytes);
    return value;
}

std::uint64_t ByteReader::uleb() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        const std::uint64_t byte = number(1);
        if (shift < 64) value |= (byte & 0x7f) << shift;
        if (bad_ || !(byte & 0x80)) return value;
    }
}

std::int64_t ByteReader::sleb() {
    std::uint64_t value = 0;
    for (int shift = 0;;) {
        const std::uint64_t byte = number(1);
        if (shift < 64) value |= (byte & 0x7f) << shift;
        shift += 7;
        if (bad_ || (byte & 0x80)) {
            if (bad_) return 0;
            continue;
        }
        if ((byte & 0x40) && shift < 64) value |= ~std::uint64_t(0) << shift;
        return std::int64_t(value);
    }
}

std::string_view ByteReader::text() {
    const std::size_t begin = at_;
    while (number(1) != 0) {
    }
    return bad_ ? std::string_view() : std::string_view(bytes_.data() + begin, at_ - 1 - begin);
}

void ByteReader::skip(std::uint64_t bytes) {
    if (bytes > bytes_.size() - std::min(at_, bytes_.size()))
        bad_ = true;
    else
        at_ += std::size_t(bytes);
}

namespace {

constexpr std::uint64_t kCuda = 190;  // EM_CUDA
constexpr std::uint64_t kNoBits = 8;  // SHT_NOBITS
constexpr int kHeader = 64;           // of the file, and of each section

struct Header {
    std::uint64_t name = 0, type = 0, offset = 0, size = 0;
};

Header header_at(std::span<const char> bytes) {
    ByteReader reader(bytes);
    Header header;
    header.name = reader.number(4);
    header.type = reader.number(4);
    reader.skip(16);
    header.offset = reader.number(8);
    header.size = reader.number(8);
    return header;
}

bool inside(std::span<const char> bytes, std::uint64_t offset, std::uint64_t size) {
    return offset <= bytes.size() && size <= bytes.size() - offset;
}

// Flags of the file's header: CUDA 13 keeps the number in bits 8 to 15, its predecessors in bits 0 to 7,
// where those of 7.5 to 9.0 stand in bits 16 to 23, too.
int architecture_of(std::uint64_t flags, std::uint64_t abi) {
    return int(abi >= 8 ? (flags >> 8) & 0xff : flags & 0xff);
}

}  // namespace

Result<Elf> Elf::open(std::span<const char> bytes) {
    using Opened = Result<Elf>;
    constexpr std::string_view kMagic = "\177ELF\2\1";  // 64 bits, little endian
    if (bytes.size() < kHeader || !std::string_view(bytes.data(), bytes.size()).starts_with(kMagic))
        return Opened::failure("this is no ELF64 file");
    ByteReader reader(bytes);
    reader.skip(8);
    const std::uint64_t abi = reader.number(1);
    reader.skip(9);
    if (reader.number(2) != kCuda) return Opened::failure("this is no machine code of an NVIDIA GPU");
    reader.skip(20);
    const std::uint64_t table = reader.number(8);
    const std::uint64_t flags = reader.number(4);
    reader.skip(8);
    const std::uint64_t count = reader.number(2);
    const std::uint64_t names = reader.number(2);
    if (!inside(bytes, table, count * kHeader) || names >= count)
        return Opened::failure("the cubin's table of sections is damaged");

    Elf elf;
    elf.architecture_ = architecture_of(flags, abi);
    const auto at = [&](std::uint64_t index) {
        return header_at(bytes.subspan(std::size_t(table + index * kHeader), kHeader));
    };
    const Header strings = at(names);
    if (!inside(bytes, strings.offset, strings.size))
        return Opened::failure("the cubin's names of sections are damaged");
    const std::span<const char> texts = bytes.subspan(std::size_t(strings.offset), std::size_t(strings.size));
    for (std::uint64_t i = 0; i < count; ++i) {
        const Header header = at(i);
        ByteReader name(texts);
        name.skip(header.name);
        Section section;
        section.name = name.text();
        if (header.type != kNoBits) {
            if (!inside(bytes, header.offset, header.size))
                return Opened::failure("a section of the cubin lies outside of it");
            section.bytes = bytes.subspan(std::size_t(header.offset), std::size_t(header.size));
        }
        elf.sections_.push_back(section);
    }
    return elf;
}

std::optional<int> Elf::find(std::string_view section) const {
    const auto found = std::find_if(sections_.begin(), sections_.end(),
                                    [&](const Section& one) { return one.name == section; });
    if (found == sections_.end()) return std::nullopt;
    return int(found - sections_.begin());
}

std::span<const char> Elf::section(std::string_view name) const {
    const std::optional<int> index = find(name);
    return index ? section(*index) : std::span<const char>();
}

std::map<std::uint64_t, int> Elf::relocations(std::string_view name) const {
    constexpr int kSymbol = 24;
    const std::span<const char> symbols = section(".symtab");
    std::map<std::uint64_t, int> targets;
    const auto read = [&](const std::string& table, bool addend) {
        ByteReader reader(section(table));
        while (!reader.done()) {
            const std::uint64_t offset = reader.number(8);
            const std::uint64_t info = reader.number(8);
            if (addend) reader.skip(8);
            const std::uint64_t symbol = (info >> 32) * kSymbol;
            if (reader.bad() || !inside(symbols, symbol, kSymbol)) continue;
            ByteReader entry(symbols.subspan(std::size_t(symbol), kSymbol));
            entry.skip(6);
            targets[offset] = int(entry.number(2));
        }
    };
    read(".rel" + std::string(name), false);
    read(".rela" + std::string(name), true);
    return targets;
}

}  // namespace ws
