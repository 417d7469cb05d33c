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
        else
            value.memory = memory;
        pointers_[count_++] = &value;
    }
    [[nodiscard]] void** pointers() { return pointers_.data(); }

  private:
    union Value {
        const std::uint8_t* memory = nullptr;
        int number;
    };
    static constexpr std::size_t kMost = 8;
    std::array<Value, kMost> values_;
    std::array<void*, kMost> pointers_{};
    std::size_t count_ = 0;
};

}  // namespace ws
