// Machine code of kernels against the interpreter: results to the bit, counts to the last one.

#include "gpu/simt/translation.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <regex>
#include <string>
#include <vector>

#include "gpu/simt/program.h"
#include "ptx_instructions.h"
#include "ptx_operands.h"
#include "simt_support.h"

namespace ws {
namespace {

using simt::Translate;
using testing::Kernel;

#define WS_NEED_TRANSLATOR() \
    if (!translates()) GTEST_SKIP() << "needs AsmJit, AVX-512 and memory that may become executable"

bool translates() {
    static const bool can = [] {
        const auto program = simt::load_program(testing::kHead + "ret;\n}\n", "k");
        return program.ok() && simt::Translation::of(*program.value()) != nullptr;
    }();
    return can;
}

// Two and a half warps, so that one of them is never full.
constexpr int kThreads = 80;

// ---- every instruction

// The registers of each kind that instructions here name, 0 to kRegisters - 1.
constexpr int kRegisters = 6;
struct Kind {
    const char* prefix;
    const char* type;
    int bytes;
};
constexpr std::array<Kind, 5> kKinds{
    {{"%rs", "u16", 2}, {"%r", "u32", 4}, {"%rd", "u64", 8}, {"%f", "f32", 4}, {"%fd", "f64", 8}}};
constexpr int kBytesOfThread = kRegisters * (2 + 4 + 8 + 4 + 8) + kRegisters * 4 + 4;  // predicates as words

const std::string kInstructionHead =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
    ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>; .reg .f32 %f<9>; .reg .f64 "
    "%fd<9>;\n"
    "ld.param.u64 %rd10, [out]; ld.param.u64 %rd11, [in]; mov.u32 %r10, %tid.x;\n";

// For each register what `form` says of it, "OP" and "PLACE" replaced.
std::string for_registers(const std::string& form) {
    std::string made;
    int at = 0;
    for (const Kind& kind : kKinds) {
        for (int i = 0; i < kRegisters; ++i, at += kThreads * kind.bytes) {
            std::string one = std::regex_replace(form, std::regex("TYPE"), kind.type);
            one = std::regex_replace(one, std::regex("REG"), kind.prefix + std::to_string(i));
            one = std::regex_replace(one, std::regex("BYTES"), std::to_string(kind.bytes));
            made += std::regex_replace(one, std::regex("PLACE"), std::to_string(at));
        }
    }
    return made;
}

// Loads the registers, executes the instruction for all, for some and for all threads, stores the registers.
std::string program_of(const std::string& instruction) {
    const std::string load = for_registers(
        "mul.wide.u32 %rd12, %r10, BYTES; add.s64 %rd12, %rd12, %rd11; ld.global.TYPE REG, [%rd12+PLACE];\n");
    const std::string store = for_registers(
        "mul.wide.u32 %rd12, %r10, BYTES; add.s64 %rd12, %rd12, %rd10; st.global.TYPE [%rd12+PLACE], REG;\n");
    std::string predicates;
    std::string of_predicates;
    for (int i = 0; i < kRegisters; ++i) {
        const std::string n = std::to_string(i);
        predicates += "bfe.u32 %r11, %r5, " + n + ", 1; setp.ne.u32 %p" + n + ", %r11, 0;\n";
        of_predicates +=
            "selp.u32 %r11, 1, 0, %p" + n + "; add.u32 %r12, %r12, %r12; or.b32 %r12, %r12, %r11;\n";
    }
    return kInstructionHead + load + predicates + instruction + ";\n" +
           // Odd lanes jump over it.
           "and.b32 %r11, %r10, 1; setp.ne.u32 %p8, %r11, 0; @%p8 bra BEHIND;\n" + instruction +
           ";\nBEHIND:\n" + instruction + ";\nmov.u32 %r12, 0;\n" + of_predicates + store +
           "mul.wide.u32 %rd12, %r10, 4; add.s64 %rd12, %rd12, %rd10;\nst.global.u32 [%rd12+" +
           std::to_string(kThreads * (kBytesOfThread - 4 - kRegisters * 4)) + "], %r12;\nret;\n}\n";
}

// Numbers of which many are special: zeros, infinities, no numbers, subnormal ones, small integers, limits.
std::vector<std::uint8_t> inputs() {
    std::vector<std::uint8_t> made(std::size_t(kThreads * kBytesOfThread));
    std::mt19937 random(5);
    static constexpr std::uint32_t kSpecial[] = {
        0,          0x80000000, 0x7F800000, 0xFF800000, 0x7FC00001, 0xFFC12345, 0x7F812345, 1,
        0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000, 0x4F000000, 0xCF000000, 0x4EFFFFFF,
        0x7F7FFFFF, 0xFFFFFFFF, 31,         32,         33,         63,         64,         0x3210};
    for (std::size_t at = 0; at + 4 <= made.size(); at += 4) {
        const std::uint32_t value = random() % 2 == 0   ? kSpecial[random() % std::size(kSpecial)]
                                    : random() % 3 == 0 ? std::uint32_t(0x3F000000 + random() % 0x2000000)
                                                        : std::uint32_t(random());
        std::memcpy(&made[at], &value, sizeof value);
    }
    return made;
}

// The operands name register 1 of each kind over and over: now one after the other, or the result again.
std::string with_registers(const std::string& operands, bool overwrites) {
    static const std::regex kRegister("(%rs|%rd|%r|%fd|%f|%p)1(?![0-9])");
    std::string made;
    int next = 0;
    auto from = operands.cbegin();
    for (std::sregex_iterator one(operands.begin(), operands.end(), kRegister), end; one != end; ++one) {
        made.append(from, operands.cbegin() + one->position());
        made += (*one)[1].str() + std::to_string(overwrites && next == 1 ? 0 : next);
        ++next;
        from = operands.cbegin() + one->position() + one->length();
    }
    return made.append(from, operands.cend());
}

struct TranslatedRun {
    std::vector<std::uint8_t> out;
    InstructionCounts total;
    std::map<int, InstructionCounts> lines;
    std::string findings;
    friend bool operator==(const TranslatedRun&, const TranslatedRun&) = default;
};

TranslatedRun run(const std::string& ptx, Translate translate, std::vector<std::uint8_t> in,
                  std::size_t out_bytes, int threads, int grid = 1) {
    TranslatedRun made;
    // Every byte another one, so that a lane that gets another lane's is seen.
    std::mt19937 random(11);
    made.out.resize(out_bytes);
    for (std::uint8_t& byte : made.out) byte = std::uint8_t(random());
    Kernel kernel = Kernel::from_ptx(ptx, "k");
    kernel.options().check = false;
    kernel.options().threads = 1;
    const simt::LaunchOutcome outcome =
        kernel.translate(translate).buffer(made.out).buffer(in).run({grid, 1, 1}, {threads, 1, 1});
    made.total = outcome.counters.total;
    made.lines = testing::counts_by_line(outcome);
    made.findings = testing::findings_text(outcome);
    return made;
}

TEST(SimtTranslation, EveryInstructionGivesTheSame) {
    WS_NEED_TRANSLATOR();
    const std::vector<std::uint8_t> in = inputs();
    int compared = 0;
    for (const std::span<const testing::InstructionForms> chapter : testing::kAllInstructions) {
        if (chapter.data() == std::data(testing::kMemory)) break;  // what follows is more than registers
        for (const testing::InstructionForms& forms : chapter) {
            for (const std::string& opcode : testing::expanded(std::string(forms.opcodes))) {
                for (const bool overwrites : {false, true}) {
                    const std::string ptx =
                        program_of(opcode + " " +
                                   with_registers(testing::operands_of(opcode, forms.operands), overwrites));
                    if (!simt::load_program(ptx, "k").ok()) continue;  // simt_unsupported_test has those
                    const TranslatedRun expected = run(ptx, Translate::never, in, in.size(), kThreads);
                    const TranslatedRun made = run(ptx, Translate::at_once, in, in.size(), kThreads);
                    ++compared;
                    EXPECT_EQ(made, expected) << opcode << (overwrites ? ", onto a source" : "");
                }
            }
        }
    }
    EXPECT_GT(compared, 2000);
}

// ---- memory

// The threads that access, as code that leaves %p2 for those that do not.
constexpr std::pair<const char*, const char*> kWho[] = {
    {"all", "setp.ne.u32 %p2, %r10, %r10;\n"},
    {"the same ones each turn", "and.b32 %r15, %r10, 5; setp.eq.u32 %p2, %r15, 4;\n"},
    {"others each turn", "add.u32 %r15, %r10, %r11; and.b32 %r15, %r15, 3; setp.eq.u32 %p2, %r15, 1;\n"},
    {"one", "setp.ne.u32 %p2, %r10, 37;\n"},
};

// Eight times: each thread that accesses loads from an index that a table has for the thread and the turn,
// and stores what it loaded at another such place.
std::string access_program(const std::string& space, const std::string& type, const std::string& registers,
                           int bytes, int count, const std::string& who) {
    std::string values;
    for (int i = 0; i < count; ++i) values += (i > 0 ? ", " : "") + registers + std::to_string(i);
    const std::string vector = count == 1 ? values : "{" + values + "}";
    const std::string opcode = (count == 1 ? "." : ".v" + std::to_string(count) + ".") + type + " ";
    const std::string size = std::to_string(bytes * count);
    const bool shared = space == "shared";
    const std::string address =
        shared ? "mul.lo.u32 %r13, %r12, " + size + ";\nmov.u32 %r14, cells;\nadd.u32 %r13, %r13, %r14;\n"
               : "mul.wide.u32 %rd13, %r12, " + size + ";\nadd.s64 %rd13, %rd13, %rd10;\n";
    const std::string base = shared ? "%r13" : "%rd13";
    return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 "
           "in)\n{\n"
           ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>;\n"
           ".shared .align 16 .b8 cells[8192];\n"
           "ld.param.u64 %rd10, [out]; ld.param.u64 %rd11, [in]; mov.u32 %r10, %tid.x; mov.u32 %r11, 0;\n"
           // Words that all differ; of other spaces the buffer has them.
           "mov.u32 %r14, cells; mov.u32 %r16, %r10;\nFILL:\nmul.lo.u32 %r17, %r16, 2654435761;\n"
           "shl.b32 %r18, %r16, 2; add.u32 %r18, %r18, %r14; st.shared.u32 [%r18], %r17;\n"
           "add.u32 %r16, %r16, 64; setp.lt.u32 %p1, %r16, 2048; @%p1 bra FILL;\nbar.sync 0;\n"
           ".loc 1 1 0\nTURN:\n"
           "mad.lo.u32 %r12, %r11, 64, %r10; mul.wide.u32 %rd12, %r12, 4; add.s64 %rd12, %rd12, %rd11;\n"
           "ld.global.u32 %r12, [%rd12];\n" +
           address + who + "@%p2 bra BEHIND;\n.loc 1 2 0\nld." + space + opcode + vector + ", [" + base +
           "+16];\n.loc 1 3 0\nst." + space + opcode + "[" + base + "+32], " + vector +
           ";\nBEHIND:\nadd.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 8; @%p1 bra TURN;\nret;\n}\n.file 1 "
           "\"k.cu\"\n";
}

// Indices of 64 threads in 8 turns.
using Index = int (*)(int thread, int turn);
constexpr std::pair<const char*, Index> kIndices[] = {
    {"a row", [](int thread, int turn) { return thread + turn; }},
    {"one for all", [](int, int turn) { return 7 * turn; }},
    {"two columns", [](int thread, int turn) { return 2 * thread + turn; }},
    {"every fourth", [](int thread, int turn) { return 4 * thread + turn; }},
    {"rows of 8", [](int thread, int turn) { return thread % 8 + 20 * (thread / 8) + turn; }},
    {"rows of 16", [](int thread, int turn) { return thread % 16 + 40 * (thread / 16) + turn; }},
    {"rows of 4", [](int thread, int turn) { return thread % 4 + 12 * (thread / 4) + turn; }},
    {"backwards", [](int thread, int turn) { return 100 - thread + turn; }},
    {"pairs", [](int thread, int) { return thread / 2; }},
    {"another pattern each turn", [](int thread, int turn) { return thread * (turn % 3) + turn; }},
    {"beyond the end", [](int thread, int turn) { return thread + turn * 16; }},
    {"far beyond it", [](int thread, int turn) { return turn < 4 ? thread : thread + (turn << 24); }},
};

TEST(SimtTranslation, AccessesGoAndCountTheSame) {
    WS_NEED_TRANSLATOR();
    struct Form {
        const char* type;
        const char* registers;
        int bytes;
        int count;
    };
    static constexpr Form kForms[] = {{"u8", "%r", 1, 1},   {"s8", "%r", 1, 1},   {"u8", "%rs", 1, 1},
                                      {"s8", "%rs", 1, 1},  {"u16", "%rs", 2, 1}, {"s16", "%r", 2, 1},
                                      {"u32", "%r", 4, 1},  {"u32", "%rd", 4, 1}, {"s32", "%rd", 4, 1},
                                      {"u64", "%rd", 8, 1}, {"u8", "%rs", 1, 4},  {"s8", "%r", 1, 4},
                                      {"u16", "%rs", 2, 2}, {"u8", "%rs", 1, 2},  {"u16", "%rs", 2, 4},
                                      {"u32", "%r", 4, 2},  {"u32", "%r", 4, 4},  {"u64", "%rd", 8, 2}};
    for (const Form& form : kForms) {
        for (const auto& [name, index] : kIndices) {
            std::vector<std::uint32_t> indices;
            for (int i = 0; i < 8 * 64; ++i) indices.push_back(std::uint32_t(index(i % 64, i / 64)));
            std::vector<std::uint8_t> in(indices.size() * 4);
            std::memcpy(in.data(), indices.data(), in.size());
            for (const auto& [who, chosen] : kWho) {
                for (const char* space : {"global", "shared"}) {
                    const std::string ptx =
                        access_program(space, form.type, form.registers, form.bytes, form.count, chosen);
                    // 203 elements and the offset: the rows end just before it and beyond.
                    const std::size_t bytes = std::size_t(203 * form.bytes * form.count + 35);
                    for (const int threads : {64, 48}) {
                        const TranslatedRun expected = run(ptx, Translate::never, in, bytes, threads, 3);
                        EXPECT_EQ(run(ptx, Translate::at_once, in, bytes, threads, 3), expected)
                            << space << " " << form.type << " x " << form.count << " in " << form.registers
                            << ", " << name << ", " << who;
                    }
                }
            }
        }
    }
}

// ---- lanes that go apart

// Loops that lanes leave one after the other, one side, two sides, one within the other, a barrier in
// between, an end for some; what the lanes hold before and behind is stored.
TEST(SimtTranslation, LanesGoApartAndMeetTheSame) {
    WS_NEED_TRANSLATOR();
    static constexpr const char* kLoops[] = {
        // A side, of which the lanes that pass it read what it leaves as it was.
        "@%p1 bra MEET;\nadd.u32 %r2, %r2, %r3; xor.b32 %r3, %r2, %r10;\nMEET:\n",
        "@!%p1 bra MEET;\nadd.u32 %r2, %r2, %r3; not.pred %p3, %p2; add.s64 %rd1, %rd1, 7;\nMEET:\n",
        // Two sides.
        "@%p1 bra ELSE;\nadd.u32 %r2, %r2, 5; bra MEET;\nELSE:\nmul.lo.u32 %r2, %r2, 3;\nMEET:\n",
        // A side within a side.
        "@%p1 bra MEET;\nadd.u32 %r2, %r2, 1;\n@%p2 bra INNER;\nadd.u32 %r2, %r2, %r3;\nINNER:\n"
        "xor.b32 %r3, %r3, %r2;\nMEET:\n",
        // A loop of as many rounds as the lane's number says, with a side in it.
        "and.b32 %r4, %r10, 7;\nROUND:\nadd.u32 %r2, %r2, %r4;\n@%p2 bra INNER;\nadd.u32 %r3, %r3, %r2;\n"
        "INNER:\nsub.u32 %r4, %r4, 1; setp.gt.s32 %p4, %r4, 0;\n@%p4 bra ROUND;\n",
        // A loop that some lanes never begin.
        "@%p1 bra MEET;\nmov.u32 %r4, 3;\nROUND:\nmad.lo.u32 %r2, %r2, 3, %r4; sub.u32 %r4, %r4, 1;\n"
        "setp.ne.u32 %p4, %r4, 0;\n@%p4 bra ROUND;\nMEET:\n",
        // What the interpreter does, on a side and behind it.
        "@%p1 bra MEET;\nmul.hi.u32 %r2, %r2, %r10;\nMEET:\nmul.hi.u32 %r3, %r3, 123456789;\n",
        // An end for some, and a barrier for the others.
        "@%p1 ret;\nadd.u32 %r2, %r2, 9;\n",
        "@%p1 bra MEET;\nadd.u32 %r2, %r2, 9;\nMEET:\nbar.sync 0;\nadd.u32 %r3, %r3, 1;\n",
        // Loads and stores on a side.
        "@%p1 bra MEET;\nld.global.u32 %r4, [%rd1]; add.u32 %r2, %r2, %r4; st.global.u32 [%rd1+4096], "
        "%r2;\nMEET:\n",
    };
    static constexpr const char* kConditions[] = {
        "setp.lt.u32 %p1, %r10, 7; ",    "and.b32 %r4, %r10, 1; setp.eq.u32 %p1, %r4, 1; ",
        "setp.ge.u32 %p1, %r10, 32; ",   "setp.eq.u32 %p1, %r10, 0; ",
        "setp.eq.u32 %p1, %r10, %r10; ",
    };
    std::vector<std::uint8_t> in(64);
    for (const char* body : kLoops) {
        for (const char* condition : kConditions) {
            const std::string ptx =
                ".version 8.0\n.target sm_90\n.address_size 64\n"
                ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                ".reg .pred %p<9>; .reg .b32 %r<19>; .reg .b64 %rd<19>;\n"
                "ld.param.u64 %rd10, [out]; mov.u32 %r10, %tid.x; mul.wide.u32 %rd1, %r10, 4;\n"
                "add.s64 %rd1, %rd1, %rd10; mov.u32 %r2, 3; mul.lo.u32 %r3, %r10, 77;\n"
                "and.b32 %r5, %r10, 6; setp.eq.u32 %p2, %r5, 2; setp.ne.u32 %p3, %r5, 4; mov.u32 %r6, 0;\n" +
                std::string(condition) + ".loc 1 1 0\nTURN:\n.loc 1 2 0\n" + body +
                ".loc 1 3 0\nselp.u32 %r7, 1, 0, %p3; add.u32 %r3, %r3, %r7; cvt.u32.u64 %r7, %rd1;\n"
                "sub.u32 %r7, %r7, %r10; add.u32 %r6, %r6, 1; setp.lt.u32 %p5, %r6, 4; @%p5 bra TURN;\n"
                "mul.wide.u32 %rd2, %r10, 12; add.s64 %rd2, %rd2, %rd10;\n"
                "st.global.u32 [%rd2+1024], %r2; st.global.u32 [%rd2+1028], %r3; st.global.u32 [%rd2+1032], "
                "%r7;\nret;\n}\n.file 1 \"k.cu\"\n";
            for (const int threads : {64, 48}) {
                const TranslatedRun expected = run(ptx, Translate::never, in, 8192, threads, 2);
                EXPECT_EQ(run(ptx, Translate::at_once, in, 8192, threads, 2), expected)
                    << threads << " threads, " << condition << "\n"
                    << body;
            }
        }
    }
}

// ---- lanes that look at each other

// Of what the operands say, and of registers that have them.
TEST(SimtTranslation, ShufflesReadTheSameLanes) {
    WS_NEED_TRANSLATOR();
    std::vector<std::uint8_t> in = inputs();
    int compared = 0;
    for (const std::string mode : {"up", "down", "bfly", "idx"}) {
        for (const std::string moves : {"1", "2", "7", "16", "31", "35", "%r4"}) {
            for (const std::string ends : {"0", "31", "0x1C1F", "0x1800", "0x0F07", "%r3"}) {
                for (const std::string members : {"0xFFFFFFFF", "0x0F0F0F0F", "%r2"}) {
                    // Onto a register of its own, and onto its source.
                    for (const std::string to : {"%r0|%p0", "%r0", "%r1|%p1"}) {
                        const std::string ptx = program_of("shfl.sync." + mode + ".b32 " + to + ", %r1, " +
                                                           moves + ", " + ends + ", " + members);
                        const TranslatedRun expected = run(ptx, Translate::never, in, in.size(), kThreads);
                        EXPECT_EQ(run(ptx, Translate::at_once, in, in.size(), kThreads), expected)
                            << mode << " " << to << " by " << moves << ", " << ends << ", " << members;
                        ++compared;
                    }
                }
            }
        }
    }
    EXPECT_EQ(compared, 4 * 7 * 6 * 3 * 3);
}

// ---- what the code knows

TEST(SimtTranslation, ConstantsGiveTheSame) {
    WS_NEED_TRANSLATOR();
    const std::vector<std::uint8_t> in = inputs();
    std::vector<std::string> instructions;
    for (const std::string selector : {"0x7440", "0x7441", "0x0040", "0x5410", "0x7434", "0x7444", "0x3210",
                                       "0x7654", "0x9440", "0x12345410", "0x00F0"}) {
        for (const std::string second : {"0x4B000000", "0", "0x89ABCDEF", "%r2"}) {
            for (const std::string to : {"%r0", "%r1", "%r2"})
                instructions.push_back("prmt.b32 " + to + ", %r1, " + second + ", " + selector);
        }
    }
    for (const std::string weights : {"0x01020304", "0x7F7F7F7F", "0x80000000", "0xFFFFFFFF", "0"}) {
        for (const std::string sum : {"0", "5", "%r3", "%r1"}) {
            for (const std::string to : {"%r0", "%r1", "%r3"}) {
                instructions.push_back("dp4a.u32.u32 " + to + ", %r1, " + weights + ", " + sum);
                instructions.push_back("dp4a.s32.u32 " + to + ", %r1, " + weights + ", " + sum);
            }
        }
    }
    for (const std::string& instruction : instructions) {
        const std::string ptx = program_of(instruction);
        const TranslatedRun expected = run(ptx, Translate::never, in, in.size(), kThreads);
        EXPECT_EQ(run(ptx, Translate::at_once, in, in.size(), kThreads), expected) << instruction;
    }
}

// ---- asynchronous copies

// Six times: each thread copies to shared memory from an index that a table has for it and the turn, of as
// many bytes as another one has, waits for all groups but the last two, and stores what lies there now.
std::string copy_program(int bytes, const std::string& target, bool sized, bool commits) {
    const std::string size = std::to_string(bytes);
    return ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 "
           "in)\n{\n.reg .pred %p<9>; .reg .b32 %r<29>; .reg .b64 %rd<19>;\n"
           ".shared .align 16 .b8 cells[4096];\n"
           "ld.param.u64 %rd10, [out]; ld.param.u64 %rd11, [in]; mov.u32 %r10, %tid.x; mov.u32 %r11, 0;\n"
           "mov.u32 %r14, cells;\n" +
           target + " mul.lo.u32 %r15, %r15, " + size + ";\nadd.u32 %r14, %r14, %r15;\n.loc 1 1 0\nTURN:\n" +
           "mad.lo.u32 %r12, %r11, 64, %r10; mul.wide.u32 %rd12, %r12, 8; add.s64 %rd12, %rd12, %rd11;\n"
           "ld.global.u32 %r12, [%rd12]; ld.global.u32 %r13, [%rd12+4];\n"
           "mul.wide.u32 %rd13, %r12, " +
           size + ";\nadd.s64 %rd13, %rd13, %rd11;\n" +
           ".loc 1 2 0\ncp.async.ca.shared.global [%r14+16], [%rd13+16], " + size + (sized ? ", %r13" : "") +
           ";\n.loc 1 3 0\n" + (commits ? "cp.async.commit_group;\n" : "") +
           "cp.async.wait_group 2;\n.loc 1 4 0\nld.shared.u32 %r16, [%r14+16];\n"
           "mad.lo.u32 %r17, %r11, 64, %r10; mul.wide.u32 %rd14, %r17, 4; add.s64 %rd14, %rd14, %rd10;\n"
           "st.global.u32 [%rd14], %r16;\n"
           "add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 6; @%p1 bra TURN;\n"
           "cp.async.wait_all;\nld.shared.u32 %r16, [%r14+16];\n"
           "mad.lo.u32 %r17, %r11, 64, %r10; mul.wide.u32 %rd14, %r17, 4; add.s64 %rd14, %rd14, %rd10;\n"
           "st.global.u32 [%rd14], %r16;\nret;\n}\n.file 1 \"k.cu\"\n";
}

TEST(SimtTranslation, CopiesGoAndCountTheSame) {
    WS_NEED_TRANSLATOR();
    using Size = int (*)(int thread, int turn, int bytes);
    static constexpr std::pair<const char*, Size> kSizes[] = {
        {"all of it", [](int, int, int bytes) { return bytes; }},
        {"more than there is", [](int, int, int bytes) { return 2 * bytes; }},
        {"nothing at times", [](int, int turn, int bytes) { return turn % 2 * bytes; }},
        {"not at the border", [](int thread, int, int bytes) { return thread % 32 > 2 ? bytes : 0; }},
        {"every third", [](int thread, int turn, int bytes) { return (thread + turn) % 3 == 0 ? bytes : 0; }},
        {"a part", [](int thread, int turn, int bytes) { return thread == 9 && turn == 4 ? 3 : bytes; }},
    };
    for (const auto& [index_name, index] : kIndices) {
        for (const auto& [size_name, size] : kSizes) {
            for (const int bytes : {4, 8, 16}) {
                std::vector<std::uint32_t> words;
                for (int turn = 0; turn < 6; ++turn) {
                    for (int thread = 0; thread < 64; ++thread) {
                        words.push_back(std::uint32_t(index(thread, turn)));
                        words.push_back(std::uint32_t(size(thread, turn, bytes)));
                    }
                }
                std::vector<std::uint8_t> in(words.size() * 4);
                std::memcpy(in.data(), words.data(), in.size());
                // A row, a column, backwards; beyond the end.
                for (const char* target : {"mov.u32 %r15, %r10;", "mul.lo.u32 %r15, %r10, 3;",
                                           "sub.u32 %r15, 63, %r10;", "mul.lo.u32 %r15, %r10, 40;"}) {
                    for (const bool sized : {true, false}) {
                        if (!sized && size != kSizes[0].second) continue;  // it has none
                        for (const bool commits : {false, true}) {
                            const std::string ptx = copy_program(bytes, target, sized, commits);
                            const TranslatedRun expected = run(ptx, Translate::never, in, 6 * 64 * 4, 64, 3);
                            EXPECT_EQ(run(ptx, Translate::at_once, in, 6 * 64 * 4, 64, 3), expected)
                                << bytes << " bytes, " << index_name << ", " << size_name << ", " << target
                                << (commits ? "" : ", no groups");
                        }
                    }
                }
            }
        }
    }
}

// ---- when

TEST(SimtTranslation, IsMadeOnlyOfWhatIsHot) {
    WS_NEED_TRANSLATOR();
    const auto program = simt::load_program(testing::kHead + "ret;\n}\n", "k").value();
    const simt::TranslationOnDemand& translation = program->translation;
    EXPECT_EQ(translation.after(100, *program, Translate::when_hot), nullptr);
    EXPECT_EQ(translation.after(1'000'000, *program, Translate::never), nullptr);
    const simt::Translation* made = translation.after(1'000'000, *program, Translate::when_hot);
    EXPECT_NE(made, nullptr);
    EXPECT_EQ(translation.after(0, *program, Translate::at_once), made);
    EXPECT_EQ(translation.after(0, *program, Translate::never), nullptr);
}

// A loop without an end stops, and the message is that of the interpreter.
TEST(SimtTranslation, EndlessLoopsAreStopped) {
    WS_NEED_TRANSLATOR();
    const std::string ptx = testing::kHead + "LOOP: add.u32 %r1, %r1, 1;\nbra LOOP;\nret;\n}\n";
    std::array<std::string, 2> messages;
    for (const Translate translate : {Translate::never, Translate::at_once}) {
        Kernel kernel = Kernel::from_ptx(ptx, "k");
        kernel.options().check = false;
        kernel.options().step_limit = 3'000'000;
        std::vector<int> none(1);
        const auto outcome = kernel.translate(translate).buffer(none).value(0).run({1, 1, 1}, {64, 1, 1});
        EXPECT_TRUE(outcome.stopped);
        messages[translate == Translate::never] = testing::findings_text(outcome);
    }
    EXPECT_EQ(messages[0], messages[1]);
}

}  // namespace
}  // namespace ws
