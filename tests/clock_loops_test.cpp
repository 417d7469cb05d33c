// Loops of instructions whose registers and scoreboards are chosen, by warps of one block: the clocks in
// which a scheduler is through with each, for one warp, as tools/register-ports measured them on an H200
// (2026-11-26; those that do not fit into its loop evenly on 2026-11-30). What the clock has of schedulers,
// the register file and the way to the load/store unit.

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "gpu/analysis/profiles.h"
#include "tests/clock_programs.h"

namespace ws {
namespace {

using namespace ws::testing;

struct Loop {
    const char* pattern;  // as the tool has it
    // With 1, 4 and 8 warps of one scheduler, and 8 of each of four.
    double one, four, eight, of_all;
    double four_within = 0.25, eight_within = 0.15;
};

constexpr Loop kLoops[] = {
    {"ffma eoe", 2.02, 2, 2, 2},
    {"ffma eee, ffma ooo", 3.04, 3, 3, 3},
    {"imad EEE, ffma OOO, ffma OOO", 4.06, 4.01, 4.01, 4.01},
    {"wide EEp, nop, nop", 5.14, 5.09, 5.09, 5.09},
    {"4*lop3 ZZZ, 4*ffma ZZZ", 11.17, 11.03, 11.02, 11.02},
    {"4*lop3 ZZZ, 4*imad ZZZ", 14.16, 9.5, 8.73, 8.74},
    {"2*lop3 eoZ, 2*imad eoZ, nop, nop", 8.13, 6.52, 6.27, 6.27},
    {"lop3 ZZZ stall 2, lop3 ZZZ stall 2, imad ZZZ stall 4, lop3 ZZZ stall 4", 12.09, 6.99, 7.01, 7},
    {"lop3 eoZ stall 5, imad eoZ stall 5, ffma eoZ stall 4", 14.07, 3.77, 3.12, 3.12},
    {"3*lop3 eoZ, 2*imad eoZ, 3*ffma eoZ, nop stall 5", 16.19, 10.21, 10.08, 10.1},
    {"nop stall 3", 3.02, 1.03, 1.01, 1},
    {"nop stall 2, nop stall 5", 7.04, 2.05, 2.01, 2.01},
    {"lop3 ZZZ stall 2, nop", 3.04, 2.91, 2.61, 2.71},
    {"lop3 ZZZ stall 2, nop stall 2", 4.04, 3, 3.01, 3},
    {"lop3 ZZZ, nop, nop stall 5", 7.07, 3, 3.01, 2.98},
    {"lop3 ZZZ stall 4, nop", 5.04, 1.98, 2.03, 2.06, 0.4},                // 2.75 here
    {"lop3 ZZZ stall 4, nop stall 4", 8.04, 2.52, 2.47, 2.47, 0.25, 0.2},  // 2 here by eight
    {"lop3 ZZZ stall 5, nop stall 3", 8.04, 2.02, 2.01, 2.03},
    {"2*lop3 ZZZ, nop, nop stall 9", 13.09, 5.01, 5.02, 5},
    {"lop3 ZZZ stall 4, imad ZZZ stall 4", 8.04, 2.51, 2.03, 2},
    {"lop3 ZZZ stall 4, imad ZZZ stall 4, nop", 9.07, 3.12, 3.49, 3.49},
    {"lop3 ZZZ, imad ZZZ, nop stall 6", 8.07, 3.01, 2.99, 3.01},
    {"lop3 ZZZ stall 4, ffma ZZZ stall 4", 8.04, 2.52, 2.47, 2.45, 0.25, 0.2},
    {"3*lop3 ZZZ stall 4, 4*nop, nop stall 8", 24.17, 10.67, 10.37, 10.37},
    {"4*lop3 ZZZ, 4*nop stall 2", 15.17, 8.57, 8.43, 8.46},
    {"lop3 ZZZ stall 2, 4*nop, lop3 ZZZ stall 2, 2*nop", 10.18, 9.85, 9.26, 9.21},
    {"2*ffma eeZ, 2*nop", 5.09, 5.01, 5.01, 5.01},
    {"3*ffma eeZ, 3*nop", 8.12, 8.01, 8.01, 8.01},
    {"4*ffma eeZ, 4*nop", 11.17, 11.02, 11.02, 11.03},
    {"lop3 ZZZ stall 4 yield, nop", 5.05, 2, 2.04, 2.06, 0.4},  // 2.75 here
    {"lop3 ZZZ stall 2, nop yield", 4.05, 3.04, 3.02, 3.02},
    {"4*lop3 ZZZ, 4*nop stall 2 yield", 15.17, 8.16, 8.22, 8.23},
    {"2*lop3 ZZZ, nop, nop stall 9 yield", 13.09, 5.08, 5.07, 5.08},
    {"lop3 ZZZ stall 4 yield, imad ZZZ stall 4 yield, nop", 9.07, 3.18, 3.62, 3.6, 0.25, 0.2},
    {"3*lop3 ZZZ stall 2, 3*imad ZZZ, nop stall 5 yield", 16.15, 8.25, 8.09, 8.09},
    {"8*nop, lop3 ZZZ stall 4 yield", 12.2, 9.04, 9.03, 9.03},
    {"4*lop3 ZZZ, 4*imad ZZZ stall 4 yield", 23.17, 8.04, 8.28, 8.28},
    {"ldg, ffma eee, ffma eee", 7.06, 7, 7, 7},
    {"ldg, ffma eee, ffma ooo", 4.07, 4.01, 4.01, 4.06},
    {"lds, ffma eee, ffma eee", 6.06, 6, 6, 6},
    {"sts, ffma ooo, ffma ooo", 7.06, 7, 7, 7},
    {"ldg, imad eoe, imad eoe", 5.07, 5.02, 5.01, 5.02},
    {"16*ldg", 64, 64, 64.01, 64.03},
    {"16*lds", 32.11, 32, 32, 64.02},
    {"16*sts", 64, 64, 64.01, 64.01},
    {"sts, lds", 6, 6, 6, 8},
    {"8*ldg, 8*lds", 48.05, 48, 48.01, 68.24},
    {"16*ldg, 48*ffma ZZZ to Z", 81.47, 80.29, 80.12, 80.17},
    {"16*lds, 48*ffma ZZZ to Z", 68.47, 67.27, 67.28, 70.83},
    {"16*ldg, 16*ffma eee to Z", 87.68, 87.56, 87.48, 87.66},
    {"8*ldg, 40*ffma eee to Z", 134, 133.11, 133.1, 133.09},
    {"4*ldg, 2*wide EEp", 16.95, 16.7, 16.76, 18.01},
    {"4*ldg, 2*wide EEp, 4*ffma eee", 26.4, 26.07, 26.07, 25.94},
    {"8*ldg, 8*ffma eoe to Z", 32.11, 32.03, 32.04, 32.07},
    {"2*ldg wb 0, nop, ffma ZZZ to Z wait 1, 3*ffma ZZZ to Z", 39.15, 9.8, 8, 8},
    {"4*ldg wb 0, nop, ffma ZZZ to Z wait 1, 15*ffma ZZZ to Z", 59.44, 21.06, 21.48, 22.34},
    {"8*ldg wb 0, nop, ffma ZZZ to Z wait 1, 31*ffma ZZZ to Z", 91.92, 51.75, 43.39, 43.76},
    {"16*ldg wb 0, nop, ffma ZZZ to Z wait 1, 15*ffma ZZZ to Z", 107.73, 63.8, 63.86, 63.9},
    {"16*ldg wb 0, nop, ffma ZZZ to Z wait 1, 47*ffma ZZZ to Z", 140.47, 87.58, 82.7, 82.58},
    {"8*ldg wb 0, nop, ffma ZZZ to Z wait 1, 15*ffma eoZ to Z", 75.55, 44.29, 37.74, 37.72},
    {"8*ldg wb 0, nop, ffma ZZZ to Z wait 1, 15*ffma eee to Z", 103.53, 68.73, 60.27, 60.42},
    {"8*ldg wb 0, nop, 4*wide EEp wait 1", 74.73, 33.65, 33.55, 36.45},
    {"4*lds wb 0, nop, ffma ZZZ to Z wait 1, 15*ffma ZZZ to Z", 45.44, 21.06, 21.26, 21.7},
    {"16*lds wb 0, nop, ffma ZZZ to Z wait 1, 31*ffma ZZZ to Z", 86.1, 55.39, 53.06, 63.52},
};

std::vector<std::string> pieces(const std::string& text, char between) {
    std::vector<std::string> made;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(between, at), text.size());
        const std::size_t first = text.find_first_not_of(' ', at);
        if (first < end) made.push_back(text.substr(first, end - first));
        at = end + 1;
    }
    return made;
}

