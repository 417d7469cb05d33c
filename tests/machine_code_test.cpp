// The reader of machine code: every kernel of every lab for each capability, facts of NVIDIA's disassembler,
// damaged files.

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "gpu/analysis/profiles.h"
#include "gpu/compile/compile_service.h"
#include "gpu/compile/kernel_library.h"
#include "gpu/engine/planner.h"
#include "gpu/engine/targets.h"
#include "gpu/labs/labs.h"
#include "gpu/sass/decode.h"
#include "gpu/sass/in_flight.h"
#include "gpu/sass/machine_code_reader.h"
#include "gpu/sass/machine_listing.h"
#include "tests/architectures.h"
#include "tests/compiled_kernels.h"

namespace ws {
namespace {

constexpr int kNowhere = 1 << 20;  // an address with room for branches in both directions

// ---- facts

struct Fact {
    std::vector<int> architectures;
    InstructionWord word;
    std::string name;
    int bytes = 0;
    std::optional<int> target;  // from its own address
    std::vector<int> reads;     // registers
};

std::vector<Fact> facts() {
    std::ifstream file(WARPSCOPE_SOURCE_DIR "/tests/machine_code_facts.txt");
    std::vector<Fact> all;
    std::string line;
    while (std::getline(file, line)) {
        if (line.starts_with("#")) continue;
        std::istringstream words(line);
        std::string capabilities;
        std::string target;
        Fact fact;
        std::string reads;
        words >> capabilities >> std::hex >> fact.word.low >> fact.word.high >> std::dec >> fact.name >>
            fact.bytes >> target >> reads;
        EXPECT_FALSE(words.fail()) << line;
        std::istringstream list(capabilities);
        for (std::string number; std::getline(list, number, ',');)
            fact.architectures.push_back(std::stoi(number));
        if (target != "-") fact.target = std::stoi(target);
        std::istringstream registers(reads == "-" ? "" : reads);
        for (std::string number; std::getline(registers, number, ',');)
            fact.reads.push_back(std::stoi(number));
        all.push_back(std::move(fact));
    }
    return all;
}

TEST(MachineCode, InstructionsAreWhatTheDisassemblerCallsThem) {
    const std::vector<Fact> all = facts();
    ASSERT_GT(all.size(), 1000u);
    for (const Fact& fact : all) {
        for (const int architecture : fact.architectures) {
            const MachineInstruction made = decode_instruction(fact.word, kNowhere, architecture);
            const std::string where = ::testing::PrintToString(architecture) + " " + fact.name + " " +
                                      ::testing::PrintToString(made.opcode);
            EXPECT_EQ(made.name, fact.name) << where;
            EXPECT_EQ(made.bytes, fact.bytes) << where;
            EXPECT_EQ(made.target, fact.target ? kNowhere + *fact.target : -1) << where;
        }
    }
}

// What has a pipe whose operands are read from the registers by rule.
bool has_operands(const MachineInstruction& one) {
    if (one.name == "PLOP3" || one.name == "F2FP" || one.name == "FSWZADD" || one.name == "RPCMOV")
        return false;
    switch (one.pipe) {
        case MachinePipe::alu:
        case MachinePipe::fma:
        case MachinePipe::fma_heavy:
        case MachinePipe::fp16:
        case MachinePipe::fp64:
        case MachinePipe::xu:
            return true;
        case MachinePipe::lsu:
            return one.kind == MachineKind::load || one.kind == MachineKind::store ||
                   one.kind == MachineKind::shuffle;
        default:
            return false;
    }
}

TEST(MachineCode, OperandsAreTheRegistersThatTheDisassemblerNames) {
    int seen = 0;
    for (const Fact& fact : facts()) {
        for (const int architecture : fact.architectures) {
            const MachineInstruction made = decode_instruction(fact.word, kNowhere, architecture);
            if (!has_operands(made)) continue;
            std::vector<int> reads;
            for (const RegisterOperand& one : made.reads)
                if (one.count > 0) reads.push_back(one.first);
            EXPECT_EQ(reads, fact.reads) << architecture << " " << fact.name
                                         << fmt::format(" {:016x} {:016x}", fact.word.low, fact.word.high);
            seen += !reads.empty();
        }
    }
    EXPECT_GT(seen, 1500);
}

TEST(MachineCode, DoublesAndProductsOf64BitsReadPairs) {
    const auto of = [](std::uint64_t low, std::uint64_t high) {
        return decode_instruction({low, high}, 0, 90).reads;
    };
    using Operands = std::array<RegisterOperand, kOperands>;
    EXPECT_EQ(of(0x0000000a08067225, 0x0c), (Operands{{{8, 1}, {10, 1}, {12, 2}}})) << "IMAD.WIDE";
    EXPECT_EQ(of(0x0000000a0806722b, 0x0c), (Operands{{{8, 2}, {10, 2}, {12, 2}}})) << "DFMA";
    EXPECT_EQ(of(0x0000000a08067223, 0xff), (Operands{{{8, 1}, {10, 1}, {}}})) << "FFMA with RZ";
    EXPECT_EQ(of(0x0000000806007986, 0x0c10ed0a), (Operands{{{6, 2}, {8, 4}, {}}})) << "STG.128";
}

TEST(MachineCode, SpecialRegistersOfLanesComeFromTheLoadStoreUnit) {
    constexpr std::uint64_t kS2R = 0x0000000000047919;
    const auto pipe_of_number = [](std::uint64_t number) {
        return decode_instruction({kS2R, 0x000e220000000000 | number << 8}, 0, 90).pipe;
    };
    for (const std::uint64_t number : {0x00, 0x03, 0x20, 0x21, 0x22, 0x23, 0x38, 0x39, 0x3a, 0x3b, 0x3c})
        EXPECT_EQ(pipe_of_number(number), MachinePipe::lsu) << "lane, warp, TID and masks: " << number;
    for (const std::uint64_t number : {0x25, 0x26, 0x27, 0x43, 0x50})
        EXPECT_EQ(pipe_of_number(number), MachinePipe::adu) << "CTAID, multiprocessor, clock: " << number;
}

TEST(MachineCode, ControlBitsAreThoseOfPublicWork) {
    // 6 cycles, no hint, scoreboard 2 for the result, 1 for the operands, waits for 0 and 3, reuse of the
    // first operand.
    const std::uint64_t control = 6 | 1 << 4 | 2 << 5 | 1 << 8 | 0b001001 << 11 | 1 << 17;
    const MachineInstruction made = decode_instruction({0x981, control << 41}, 0, 90);
    EXPECT_EQ(made.control, (MachineControl{6, false, 2, 1, 0b001001, 1}));
    EXPECT_EQ(made.name, "LDG");
    EXPECT_TRUE(made.guarded) << "predicate 0";
    const MachineInstruction none = decode_instruction({0x7981, std::uint64_t(0x7e0) << 41}, 0, 90);
    EXPECT_EQ(none.control.write_barrier, -1);
    EXPECT_EQ(none.control.read_barrier, -1);
    EXPECT_TRUE(none.control.yield);
    EXPECT_FALSE(none.guarded);
}

// As NVIDIA's disassembler (13.0) reads them: BRA, @P0 BRA, BRA.U !UP0, BRA.DIV UR8, BRA.CONV UR8.
TEST(MachineCode, BranchesSayWhenTheyAreTaken) {
    struct Branch {
        std::uint64_t low, high;
        bool falls_through, if_diverged;
    };
    for (const Branch& one : {Branch{0xfffffffc00fc7947, 0x000fc0000383ffff, false, false},
                              Branch{0x0000000000340947, 0x000fea0003800000, true, false},
                              Branch{0xfffffff908d87547, 0x000fec000b83ffff, true, false},
                              Branch{0xfffffffa08d87947, 0x000fec000b83ffff, true, true},
                              Branch{0xfffffffb08d87947, 0x000fec000b83ffff, true, false}}) {
        const InstructionWord word{one.low, one.high};
        const MachineInstruction made = decode_instruction(word, 0x1000, 120);
        EXPECT_EQ(made.name, "BRA") << std::hex << one.low;
        EXPECT_EQ(may_fall_through(word, made), one.falls_through) << std::hex << one.low;
        EXPECT_EQ(made.if_diverged, one.if_diverged) << std::hex << one.low;
    }
}

TEST(MachineCode, AnOpcodeThatNobodyKnowsKeepsItsNumber) {
    const MachineInstruction made = decode_instruction({0x71ff, 0}, 0, 90);
    EXPECT_TRUE(made.name.empty());
    EXPECT_EQ(made.opcode, 0x1ff);
    EXPECT_EQ(made.pipe, MachinePipe::unknown);
    EXPECT_EQ(made.kind, MachineKind::unknown);
}

// ---- kernels

std::shared_ptr<const CompiledKernel> compiled(const Nvrtc& nvrtc, std::string_view text, int architecture,
                                               bool to_ptx = false) {
    CompileRequest request;
    request.name = "sample";
    request.text = text;
    request.entry = "kernel";
    request.architecture = architecture;
    request.to_ptx = to_ptx;
    const Result<CompiledKernel> made = nvrtc.compile(request);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.message());
    return made.ok() ? std::make_shared<const CompiledKernel>(made.value()) : nullptr;
}

std::shared_ptr<Nvrtc> compiler() {
    static const Result<std::shared_ptr<Nvrtc>> opened = Nvrtc::open();
    return opened.ok() ? opened.value() : nullptr;
}

void check_code(const MachineCode& code, std::size_t bytes, const std::string& what) {
    ASSERT_EQ(code.instructions.size() * kMachineInstructionBytes, bytes) << what;
    const InFlight flight = loads_in_flight(code);
    int covered = 0;
    for (const MachineBlock& block : code.blocks) {
        EXPECT_EQ(block.first, covered) << what;
        EXPECT_GT(block.end, block.first) << what;
        covered = block.end;
    }
    EXPECT_EQ(covered, int(code.instructions.size())) << what;
    for (std::size_t i = 0; i < code.instructions.size(); ++i) {
        const MachineInstruction& one = code.instructions[i];
        const std::string where =
            what + " at " + ::testing::PrintToString(one.address) + " " + std::string(one.name);
        EXPECT_FALSE(one.name.empty()) << where << " opcode " << std::hex << one.opcode;
        if (one.name == "BRA" || one.name == "BSSY") {
            EXPECT_GE(one.target, 0) << where;
            EXPECT_LT(one.target, int(bytes)) << where;
            EXPECT_EQ(one.target % kMachineInstructionBytes, 0) << where;
        }
        EXPECT_EQ(flight.unset[i], 0) << where << " waits for a scoreboard that nothing set";
        EXPECT_TRUE(one.control.write_barrier <= 5 && one.control.read_barrier <= 5) << where;
        const bool access = one.kind == MachineKind::load || one.kind == MachineKind::store;
        EXPECT_TRUE(!access || one.bytes > 0 || one.name == "LDSM") << where;
    }
    for (const LoadWait& pair : flight.waits) {
        if (pair.wait < 0) continue;
        const int board = code.instructions[std::size_t(pair.load)].control.write_barrier;
        EXPECT_TRUE(code.instructions[std::size_t(pair.wait)].control.waits >> board & 1) << what;
    }
}

// With WARPSCOPE_CUBINS=FOLDER the machine code of every kernel and what is read of it are kept there, for
// tools/machine-code-facts to compare with a disassembler.
void keep_for_a_disassembler(const CompiledKernel& kernel, const MachineCode& code) {
    const char* folder = std::getenv("WARPSCOPE_CUBINS");
    if (!folder) return;
    const std::string path =
        fmt::format("{}/{}_{}_{}", folder, code.architecture, kernel.source_name, kernel.entry);
    std::ofstream(path + ".cubin", std::ios::binary)
        .write(kernel.binary.data(), std::streamsize(kernel.binary.size()));
    std::ofstream read(path + ".txt");
    read << kernel.entry << '\n';
    for (const MachineInstruction& one : code.instructions)
        read << fmt::format("{:x} {} {} {}\n", one.address, one.name.empty() ? "?" : one.name, one.bytes,
                            one.target < 0 ? std::string("-") : fmt::format("{:x}", one.target));
}

class Architecture : public ::testing::TestWithParam<int> {};

TEST_P(Architecture, EveryKernelOfTheLabsIsRead) {
    CompileService service(testing::compiled_kernels());
    ASSERT_TRUE(service.compiler()) << service.why();
    WS_NEED_ARCHITECTURE(*service.compiler(), GetParam());
    const KernelLibrary library;
    const auto find = [&](std::string_view name) -> const KernelSource& { return library.find(name); };
    std::set<std::string> seen;
    for (const Lab* lab : labs()) {
        for (const Version& version : lab->versions) {
            const Work work = with_version(first_work(*lab), version);
            for (const StepRequest& step : step_requests(work, find)) {
                if (step.source->needs.number() > GetParam() || !seen.insert(step.source->name).second)
                    continue;
                const CompileOutcome outcome =
                    service.wait_for(compile_request(*lab, step, {GetParam(), false}));
                ASSERT_TRUE(outcome.kernel) << outcome.error;
                const CompiledKernel& kernel = *outcome.kernel;
                const Result<MachineCode> code = read_machine_code(kernel.binary, kernel.entry);
                ASSERT_TRUE(code.ok()) << step.source->name << ": " << code.message();
                EXPECT_EQ(code.value().architecture, GetParam());
                check_code(code.value(), code.value().instructions.size() * 16, step.source->name);
                keep_for_a_disassembler(kernel, code.value());
                int without = 0;
                for (const MachineInstruction& one : code.value().instructions)
                    without += one.line == 0 && one.kind != MachineKind::nothing;
                // What the assembler makes of its own, for the launch and around loops, has none.
                EXPECT_LE(without * 20, int(code.value().instructions.size()))
                    << step.source->name << " on " << GetParam() << ": instructions without a line";
            }
        }
    }
    EXPECT_GT(seen.size(), 20u);
}

INSTANTIATE_TEST_SUITE_P(Sm, Architecture, ::testing::ValuesIn(testing::kArchitectures));

// ---- atomics

constexpr const char* kAtomics = R"(extern "C" __global__ void kernel(unsigned* out, const unsigned* in) {
    __shared__ unsigned count, bins[256];
    if (threadIdx.x == 0) count = 0;
    bins[threadIdx.x] = 0;
    __syncthreads();
    const unsigned place = atomicAdd(&count, 1u);
    const unsigned before = atomicAdd(&bins[in[threadIdx.x] % 256], 2u);
    __syncthreads();
    out[threadIdx.x] = place + before + bins[place % 256];
}
)";

