// Operands of divisions and roots for which the machine code calls a function: which lanes a trace says have
// them, which way through the function they take, and what of the machine code a warp then executes.

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <string>
#include <vector>

#include "gpu/analysis/machine_path.h"
#include "gpu/core/files.h"
#include "gpu/sass/machine_code_reader.h"
#include "tests/architectures.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

// Of an instruction's operands; `way`: "-": the short sequence; otherwise, branch by branch of the function,
// whether it is taken (t) or not (n).
struct Operands {
    std::uint64_t a = 0, b = 0;
    std::string way;
};
struct Row {
    std::string opcode;
    int sources = 2;
    char type = 'f';  // f: 32 bits, d: 64 bits, r: 32 bits of whole numbers
    std::vector<Operands> operands;
};

Operands floats(float a, float b, const std::string& way) {
    return {std::bit_cast<std::uint32_t>(a), std::bit_cast<std::uint32_t>(b), way};
}
Operands doubles(double a, double b, const std::string& way) {
    return {std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b), way};
}

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kTiny = 1e-40f;  // subnormal
constexpr double kTinyDouble = 1e-310;

std::vector<Row> rows() {
    return {
        {"div.rn.f32",
         2,
         'f',
         {floats(1, 3, "-"), floats(-5e20f, 7e-10f, "-"), floats(0, 16, "nnnnt"), floats(-0.0f, 16, "nnnnt"),
          floats(0, 0, "nnt"), floats(kNan, 1, "nt"), floats(1, kNan, "nt"), floats(kInf, -kInf, "nnnt"),
          floats(1, kInf, "nnnnt"), floats(kInf, 2, "nnnnnt"), floats(1, 0, "nnnnnt"),
          floats(kTiny, 1, "nnnnnnnnnn"), floats(1, kTiny, "nnnnnnnt"), floats(3e38f, 0.1f, "tnt"),
          floats(1e-37f, 1e30f, "tnnnt"), floats(1e-30f, 1e10f, "tnnnn"), floats(0x1p127f, 0x1p126f, "tt")}},
        {"div.rn.ftz.f32",
         2,
         'f',
         {floats(1, 3, "-"), floats(kTiny, 1, "nnnnt"), floats(1, kTiny, "nnnnnt"), floats(0, kTiny, "nnt"),
          floats(3e38f, 0.1f, "tn"), floats(0x1p127f, 0x1p126f, "tt")}},
        {"rcp.rn.f32",
         1,
         'f',
         {floats(2, 0, "-"), floats(0x1p125f, 0, "-"), floats(0, 0, "n"), floats(kTiny, 0, "n"),
          floats(kInf, 0, "tt"), floats(kNan, 0, "tt"), floats(0x1p126f, 0, "tn"),
          floats(-0x1p127f, 0, "tn")}},
        {"rcp.rn.ftz.f32",
         1,
         'f',
         {floats(2, 0, "-"), floats(0, 0, "t"), floats(kTiny, 0, "t"), floats(kInf, 0, "nt"),
          floats(0x1p126f, 0, "nn")}},
        {"sqrt.rn.f32",
         1,
         'f',
         {floats(4, 0, "-"), floats(1e-30f, 0, "-"), floats(3e38f, 0, "-"), floats(0, 0, "t"),
          floats(-0.0f, 0, "t"), floats(-1, 0, "nt"), floats(kNan, 0, "nnt"), floats(kInf, 0, "nnn"),
          floats(kTiny, 0, "nnn"), floats(1e-32f, 0, "nnn")}},
        {"sqrt.rn.ftz.f32", 1, 'f', {floats(4, 0, "-"), floats(kTiny, 0, "t"), floats(-kTiny, 0, "t")}},
        {"div.rn.f64",
         2,
         'd',
         {doubles(1, 3, "-"), doubles(0, 1, "tnnn"), doubles(1, 0, "tnnn"), doubles(0, 0, "tnnt"),
          doubles(double(kNan), 1, "tt"), doubles(1, double(kNan), "tnt"),
          doubles(double(kInf), double(kInf), "tnnt"), doubles(double(kInf), 1, "tnnn"),
          doubles(1e-300, 1, "nt"), doubles(1e-300, 3e10, "nnn"), doubles(0x1p-1020, 0x1p4, "nnt"),
          doubles(1e300, 1e308, "nt")}},
        {"rcp.rn.f64",
         1,
         'd',
         {doubles(2, 0, "-"), doubles(0, 0, "nt"), doubles(double(kInf), 0, "nt"),
          doubles(double(kNan), 0, "t"), doubles(kTinyDouble, 0, "nnt"), doubles(0x1p1023, 0, "nnn")}},
        {"sqrt.rn.f64",
         1,
         'd',
         {doubles(4, 0, "-"), doubles(0, 0, "tt"), doubles(double(kNan), 0, "tt"), doubles(-1, 0, "tnt"),
          doubles(double(kInf), 0, "tnnt"), doubles(kTinyDouble, 0, "tnnn"), doubles(1e-300, 0, "n")}},
        {"rsqrt.approx.f64",
         1,
         'd',
         {doubles(4, 0, "-"), doubles(0, 0, "t"), doubles(double(kNan), 0, "nt"), doubles(-1, 0, "nnt"),
          doubles(double(kInf), 0, "nnnt"), doubles(kTinyDouble, 0, "nnnn")}},
        // These go one way.
        {"div.approx.f32", 2, 'f', {floats(1, 3, "-"), floats(0, 0, "-")}},
        {"div.full.f32", 2, 'f', {floats(1, 3, "-"), floats(0, 0, "-")}},
        {"sqrt.approx.f32", 1, 'f', {floats(4, 0, "-"), floats(0, 0, "-")}},
        {"div.u32", 2, 'r', {{7, 3, "-"}, {7, 0, "-"}}},
    };
}