// Of 16 even and as many odd registers, another one each time.
RegisterOperand operand(char bank, int number) {
    const auto even = std::uint8_t(10 + 2 * (number % 16));
    switch (bank) {
        case 'e':
            return {even, 1};
        case 'o':
            return {std::uint8_t(even + 1), 1};
        case 'p':
            return {even, 2};
        case 'E':
            return {42, 1};
        case 'O':
            return {43, 1};
        default:
            return {};
    }
}

MachineInstruction written(const std::string& text, int number) {
    static const std::map<std::string, MachinePipe> kPipes{{"ffma", MachinePipe::fma},
                                                           {"imad", MachinePipe::fma_heavy},
                                                           {"wide", MachinePipe::fma_heavy},
                                                           {"lop3", MachinePipe::alu},
                                                           {"nop", MachinePipe::dispatch}};
    const std::vector<std::string> words = pieces(text, ' ');
    const std::string& name = words.front();
    MachineInstruction made = arithmetic(1);
    if (const auto pipe = kPipes.find(name); pipe != kPipes.end()) {
        made = arithmetic(1, pipe->second);
        made.passes = name == "wide" ? 2 : 1;
    } else {
        const MemorySpace space = name == "ldg" ? MemorySpace::global : MemorySpace::shared;
        made = name == "sts" ? store(space) : load(5);
        made.space = space;
        made.reads[0] = name == "ldg" ? RegisterOperand{6, 2} : RegisterOperand{7, 1};
        if (name == "sts") made.reads[1] = {8, 1};
    }
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (words[i] == "wb") {
            made.control.write_barrier = std::stoi(words[++i]);
        } else if (words[i] == "wait") {
            made.control.waits = std::uint8_t(std::stoi(words[++i]));
        } else if (words[i] == "stall") {
            made.control.stall = std::stoi(words[++i]);
        } else if (words[i] == "yield") {
            made.control.yield = true;
        } else if (words[i] == "to") {
            ++i;
        } else {
            for (std::size_t place = 0; place < words[i].size(); ++place)
                made.reads[place] = operand(words[i][place], number + 2 * int(place));
        }
    }
    return made;
}

