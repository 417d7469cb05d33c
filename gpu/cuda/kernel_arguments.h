#pragma once
// The arguments of a launch as the driver takes them: pointers to values that live until the launch.

#include <array>
#include <cstdint>

#include "gpu/core/lab.h"

namespace ws {

[[nodiscard]] inline std::uint64_t bits_of(const std::uint8_t* memory) {
    static_assert(sizeof memory == sizeof(std::uint64_t));
    return reinterpret_cast<std::uintptr_t>(memory);
}

class KernelArguments {
  public:
    // `bits`: of an argument that names a buffer: its address, or the texture object over it.
    void add(const Argument& argument, Extent size, std::uint64_t bits) {
        Value& value = values_.at(count_);
        if (argument.kind == Argument::Kind::width)
            value.number = size.width;
        else if (argument.kind == Argument::Kind::height)
            value.number = size.height;
        else if (argument.kind == Argument::Kind::value)
            value.bits = argument.bits;  // the first bytes are a smaller value's
        else
            value.bits = bits;
        pointers_[count_++] = &value;
    }
    [[nodiscard]] void** pointers() { return pointers_.data(); }

  private:
    union Value {
        std::uint64_t bits = 0;
        int number;
    };
    std::array<Value, kMostArguments> values_;
    std::array<void*, kMostArguments> pointers_{};
    std::size_t count_ = 0;
};

}  // namespace ws