TEST(MachineCode, WhatAllLanesAddToOnePlaceOneDoesForThem) {
    const std::shared_ptr<Nvrtc> nvrtc = compiler();
    if (!nvrtc) GTEST_SKIP() << "no compiler";
    for (const int architecture : nvrtc->architectures()) {
        const auto kernel = compiled(*nvrtc, kAtomics, architecture);
        ASSERT_TRUE(kernel);
        const Result<MachineCode> code = read_machine_code(kernel->binary, kernel->entry);
        ASSERT_TRUE(code.ok()) << code.message();
        int at_count = 0;
        for (const MachineInstruction& one : code.value().instructions) {
            if (one.kind != MachineKind::atomic) continue;
            at_count += one.elected;
            EXPECT_EQ(one.elected, one.line == 6) << architecture << " line " << one.line;
        }
        EXPECT_GE(at_count, 1) << architecture;
    }
}

// ---- lines

constexpr const char* kLines = R"(__device__ __forceinline__ float twice(float x) {
    return x * __ldg(&x - 0 + 0 * threadIdx.x);
}
extern "C" __global__ void kernel(float* out, const double* in, const float4* wide) {
    __shared__ float s[64];
    s[threadIdx.x] = float(in[threadIdx.x]);
    __syncthreads();
    const float4 v = wide[threadIdx.x];
    const float w = s[63 - threadIdx.x];
    out[threadIdx.x] = v.x + v.y + v.z + v.w + w;
}
)";

