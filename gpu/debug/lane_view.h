#pragma once
// What one lane sees: where it stands, its functions, variables, registers and memory.

#include <optional>
#include <string>
#include <vector>

#include "gpu/debug/evaluate.h"
#include "gpu/debug/kernel_text.h"
#include "gpu/simt/stepped_block.h"

namespace ws::debug {

// A lane of a warp of the block.
struct Focus {
    int warp = 0;
    int lane = 0;
    friend bool operator==(const Focus&, const Focus&) = default;
};

// A function that a lane is in: where it stands there, or waits for what it called.
struct StackFrame {
    std::string function;
    int function_index = 0;
    int instruction = 0;     // of the program
    SourceLine source;       // of an inlined function's caller the line of the call, where it is known
    std::int64_t frame = 0;  // of its registers
    bool inlined = false;    // into the next one
};

class LaneView : public Surroundings {
  public:
    // `level`: of the stack, 0 the innermost. Beyond its end it is the outermost.
    LaneView(const simt::SteppedBlock& block, KernelText& text, Focus focus, int level = 0);

    [[nodiscard]] const std::vector<StackFrame>& stack() const { return stack_; }
    [[nodiscard]] const StackFrame& here() const { return stack_[level_]; }

    std::optional<Value> named(std::string_view name) const override;
    std::span<const std::byte> memory(std::uint64_t address, std::uint64_t bytes) const override;

    // In scope here, the innermost first; of one name only the innermost.
    struct Local {
        const Variable* variable = nullptr;  // null: a shared array, which the compiler says nothing of
        std::string name;
        bool is_parameter = false;
    };
    [[nodiscard]] std::vector<Local> locals() const;
    // Throws DebugError where it has no place here.
    [[nodiscard]] Value value_of(const Local& local) const;
    [[nodiscard]] std::optional<std::uint64_t> register_bits(std::string_view name) const;

  private:
    [[nodiscard]] const simt::Function& function() const;
    [[nodiscard]] const std::byte* registers() const;
    [[nodiscard]] std::optional<Value> built_in(std::string_view name) const;
    [[nodiscard]] Value of_variable(const Variable& variable) const;
    [[nodiscard]] std::optional<Value> shared_array(std::string_view name) const;
    [[nodiscard]] Value at_symbol(const Where& where, int type) const;

    const simt::SteppedBlock& block_;
    KernelText& text_;
    Focus focus_;
    std::size_t level_ = 0;
    std::vector<StackFrame> stack_;
};

// Whether a lane takes the next instruction of its warp.
[[nodiscard]] bool is_active(const simt::SteppedBlock& block, Focus focus);
// The coordinates of a thread in its block.
[[nodiscard]] std::array<int, 3> thread_of(const simt::SteppedBlock& block, Focus focus);
// Of coordinates in the block; nothing where there is no such thread.
[[nodiscard]] std::optional<Focus> focus_of(const simt::SteppedBlock& block,
                                            const std::array<int, 3>& thread);

}  // namespace ws::debug
