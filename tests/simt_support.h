#pragma once
// What tests of the simulated GPU share: kernels from text, buffers, a launch.

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/analysis/profiles.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/simt/gpu.h"

namespace ws::testing {

inline const Nvrtc* compiler() {
    static const Result<std::shared_ptr<Nvrtc>> nvrtc = Nvrtc::open();
    return nvrtc.ok() ? nvrtc.value().get() : nullptr;
}

#define WS_NEED_COMPILER() \
    if (!::ws::testing::compiler()) GTEST_SKIP() << "needs NVRTC"

// PTX of a kernel's text; fails the test where it does not compile.
inline std::string ptx_of(const std::string& text, const std::string& kernel, std::string& entry,
                          int architecture = 75) {
    CompileRequest request;
    request.name = "test";
    request.text = text;
    request.entry = kernel;
    request.architecture = architecture;
    request.to_ptx = true;
    const auto compiled = compiler()->compile(request);
    EXPECT_TRUE(compiled.ok()) << (compiled.ok() ? "" : compiled.message());
    if (!compiled.ok()) return "";
    entry = compiled.value().entry;
    return {compiled.value().binary.data(), compiled.value().binary.size()};
}

// A launch in the making: the kernel, then its arguments in order, then run, each time on a new GPU.
class Kernel {
  public:
    Kernel(const std::string& text, const std::string& name, const std::string& gpu = "RTX 3060",
           int architecture = 75) {
        std::string entry;
        const std::string ptx = ptx_of(text, name, entry, architecture);
        load(ptx, entry, gpu);
        options_.threads = 2;
    }
    // From PTX text as it stands.
    static Kernel from_ptx(const std::string& ptx, const std::string& name) {
        Kernel made;
        made.load(ptx, name, "RTX 3060");
        return made;
    }
    template <typename T>
    Kernel& buffer(std::vector<T>& values, bool initialised = true) {
        const std::span<std::byte> bytes = std::as_writable_bytes(std::span(values));
        arguments_.push_back({bytes, initialised ? simt::Content::given : simt::Content::unwritten, 0, 8});
        return *this;
    }
    template <typename T>
    Kernel& value(T number) {
        Argument one{{}, simt::Content::given, 0, sizeof number};
        std::memcpy(&one.bits, &number, sizeof number);
        arguments_.push_back(one);
        return *this;
    }
    Kernel& texture(const simt::Texture& texture) {
        textures_.push_back(texture);
        return *this;
    }
    simt::LaunchOutcome run(simt::Shape grid, simt::Shape block) {
        if (!launch_.program) return {};
        launch_.grid = grid;
        launch_.block = block;
        simt::Gpu gpu(profile_, translate_);
        for (const simt::Texture& texture : textures_) (void)gpu.bind(texture);
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            const Argument& one = arguments_[i];
            simt::set_parameter(launch_, i, one.buffer.data() ? gpu.map(one.buffer, one.content) : one.bits,
                                one.bytes);
        }
        simt::LaunchOutcome outcome = gpu.launch(launch_, options_);
        leaks_ = gpu.leaks();
        return outcome;
    }
    // What the last run left allocated.
    [[nodiscard]] const std::vector<Finding>& leaks() const { return leaks_; }
    simt::KernelLaunch& launch() { return launch_; }
    simt::LaunchOptions& options() { return options_; }
    Kernel& translate(simt::Translate when) {
        translate_ = when;
        return *this;
    }

  private:
    Kernel() = default;
    void load(const std::string& ptx, const std::string& name, const std::string& gpu) {
        const auto program = simt::load_program(ptx, name);
        EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.message());
        if (program.ok()) launch_.program = program.value();
        profile_ = GpuTable().named(gpu);
        options_.check = true;
    }
    struct Argument {
        std::span<std::byte> buffer;  // of no data: a value
        simt::Content content = simt::Content::given;
        std::uint64_t bits = 0;
        std::uint32_t bytes = 8;
    };
    GpuProfile profile_;
    simt::Translate translate_ = simt::Translate::when_hot;
    simt::KernelLaunch launch_;
    simt::LaunchOptions options_;
    std::vector<simt::Texture> textures_;
    std::vector<Argument> arguments_;
    std::vector<Finding> leaks_;
};