TEST(MachineCode, AccessesHaveTheLineSpaceAndWidthOfTheSource) {
    const std::shared_ptr<Nvrtc> nvrtc = compiler();
    if (!nvrtc) GTEST_SKIP() << "no compiler";
    struct Wanted {
        MachineKind kind;
        MemorySpace space;
        int bytes, line;
        bool operator<(const Wanted& other) const {
            return std::tie(line, kind, space, bytes) <
                   std::tie(other.line, other.kind, other.space, other.bytes);
        }
        bool operator==(const Wanted&) const = default;
    };
    for (const int architecture : nvrtc->architectures()) {
        const auto kernel = compiled(*nvrtc, kLines, architecture);
        ASSERT_TRUE(kernel);
        const Result<MachineCode> code = read_machine_code(kernel->binary, kernel->entry);
        ASSERT_TRUE(code.ok()) << code.message();
        std::vector<Wanted> found;
        int barriers = 0;
        for (const MachineInstruction& one : code.value().instructions) {
            barriers += one.kind == MachineKind::barrier && one.line == 7;
            if (one.kind == MachineKind::load || one.kind == MachineKind::store)
                found.push_back({one.kind, one.space, one.bytes, one.line});
        }
        std::sort(found.begin(), found.end());
        const std::vector<Wanted> wanted{{MachineKind::load, MemorySpace::global, 8, 6},
                                         {MachineKind::store, MemorySpace::shared, 4, 6},
                                         {MachineKind::load, MemorySpace::global, 16, 8},
                                         {MachineKind::load, MemorySpace::shared, 4, 9},
                                         {MachineKind::store, MemorySpace::global, 4, 10}};
        EXPECT_EQ(found, wanted) << architecture;
        EXPECT_EQ(barriers, 1) << architecture;
        EXPECT_GE(loads_in_flight(code.value()).most, 1);
        EXPECT_NE(ptx_in(kernel->binary).find(".entry kernel"), std::string::npos);
    }
}

