#pragma once
// The sections of a cubin (ELF64, little endian). A cubin may come from a cache: nothing of it is believed
// unchecked.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/error.h"

namespace ws {

// Takes values off the front of bytes. Past their end it takes zeros, and `bad` says so.
class ByteReader {
  public:
    explicit ByteReader(std::span<const char> bytes) : bytes_(bytes) {}
    [[nodiscard]] std::uint64_t number(int bytes);  // little endian
    [[nodiscard]] std::uint64_t uleb();
    [[nodiscard]] std::int64_t sleb();
    [[nodiscard]] std::string_view text();  // up to a closing 0
    void skip(std::uint64_t bytes);
    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] bool done() const { return bad_ || at_ >= bytes_.size(); }
    [[nodiscard]] bool bad() const { return bad_; }

  private:
    std::span<const char> bytes_;
    std::size_t at_ = 0;
    bool bad_ = false;
};

class Elf {
  public:
    // `bytes` outlive it. The failure says what is damaged.
    static Result<Elf> open(std::span<const char> bytes);

    [[nodiscard]] std::optional<int> find(std::string_view section) const;
    // Empty for a section without bytes in the file.
    [[nodiscard]] std::span<const char> section(int index) const {
        return sections_[std::size_t(index)].bytes;
    }
    // Of the section that has this name; empty without it.
    [[nodiscard]] std::span<const char> section(std::string_view name) const;
    // The section that each relocated place of a section points into, by its offset there.
    [[nodiscard]] std::map<std::uint64_t, int> relocations(std::string_view section) const;
    // 90 of sm_90; 0 where the file does not say it in a way that is known.
    [[nodiscard]] int architecture() const { return architecture_; }

  private:
    struct Section {
        std::string_view name;
        std::span<const char> bytes;
    };
    std::vector<Section> sections_;
    int architecture_ = 0;
};

}  // namespace ws