// The kernel of one warp that executes a row's instruction.
std::string source_of(const Row& row) {
    const std::string type = row.type == 'f' ? "float" : row.type == 'd' ? "double" : "unsigned";
    const std::string letter(1, row.type);
    const std::string operands = row.sources == 2 ? "%0, %1, %2;" : "%0, %1;";
    std::string text = "extern \"C\" __global__ void k(" + type + "* out, const " + type + "* a, const " +
                       type + "* b) {\n    " + type + " made;\n    asm(\"" + row.opcode + " " + operands +
                       "\" : \"=" + letter + "\"(made) : \"" + letter + "\"(a[threadIdx.x])";
    if (row.sources == 2) text += ", \"" + letter + "\"(b[threadIdx.x])";
    return text + ");\n    out[threadIdx.x] = made;\n}";
}

struct TracedRun {
    MachineCode code;
    KernelTrace trace;
};

// Each lane has the operands of its number, and so on from the first again.
TracedRun run(const Row& row, const std::vector<Operands>& operands, int architecture) {
    CompileRequest request;
    request.name = "test";
    request.text = source_of(row);
    request.entry = "k";
    request.architecture = architecture;
    const auto compiled = testing::compiler()->compile(request);
    if (!compiled.ok()) throw Error(compiled.message(), row.opcode);
    const CompiledKernel& kernel = compiled.value();
    TracedRun made;
    const auto code = read_machine_code(kernel.binary, kernel.entry);
    if (!code.ok()) throw Error(code.message(), row.opcode);
    made.code = code.value();
    const std::size_t bytes = row.type == 'd' ? 8 : 4;
    std::vector<std::uint8_t> a(32 * bytes);
    std::vector<std::uint8_t> b(32 * bytes);
    std::vector<std::uint8_t> out(32 * bytes);
    for (std::size_t lane = 0; lane < 32; ++lane) {
        const Operands& one = operands[lane % operands.size()];
        std::memcpy(a.data() + lane * bytes, &one.a, bytes);
        std::memcpy(b.data() + lane * bytes, &one.b, bytes);
    }
    testing::Kernel launch = testing::Kernel::from_ptx(ptx_in(kernel.binary), kernel.entry);
    launch.options() = {};
    launch.options().trace.trace = &made.trace;
    launch.buffer(out).buffer(a).buffer(b);
    EXPECT_FALSE(launch.run({1, 1, 1}, {32, 1, 1}).stopped) << row.opcode;
    return made;
}

std::string text_of(RareWay way) {
    if (way == 0) return "-";
    std::string made;
    for (int bit = std::bit_width(unsigned(way)) - 2; bit >= 0; --bit) made += way >> bit & 1 ? 't' : 'n';
    return made;
}

TEST(RareOperands, ATraceSaysWhichLanesHaveThem) {
    WS_NEED_COMPILER();
    for (const Row& row : rows()) {
        const TracedRun ran = run(row, row.operands, 90);
        ASSERT_EQ(ran.trace.warps.size(), 1u);
        for (std::size_t lane = 0; lane < 32; ++lane) {
            RareWay way = 0;
            for (const TracedRare& rare : ran.trace.warps[0].rare)
                if (rare.mask >> lane & 1) way = rare.way;
            EXPECT_EQ(text_of(way), row.operands[lane % row.operands.size()].way)
                << row.opcode << ", operands " << lane % row.operands.size();
        }
    }
}