// As another compilation says it, with comments and lines of the source: of the same text, and of others.
TEST(MachineCode, ThePtxInACubinIsKnownAgain) {
    const std::shared_ptr<Nvrtc> nvrtc = compiler();
    if (!nvrtc) GTEST_SKIP() << "no NVRTC";
    for (const int architecture : nvrtc->architectures()) {
        const auto kernel = compiled(*nvrtc, kLines, architecture);
        const auto ptx = compiled(*nvrtc, kLines, architecture, true);
        const std::string text(ptx->binary.begin(), ptx->binary.end());
        const std::string in_cubin = ptx_in(kernel->binary);
        EXPECT_NE(text.find(".loc"), std::string::npos);
        EXPECT_NE(text, in_cubin);
        EXPECT_TRUE(is_same_ptx(in_cubin, text)) << architecture;
        EXPECT_TRUE(is_same_ptx(in_cubin, in_cubin));
        EXPECT_TRUE(is_same_ptx(in_cubin, text + "\n// the end\n"));
        EXPECT_FALSE(is_same_ptx(in_cubin, "\n" + text)) << "each line is another one";
        EXPECT_FALSE(is_same_ptx(in_cubin, text + "\n.visible .entry other() { ret; }"));
        EXPECT_FALSE(is_same_ptx(in_cubin + "\n.visible .entry other() { ret; }", text));
        for (const char* word : {"ld.global", "bar.sync", ".target", "%r1"}) {
            std::string other = text;
            const std::size_t at = other.rfind(word);
            ASSERT_NE(at, std::string::npos) << word;
            other[at + 1] = 'x';
            EXPECT_FALSE(is_same_ptx(in_cubin, other)) << word;
            other.erase(at);
            EXPECT_FALSE(is_same_ptx(in_cubin, other)) << word;
        }
    }
}

