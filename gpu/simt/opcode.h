#pragma once
// The parts of an instruction's name.

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/simt/instruction.h"
#include "gpu/simt/types.h"

namespace ws::simt {

// An opcode taken apart: "mad.lo.s32" is mad with the suffix lo and the type s32. Whoever asks for a suffix
// takes it; an instruction with a suffix that nobody has taken is refused.
class Opcode {
  public:
    explicit Opcode(const std::string& text);

    std::string name;
    std::vector<Type> types;  // the types among the suffixes, in order
    std::string last_type;    // as written, "b32"

    // Takes the suffix if it is there.
    bool has(std::string_view suffix) const;
    // Takes all that are there of those that change nothing here.
    void ignore(std::initializer_list<std::string_view> suffixes) const;
    // Takes those that begin so: "L1::evict_last".
    void ignore_beginning(std::string_view prefix) const;
    void take_all() const;
    // Takes the first suffix that is left, empty if there is none; types do not count.
    std::string take_first() const;
    // Takes "ftz", "sat" and the rounding, those that are named.
    Modifiers modifiers(std::initializer_list<std::string_view> allowed) const;

    // The suffixes that nobody has taken, types aside: ".cc.sat", or "".
    [[nodiscard]] std::string left() const;

  private:
    struct Suffix {
        std::string text;
        bool taken = false;
    };
    mutable std::vector<Suffix> suffixes_;  // without the types
};

// The space of an access, generic if none is named.
[[nodiscard]] Space space_in(const Opcode& opcode);
// The width of a register for the type: '1', '2', '4', '8' (bytes) or 'p'.
[[nodiscard]] char register_width(Type type);

}  // namespace ws::simt