TEST(RareOperands, WhereALoopHasThemIsWrittenDown) {
    WS_NEED_COMPILER();
    std::string entry;
    const std::string ptx = testing::ptx_of(R"(
extern "C" __global__ void k(float* out, const float* in) {
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
        if ((threadIdx.x + i) % 2 == 0) sum += (float(i) - 2) / in[threadIdx.x];
        __syncwarp();
    }
    out[threadIdx.x] = sum;
})",
                                            "k", entry);
    std::vector<float> in(32, 3);
    std::vector<float> out(32);
    KernelTrace trace;
    testing::Kernel kernel = testing::Kernel::from_ptx(ptx, entry);
    kernel.options() = {};
    kernel.options().trace.trace = &trace;
    kernel.buffer(out).buffer(in);
    ASSERT_FALSE(kernel.run({1, 1, 1}, {32, 1, 1}).stopped);
    const WarpTrace& warp = trace.warps.at(0);
    ASSERT_EQ(warp.rare.size(), 1u) << "0 / 3, once";
    EXPECT_EQ(warp.rare[0].mask, 0x55555555u) << "of the lanes that divide then";
    EXPECT_EQ(text_of(warp.rare[0].way), "nnnnt");
    int places = 0;
    for (std::size_t i = 0; i + 1 < warp.path.size(); ++i) {
        if (warp.path[i].first_rare == warp.path[i + 1].first_rare) continue;
        ++places;
        const std::vector<int>& lines = trace.ptx_lines[std::size_t(warp.path[i].block)];
        EXPECT_NE(std::find(lines.begin(), lines.end(), warp.rare[0].ptx_line), lines.end());
    }
    EXPECT_EQ(places, 1);
}

struct Executed {
    int steps = 0;
    int calls = 0, lanes_called = 0, lanes_back = 0, lanes_out = 0;
};

Executed executed(const TracedRun& ran) {
    const MachinePath path = *PathFinder(ran.code, ran.trace).find(ran.trace.warps.at(0));
    Executed made;
    made.steps = int(path.steps.size());
    for (const MachineStep& step : path.steps) {
        const MachineInstruction& instruction = ran.code.instructions[std::size_t(step.instruction)];
        made.calls += instruction.kind == MachineKind::call;
        if (instruction.kind == MachineKind::call) made.lanes_called += step.lanes;
        if (instruction.name == "RET") made.lanes_back += step.lanes;
        if (instruction.name == "EXIT") made.lanes_out += step.lanes;
    }
    return made;
}

// For every capability: lanes with rare operands, and no others, go through the function and come back.
TEST(RareOperands, TheMachineCodeCallsForThemAlone) {
    WS_NEED_COMPILER();
    for (const int architecture : testing::kArchitectures) {
        for (const Row& row : rows()) {
            int rare = 0;
            for (int lane = 0; lane < 32; ++lane)
                rare += row.operands[std::size_t(lane) % row.operands.size()].way != "-";
            const Executed of_all = executed(run(row, row.operands, architecture));
            EXPECT_EQ(of_all.calls, rare > 0) << row.opcode << " for " << architecture;
            EXPECT_EQ(of_all.lanes_called, rare) << row.opcode << " for " << architecture;
            EXPECT_EQ(of_all.lanes_back, rare) << row.opcode << " for " << architecture;
            EXPECT_EQ(of_all.lanes_out, 32) << row.opcode << " for " << architecture;
            const Executed of_common = executed(run(row, {row.operands.front()}, architecture));
            EXPECT_EQ(of_common.calls, 0) << row.opcode << " for " << architecture;
            EXPECT_EQ(of_common.lanes_out, 32) << row.opcode << " for " << architecture;
        }
    }
}

// As the machine code stands there (NVRTC 13.0, capability 9.0), read by nvdisasm.
TEST(RareOperands, TheFunctionsBranchesAreThoseOfTheOperands) {
    WS_NEED_COMPILER();
    const auto more = [](const char* opcode, const char* way) {
        for (const Row& row : rows()) {
            if (row.opcode != opcode) continue;
            for (const Operands& one : row.operands)
                if (one.way == way)
                    return executed(run(row, {one}, 90)).steps -
                           executed(run(row, {row.operands.front()}, 90)).steps;
        }
        return -1;
    };
    EXPECT_EQ(more("div.rn.f32", "nnnnt"), 34) << "0 / 16";
    EXPECT_EQ(more("div.rn.f32", "nt"), 24) << "no number";
    EXPECT_EQ(more("sqrt.rn.f32", "t"), 6) << "of 0";
    EXPECT_EQ(more("sqrt.rn.f32", "nnn"), 22) << "of a subnormal number";
    EXPECT_EQ(more("rcp.rn.f32", "tn"), 41) << "of a large number";
}

}  // namespace
}  // namespace ws