struct Blocks {
    int warps = 0;  // of a scheduler, in all blocks
    int blocks = 0;
};
// By blocks that began together: tools/register-ports --blocks.
constexpr Blocks kBlocks[] = {{8, 1}, {8, 2}, {8, 4}, {8, 8}, {16, 2}, {16, 4}, {16, 8}, {16, 16}};
struct LoopOfBlocks {
    const char* pattern;
    double clocks[std::size(kBlocks)];
    double within = 0.2;
};
constexpr LoopOfBlocks kLoopsOfBlocks[] = {
    {"lop3 ZZZ stall 2, nop", {2.84, 2.9, 2.96, 2.99, 2.76, 2.81, 2.92, 2.97}},
    {"lop3 ZZZ stall 4, nop stall 4", {2.45, 2.5, 2.35, 2.26, 2.38, 2.48, 2.36, 2.3}},
    {"lop3 ZZZ stall 4, imad ZZZ stall 4, nop", {3.55, 3.12, 3.38, 3.44, 3.55, 3.1, 3.24, 3.43}},
    {"4*lop3 ZZZ, 4*nop stall 2", {8.48, 9.23, 8.12, 8.13, 8.42, 9.05, 8.07, 8.13}},
    {"16*ldg", {64.05, 64.02, 64.01, 64.13, 64.05, 64.03, 64.04, 63.98}},
    {"4*ffma eeZ, 4*nop", {11.02, 11.03, 11.02, 11.03, 11.02, 11.01, 11.01, 11.02}},
    {"lop3 ZZZ stall 4 yield, nop", {2.09, 2.02, 2.04, 2.03, 2.01, 1.99, 1.96, 2.02}, 0.35},
    {"4*lop3 ZZZ, 4*nop stall 2 yield", {8.23, 8.13, 8.05, 8.14, 8.17, 8.08, 8.05, 8.11}},
    {"2*lop3 ZZZ, nop, nop stall 9 yield", {5.08, 5.05, 5.27, 5.42, 5.06, 5.04, 5.15, 5.49}},
    {"lop3 ZZZ stall 4 yield, imad ZZZ stall 4 yield, nop", {3.62, 3.17, 3.47, 3.49, 3.61, 3.15, 3.36, 3.49}},
    {"3*lop3 ZZZ stall 2, 3*imad ZZZ, nop stall 5 yield", {8.1, 8.13, 8.18, 8.29, 8.08, 8.07, 8.11, 8.47}},
    {"4*lop3 ZZZ, 4*imad ZZZ stall 4 yield", {8.28, 8.05, 8.22, 8.22, 8.2, 8.05, 8.15, 8.15}},
};