// ---- damage

// The compiler puts `after` first into the table, whose rows count from each kernel's own first one.
TEST(MachineCode, WhatAKernelCallsOfAHeaderHasTheLineOfItsOwnCall) {
    const std::shared_ptr<Nvrtc> nvrtc = compiler();
    if (!nvrtc) GTEST_SKIP() << "no NVRTC";
    const std::map<std::string, int> calls{{"scale", 4}, {"after", 8}};
    for (const auto& [entry, line] : calls) {
        CompileRequest request;
        request.name = "two";
        request.text = R"(#include "twice.cuh"

extern "C" __global__ void scale(float* target) {
    twice(target);
}

extern "C" __global__ void after(float* target) {
    twice(target);
}
)";
        request.entry = entry;
        request.headers.push_back(
            {"twice.cuh", R"(static __device__ __forceinline__ void twice(float* target) {
    target[threadIdx.x] = 2 * target[threadIdx.x] + 1;
}
)"});
        request.architecture = 90;
        const auto made = nvrtc->compile(request);
        ASSERT_TRUE(made.ok()) << made.message();
        const Result<MachineCode> code = read_machine_code(made.value().binary, entry);
        ASSERT_TRUE(code.ok()) << code.message();
        int at_call = 0;
        for (const MachineInstruction& one : code.value().instructions) {
            EXPECT_NE(one.line, 12 - line) << entry << ": " << one.name;
            at_call += one.line == line;
        }
        EXPECT_GT(at_call, 2) << entry;
    }
}

