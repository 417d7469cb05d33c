#pragma once
// The types of a kernel's variables.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ws::debug {

enum class TypeKind : std::uint8_t {
    nothing,
    boolean,
    character,
    integer,
    floating,
    pointer,
    array,
    structure,
    enumeration
};

struct Member {
    std::string name;
    int type = 0;
    std::uint64_t offset = 0;
    int bits = 0;   // of a bit field; 0: it is none
    int shift = 0;  // of its lowest bit
};

struct Type {
    TypeKind kind = TypeKind::nothing;
    std::string name;
    std::uint64_t bytes = 0;
    bool is_signed = false;
    int target = 0;           // of a pointer, an array
    std::uint64_t count = 0;  // of an array; 0: the launch decides
    std::vector<Member> members;
    std::vector<std::pair<std::string, std::int64_t>> names;  // of an enumeration
};

// Types by number. Those of C++ are always there.
class TypeTable {
  public:
    TypeTable();

    static constexpr int kVoid = 0, kBool = 1, kInt = 2, kUnsigned = 3, kLong = 4, kUnsignedLong = 5,
                         kFloat = 6, kDouble = 7, kChar = 8;

    int add(Type type);
    void give_name(const std::string& name, int type) { named_.insert_or_assign(name, type); }
    [[nodiscard]] const Type& operator[](int type) const { return types_[std::size_t(type)]; }
    [[nodiscard]] Type& at(int type) { return types_[std::size_t(type)]; }
    // "unsigned char", "float4"; words of C++ in any order.
    [[nodiscard]] std::optional<int> named(std::string_view name) const;
    [[nodiscard]] int pointer_to(int type);
    [[nodiscard]] int array_of(int type, std::uint64_t count);
    // "float[32][33]", "const" left out.
    [[nodiscard]] std::string text_of(int type) const;
    [[nodiscard]] const std::deque<Type>& all() const { return types_; }

  private:
    std::deque<Type> types_;  // references stay as more are added
    std::map<std::string, int, std::less<>> named_;
};

}  // namespace ws::debug