// So many times one after the other.
std::vector<MachineInstruction> code_of(const std::string& pattern, int times) {
    std::vector<std::string> texts;
    for (const std::string& one : pieces(pattern, ',')) {
        const std::size_t star = one.find('*');
        const int count = star == std::string::npos ? 1 : std::stoi(one);
        texts.insert(texts.end(), std::size_t(count), star == std::string::npos ? one : one.substr(star + 1));
    }
    std::vector<MachineInstruction> code;
    for (int k = 0; k < times; ++k)
        for (std::size_t i = 0; i < texts.size(); ++i) code.push_back(written(texts[i], k + int(i)));
    code.push_back(last());
    return code;
}

double clocks_of(const std::string& pattern, int times, Blocks many, int schedulers,
                 const ClockRates& rates) {
    MachineCode code;
    code.instructions = code_of(pattern, times);
    MachinePath path, none;
    WarpTrace trace;
    for (std::size_t i = 0; i < code.instructions.size(); ++i) {
        const MachineInstruction& one = code.instructions[i];
        int access = -1;
        if (one.pipe == MachinePipe::lsu) {
            access = int(trace.accesses.size());
            TracedAccess made = line_of_memory();
            made.kind = one.kind;
            made.space = one.space;
            made.wavefronts = made.lookups = 1;
            made.past_l1 = 0;  // L1 has it
            trace.accesses.push_back(made);
        }
        path.steps.push_back({int(i), access, 32});
    }
    none.steps.push_back(path.steps.back());
    ClockLoad load;
    load.code = &code;
    load.blocks.resize(std::size_t(many.blocks));
    load.resident_blocks = many.blocks;
    for (std::vector<ClockWarp>& block : load.blocks)
        for (int i = 0; i < 4 * many.warps / many.blocks; ++i)
            block.push_back({i % 4 < schedulers ? &path : &none, &trace});
    load.past_l2.loads = 0;
    return double(run_clock(load, rates).clocks);
}

class Compared {
  public:
    Compared() : rates_(clock_rates(GpuTable().named("H200"))) {
        // Code is where it is wanted.
        rates_.code.take_no_time();
    }
    void add(const std::string& pattern, Blocks many, int schedulers, double measured, double tolerance) {
        // Blocks begin after each other: what is measured is much longer.
        const int few = many.blocks > 1 ? 400 : 12;
        const int times = 4 * few;
        const double made = (clocks_of(pattern, times, many, schedulers, rates_) -
                             clocks_of(pattern, few, many, schedulers, rates_)) /
                            (times - few) / many.warps;
        EXPECT_NEAR(made / measured, 1, tolerance)
            << pattern << ": " << made << " clocks, " << measured << " measured, " << many.warps
            << " warps in " << many.blocks << " blocks, schedulers " << schedulers;
        sum_ += std::abs(made / measured - 1);
        ++count_;
    }
    void expect_mean_below(double error) const {
        std::printf("mean error %.1f %% of %d\n", 100 * sum_ / count_, count_);
        EXPECT_LT(sum_ / count_, error);
    }

  private:
    ClockRates rates_;
    double sum_ = 0;
    int count_ = 0;
};

TEST(ClockLoops, TakeAsLongAsOnTheH200) {
    Compared compared;
    for (const Loop& loop : kLoops) {
        compared.add(loop.pattern, {1, 1}, 1, loop.one, 0.12);
        compared.add(loop.pattern, {4, 1}, 1, loop.four, loop.four_within);
        compared.add(loop.pattern, {8, 1}, 1, loop.eight, loop.eight_within);
        compared.add(loop.pattern, {8, 1}, 4, loop.of_all, 0.2);
    }
    compared.expect_mean_below(0.034);
}

TEST(ClockLoops, OfManyBlocksTakeAsLongAsOnTheH200) {
    Compared compared;
    for (const LoopOfBlocks& loop : kLoopsOfBlocks)
        for (std::size_t i = 0; i < std::size(kBlocks); ++i)
            compared.add(loop.pattern, kBlocks[i], 4, loop.clocks[i], loop.within);
    compared.expect_mean_below(0.056);
}

}  // namespace
}  // namespace ws