TEST(MachineCode, LocalAccessesAreCountedAndPaddingIsNot) {
    MachineCode code;
    const auto add = [&](std::string_view name, MachineKind kind, MemorySpace space = MemorySpace::none) {
        MachineInstruction one;
        one.name = name;
        one.kind = kind;
        one.space = space;
        code.instructions.push_back(one);
    };
    EXPECT_EQ(without_padding(code), 0);
    add("STL", MachineKind::store, MemorySpace::local);
    add("NOP", MachineKind::nothing);
    add("LDL", MachineKind::load, MemorySpace::local);
    add("LDL", MachineKind::load, MemorySpace::local);
    add("LDG", MachineKind::load, MemorySpace::global);
    add("EXIT", MachineKind::exit);
    EXPECT_EQ(without_padding(code), 6) << "one between others is executed";
    add("NOP", MachineKind::nothing);
    add("NOP", MachineKind::nothing);
    EXPECT_EQ(without_padding(code), 6);
    EXPECT_EQ(local_accesses(code).stores, 1);
    EXPECT_EQ(local_accesses(code).loads, 2);
}

TEST(MachineCode, ADamagedCubinIsRefusedOrReadNeverMore) {
    const std::shared_ptr<Nvrtc> nvrtc = compiler();
    if (!nvrtc) GTEST_SKIP() << "no compiler";
    const auto kernel = compiled(*nvrtc, kLines, 80);
    ASSERT_TRUE(kernel);
    const std::vector<char>& whole = kernel->binary;
    std::mt19937 random(7);
    int refused = 0;
    for (int round = 0; round < 4000; ++round) {
        std::vector<char> damaged = whole;
        if (round % 4 == 0) damaged.resize(random() % damaged.size());
        for (unsigned i = 0; !damaged.empty() && i < 1 + round % 8u; ++i)
            damaged[random() % damaged.size()] = char(random());
        const Result<MachineCode> code = read_machine_code(damaged, kernel->entry);
        refused += !code.ok();
        if (code.ok()) static_cast<void>(loads_in_flight(code.value()));
        static_cast<void>(ptx_in(damaged));
    }
    EXPECT_GT(refused, 900);
    EXPECT_FALSE(read_machine_code(whole, "other").ok());
}

}  // namespace
}  // namespace ws
