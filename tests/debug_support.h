#pragma once
// What tests of the debugger share: a kernel's text with buffers, as a target of the debugger.

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "gpu/analysis/profiles.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/debug/console.h"
#include "gpu/debug/debugger.h"
#include "tests/simt_support.h"

namespace ws::testing {

// Compiled for the debugger; `optimised`: as kernels are else.
inline CompiledKernel debug_kernel(const std::string& text, const std::string& kernel,
                                   bool optimised = false) {
    CompileRequest request;
    request.name = "test";
    request.text = text;
    request.entry = kernel;
    request.architecture = 86;
    request.to_ptx = true;
    request.for_debugger = !optimised;
    const auto compiled = compiler()->compile(request);
    EXPECT_TRUE(compiled.ok()) << (compiled.ok() ? "" : compiled.message());
    return compiled.ok() ? compiled.value() : CompiledKernel{};
}

// Everything that a state of a block is, as one number.
class StateHash {
  public:
    void add(const void* data, std::size_t bytes) {
        const auto* at = static_cast<const unsigned char*>(data);
        for (std::size_t i = 0; i < bytes; ++i) hash_ = (hash_ ^ at[i]) * 0x100000001B3ull;
    }
    template <typename T>
    void add_value(const T& value) {
        add(&value, sizeof value);
    }
    [[nodiscard]] std::uint64_t value() const { return hash_; }

  private:
    std::uint64_t hash_ = 0xCBF29CE484222325ull;
};

inline std::uint64_t state_hash(const simt::SteppedBlock& block,
                                const std::vector<std::span<std::byte>>& buffers) {
    const simt::BlockSnapshot state = block.state().save();
    StateHash hash;
    for (const auto& warp : state.warps) {
        hash.add(warp.frames.data(), warp.frames.size());
        hash.add(warp.local.data(), warp.local.size());
        for (const simt::Path& path : warp.paths) {
            for (const int part : {path.function, path.block, path.reconverge, int(path.mask), path.call})
                hash.add_value(part);
        }
        hash.add_value(int(warp.state));
        hash.add_value(warp.at);
        hash.add_value(warp.live);
        hash.add_value(warp.ending);
    }
    hash.add(state.shared.data(), state.shared.size());
    for (std::uint32_t id = 0; id < simt::Barriers::kCount; ++id) hash.add_value(state.barriers.arrived(id));
    // Not how many steps the limit counts: an access that is looked at lane by lane counts as more.
    for (const std::span<std::byte> bytes : buffers) hash.add(bytes.data(), bytes.size());
    return hash.value();
}

// A kernel with buffers of ints or floats and numbers, as often as it is started from their first values.
class Debugged {
  public:
    Debugged(const std::string& text, const std::string& kernel, simt::Shape grid, simt::Shape block,
             bool optimised = false)
        : grid_(grid), block_(block) {
        const CompiledKernel compiled = debug_kernel(text, kernel, optimised);
        sources_.ptx.assign(compiled.binary.data(), compiled.binary.size());
        sources_.files = {{"test.cu", text}};
        const auto program = simt::load_program(sources_.ptx, compiled.entry);
        EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.message());
        if (program.ok()) program_ = program.value();
    }
    template <typename T>
    Debugged& buffer(const std::vector<T>& values) {
        std::vector<std::byte> bytes(values.size() * sizeof(T));
        std::memcpy(bytes.data(), values.data(), bytes.size());
        arguments_.push_back({std::move(bytes), 0, 8});
        return *this;
    }
    template <typename T>
    Debugged& value(T number) {
        Argument one{{}, 0, sizeof number};
        std::memcpy(&one.bits, &number, sizeof number);
        arguments_.push_back(one);
        return *this;
    }
    Debugged& shared(std::uint64_t bytes) {
        shared_bytes_ = bytes;
        return *this;
    }
    // The debugger, once all arguments are there.
    debug::Debugger& debugger() {
        if (debugger_) return *debugger_;
        debug::DebugTarget target;
        target.sources = sources_;
        target.grid = {grid_[0], grid_[1], grid_[2]};
        target.start = [this](std::uint64_t block, const std::atomic<bool>& cancel) {
            auto ground = std::make_shared<Ground>(GpuTable().named("RTX 3060"));
            simt::KernelLaunch launch;
            launch.program = program_;
            launch.grid = grid_;
            launch.block = block_;
            launch.dynamic_shared_bytes = shared_bytes_;
            for (const Argument& one : arguments_) ground->memory.push_back(one.bytes);
            for (std::size_t i = 0; i < arguments_.size(); ++i) {
                const Argument& one = arguments_[i];
                simt::set_parameter(
                    launch, i, one.bytes.empty() ? one.bits : ground->gpu.map(ground->memory[i]), one.size);
            }
            now_ = ground;
            debug::StartedBlock made;
            made.block = std::make_unique<simt::SteppedBlock>(
                ground->gpu, launch, simt::SteppedOptions{.block = block, .cancel = &cancel});
            made.keeps = ground;
            return made;
        };
        debugger_ = std::make_unique<debug::Debugger>(std::move(target), interrupt_);
        return *debugger_;
    }
    // Of the block that runs now.
    [[nodiscard]] std::uint64_t hash() {
        std::vector<std::span<std::byte>> buffers;
        for (std::vector<std::byte>& bytes : now_.lock()->memory) buffers.emplace_back(bytes);
        return state_hash(debugger_->block(), buffers);
    }
    template <typename T>
    [[nodiscard]] T at(std::size_t argument, std::size_t index) {
        T value;
        std::memcpy(&value, now_.lock()->memory[argument].data() + index * sizeof(T), sizeof value);
        return value;
    }
    // What the commands print, in one text.
    std::string say(const std::vector<std::string>& commands) {
        std::string text;
        if (!console_)
            console_ =
                std::make_unique<debug::Console>(debugger(), [this](std::string_view one) { said_ += one; });
        said_.clear();
        for (const std::string& command : commands) (void)console_->execute(command);
        return said_;
    }
    [[nodiscard]] int errors() const { return console_->errors(); }
    std::string value_of(const std::string& expression) {
        return debugger().value_text(debugger().parse(expression), debugger().focus());
    }
    std::atomic<bool>& interrupt() { return interrupt_; }

  private:
    struct Ground {
        explicit Ground(const GpuProfile& profile) : gpu(profile) {}
        simt::Gpu gpu;
        std::vector<std::vector<std::byte>> memory;
    };
    struct Argument {
        std::vector<std::byte> bytes;  // of a buffer
        std::uint64_t bits = 0;
        std::uint32_t size = 8;
    };
    simt::Shape grid_, block_;
    std::uint64_t shared_bytes_ = 0;
    debug::KernelSources sources_;
    std::shared_ptr<const simt::Program> program_;
    std::vector<Argument> arguments_;
    std::weak_ptr<Ground> now_;
    std::atomic<bool> interrupt_{false};
    std::unique_ptr<debug::Debugger> debugger_;
    std::unique_ptr<debug::Console> console_;
    std::string said_;
};

// An expression in all lanes, as a display.
inline debug::Display in_lanes(debug::Debugger& debugger, const std::string& text) {
    return {0, text, debugger.parse(text), true, 0};
}

}  // namespace ws::testing