inline bool found(const simt::LaunchOutcome& outcome, Finding::Kind kind, int line = -1) {
    for (const Finding& finding : outcome.counters.findings) {
        if (finding.kind == kind && (line < 0 || finding.line == line)) return true;
    }
    return false;
}

inline std::string findings_text(const simt::LaunchOutcome& outcome) {
    std::string text;
    for (const Finding& finding : outcome.counters.findings)
        text += std::string(name_of(finding.kind)) + ": " + finding.message + "\n";
    return text;
}

inline std::map<int, InstructionCounts> counts_by_line(const simt::LaunchOutcome& outcome) {
    std::map<int, InstructionCounts> made;
    for (const LineCounts& line : outcome.counters.lines) made[line.line] = line.counts;
    return made;
}

// Runs the kernel k(int* out, int* in) over 64 elements each; `out` begins with zeros that count as given.
struct Ran {
    simt::LaunchOutcome outcome;
    std::vector<int> out;
    [[nodiscard]] bool clean() const { return outcome.counters.findings.empty(); }
    [[nodiscard]] bool finds(Finding::Kind kind, int line) const { return found(outcome, kind, line); }
    [[nodiscard]] bool says(const std::string& text) const {
        return findings_text(outcome).find(text) != std::string::npos;
    }
};

inline std::ostream& operator<<(std::ostream& out, const Ran& run) {
    return out << findings_text(run.outcome);
}

inline Ran run_source(const std::string& source, simt::Shape block = {64, 1, 1}, int grid = 1,
                      int architecture = 80, bool check = true) {
    Ran made;
    made.out.assign(256, 0);
    std::vector<int> in(256);
    for (int i = 0; i < 256; ++i) in[std::size_t(i)] = i + 1;
    Kernel kernel(source, "k", "RTX 3060", architecture);
    kernel.options().step_limit = 8'000'000;
    kernel.options().check = check;
    made.outcome = kernel.buffer(made.out).buffer(in).run({grid, 1, 1}, block);
    return made;
}

// The body begins in line 3.
inline std::string source_of(const std::string& body) {
    return "extern \"C\" __global__ void k(int* out, int* in) {\n int t = threadIdx.x;\n" + body + "\n}";
}
inline Ran run(const std::string& body, simt::Shape block = {64, 1, 1}, int grid = 1) {
    return run_source(source_of(body), block, grid);
}

// The beginning of a kernel k of PTX with registers of every kind.
inline const std::string kHead =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{\n"
    ".reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f32 %f<6>; .reg .f64 "
    "%fd<4>;\n"
    ".shared .align 16 .b8 tile[64]; .local .align 4 .b8 own[8]; .param .b32 handed;\n";

// Why the text of a kernel's body is refused, empty if it is not.
inline std::string refusal(const std::string& body, const std::string& before = "") {
    const auto program =
        simt::load_program(before + kHead + ".loc 1 17 3\n" + body + "\nret;\n}\n.file 1 \"k.cu\"\n", "k");
    return program.ok() ? "" : program.message();
}

// Runs a body that leaves a result for each of 32 threads in %r7, stored behind it.
inline std::vector<std::uint32_t> results(const std::string& body) {
    std::vector<std::uint32_t> d(32);
    Kernel kernel = Kernel::from_ptx(
        kHead +
            "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 "
            "%rd1, %rd1, %rd2;\n" +
            body + "\nst.global.u32 [%rd1], %r7; ret;\n}\n",
        "k");
    const auto outcome = kernel.buffer(d, false).value(5).run({1, 1, 1}, {32, 1, 1});
    EXPECT_TRUE(outcome.counters.findings.empty()) << findings_text(outcome);
    return d;
}

}  // namespace ws::testing
