#pragma once
// The arguments of a launch as the driver takes them: pointers to values that live until the launch.

#include <array>

#include "gpu/core/lab.h"

namespace ws {

class KernelArguments {
  public:
    // `memory`: of the buffer that the argument names.
    void add(const Argument& argument, Extent size, const std::uint8_t* memory) {
        Value& value = values_.at(count_);
        if (argument.kind == Argument::Kind::width)
            value.number = size.width;
        else if (argument.kind == Argument::Kind::height)
            value.number = size.height;
        else if (argument.kind == Argument::Kind::value)
            value.bits = argument.bits;  // the first bytes are a smaller value's
        else
            value.memory = memory;
        pointers_[count_++] = &value;
    }
    [[nodiscard]] void** pointers() { return pointers_.data(); }

  private:
    union Value {
        const std::uint8_t* memory = nullptr;
        int number;
        std::uint64_t bits;
    };
    std::array<Value, kMostArguments> values_;
    std::array<void*, kMostArguments> pointers_{};
    std::size_t count_ = 0;
};

}  // namespace ws
