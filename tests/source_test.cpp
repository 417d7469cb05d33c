// The page of the source without a window: differences by lines, folds, wrapped lines, tokens, messages of
// the compiler, the PTX of a line, and where keys lead.

#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "app/views/code_text.h"
#include "app/views/ptx_lines.h"
#include "app/views/source_rows.h"
#include "gpu/analysis/source_diff.h"

namespace ws {
namespace {

// "+3" a new line, "-2" one of the baseline's, " 4=1" one that was line 1.
std::string shape_of(const SourceLines& lines) {
    std::string shape;
    for (const SourceLine& line : lines.lines) {
        if (!shape.empty()) shape += ' ';
        const std::string number = std::to_string(line.number);
        shape += line.change == LineChange::added     ? "+" + number
                 : line.change == LineChange::removed ? "-" + number
                                                      : number + "=" + std::to_string(line.before);
    }
    return shape;
}

TEST(SourceDiff, PairsLines) {
    struct Row {
        const char *name, *now, *before, *shape;
    };
    const Row rows[] = {
        {"nothing to compare with", "a\nb\n", "", "1=0 2=0"},
        {"the same but for blanks at the ends", "  a\nb  \r\n", "a\n\tb\n", "1=1 2=2"},
        {"a new line", "a\nnew\nb\n", "a\nb\n", "1=1 +2 3=2"},
        {"a line that is gone", "a\nb\n", "a\nold\nb\n", "1=1 -2 2=3"},
        {"gone at the end", "a\n", "a\nold\n", "1=1 -2"},
        {"all gone", "", "old\n", "-1"},
        {"the line that took its place follows it", "a\nint i;\nint j;\nx = src[at] * 2;\nb\n",
         "a\ny = src[at] * 2;\nb\n", "1=1 +2 +3 -2 +4 5=3"},
        {"a brace weighs less than a long line", "}\nreturn the_same_value(of, it);\n",
         "return the_same_value(of, it);\n}\n", "+1 2=1 -2"},
        {"an order that is kept", "one two\nthree four\n", "three four\none two\n", "+1 2=1 -2"},
    };
    for (const Row& row : rows) {
        const SourceLines lines = source_lines(row.now, row.before, "");
        EXPECT_EQ(shape_of(lines), row.shape) << row.name;
        EXPECT_EQ(lines.changed, std::string(row.shape).find_first_of("+-") != std::string::npos) << row.name;
    }
}

TEST(SourceDiff, FindsTheLinesThatWereCounted) {
    const SourceLines lines = source_lines("a\nbroken\nc\n", "", "top\na\nb\nc\n");
    EXPECT_EQ(counted_line(lines, 1), 2);
    EXPECT_EQ(counted_line(lines, 2), 0) << "it was not there when it was counted";
    EXPECT_EQ(counted_line(lines, 3), 4);
    EXPECT_EQ(shown_line(lines, 4), 3);
    EXPECT_EQ(shown_line(lines, 1), 0);
}

TEST(SourceDiff, KnowsWhereCommentsGoOn) {
    const SourceLines lines = source_lines("a /* b\nc\nd */ e\n\"/*\"\nf\n", "", "");
    std::string within;
    for (const SourceLine& line : lines.lines) within += line.in_comment ? '1' : '0';
    EXPECT_EQ(within, "01100");
}

TEST(SourceDiff, LikenessIsThatOfWords) {
    EXPECT_EQ(likeness("a = b + 1;", "b = 1 - a;"), 1);
    EXPECT_EQ(likeness("a", "b"), 0);
    EXPECT_EQ(likeness("", "b"), 0);
    EXPECT_DOUBLE_EQ(likeness("x y", "x z"), 0.5);
}

// "3" a line, "4-9" a fold, "-2" a removed line.
std::string rows_text(const SourceLines& lines, const SourceChoice& choice) {
    std::string made;
    SourceRows rows(lines, choice);
    while (const auto row = rows.next()) {
        if (!made.empty()) made += ' ';
        const SourceLine& first = lines.lines[row->first];
        if (first.change == LineChange::removed) made += '-';
        made += std::to_string(first.number);
        if (row->folded) made += "-" + std::to_string(lines.lines[row->last].number);
    }
    return made;
}

TEST(SourceRows, FoldWhatDidNotChange) {
    const std::string before = "1\n2\n3\n4\nold 5\n6\n7\n8\n9\n10\n";
    const std::string now = "1\n2\n3\n4\nnew 5\n6\n7\n8\n9\n10\n";
    const SourceLines lines = source_lines(now, before, "");
    EXPECT_EQ(rows_text(lines, {true, true, {}}), "1-3 4 -5 5 6 7-10") << "a line beside a change stays";
    EXPECT_EQ(rows_text(lines, {false, true, {}}), "1-3 4 5 6 7-10");
    EXPECT_EQ(rows_text(lines, {true, false, {}}), "1 2 3 4 -5 5 6 7 8 9 10");
    const int open[] = {8};
    EXPECT_EQ(rows_text(lines, {true, true, open}), "1-3 4 -5 5 6 7 8 9 10");
    const SourceLines same = source_lines(now, now, "");
    EXPECT_EQ(rows_text(same, {true, true, {}}), "1 2 3 4 5 6 7 8 9 10") << "without a change all is shown";
    const SourceLines notes = source_lines("// a\n// b\n// c\nd\ne\nnew\n", "// z\nd\ne\n", "");
    EXPECT_EQ(rows_text(notes, {true, true, {}}), "1-4 5 6") << "comments are no change, and gone ones go";
    const SourceLines few = source_lines("1\n2\n3\nnew\n", "1\n2\n3\n", "");
    EXPECT_EQ(rows_text(few, {true, true, {}}), "1 2 3 4") << "a fold is shorter than what it hides";
}

std::string wrapped_text(std::string_view line, int columns) {
    std::string made;
    Wrapped wrapped(line, columns);
    while (const auto piece = wrapped.next()) {
        if (!piece->first) made += "|";
        made += std::to_string(piece->indent) + ":" + std::string(line.substr(piece->begin, piece->size));
    }
    return made;
}

TEST(CodeText, WrapsAtBlanks) {
    EXPECT_EQ(wrapped_text("", 20), "0:");
    EXPECT_EQ(wrapped_text("    ", 20), "2:");
    EXPECT_EQ(wrapped_text("        int a;", 20), "4:int a;");
    EXPECT_EQ(wrapped_text("int first = 1 + second;", 16), "0:int first = 1 +|2:second;");
    EXPECT_EQ(wrapped_text("0123456789abcdefgh", 16), "0:0123456789abcdef|2:gh");
    EXPECT_EQ(wrapped_text("äöüäöüäöüäöüäöüä", 16), "0:äöüäöüäöüäöüäöüä") << "columns are characters";
    EXPECT_EQ(rows_of("int first = 1 + second;", 16), 2);
}

TEST(CodeText, NamesWhatIsWhat) {
    struct Row {
        const char* line;
        bool in_comment;
        std::vector<std::pair<std::string, TokenKind>> kinds;  // of the tokens that are not plain
    };
    using enum TokenKind;
    const Row rows[] = {
        {"const int x = 0x1Fu; // end",
         false,
         {{"const", keyword}, {"int", keyword}, {"0x1Fu", number}, {"// end", comment}}},
        {"a */ float b", true, {{"a */", comment}, {"float", keyword}}},
        {"x = \"// \\\" no\" + 'c';", false, {{"\"// \\\" no\"", text}, {"'c'", text}}},
        {"  #pragma unroll // all", false, {{"  #pragma unroll ", directive}, {"// all", comment}}},
        {"__shared__ integer /* a", false, {{"__shared__", keyword}, {"/* a", comment}}},
        {"a / b", false, {}},
        {"\"open", false, {{"\"open", text}}},
    };
    for (const Row& row : rows) {
        const std::string_view line = row.line;
        std::vector<std::pair<std::string, TokenKind>> kinds;
        std::size_t at = 0;
        Tokens tokens(line, row.in_comment);
        while (const auto token = tokens.next()) {
            ASSERT_GT(token->size, 0u) << line;
            if (token->kind != plain) kinds.emplace_back(line.substr(at, token->size), token->kind);
            at += token->size;
        }
        EXPECT_EQ(at, line.size()) << line;
        EXPECT_EQ(kinds, row.kinds) << line;
    }
}

TEST(SourceTrouble, IsReadFromTheLog) {
    const std::string log =
        "blur_g3.cu(12): warning #177-D: variable \"x\" was declared but never referenced\n"
        "      int x;\n"
        "blur_g3.cu(57): error: identifier \"__syncthread\" is undefined\n"
        "      __syncthread();\n"
        "1 error detected in the compilation of \"blur_g3.cu\".\n";
    const auto trouble = compile_trouble(log, "blur_g3");
    ASSERT_TRUE(trouble);
    EXPECT_EQ(trouble->line, 57);
    EXPECT_EQ(trouble->message, "identifier \"__syncthread\" is undefined");
    EXPECT_EQ(trouble->token, "__syncthread");
    const auto knob = compile_trouble("blur_g3.cu:9: the knob's value is outside its range", "blur_g3");
    ASSERT_TRUE(knob);
    EXPECT_EQ(knob->line, 9);
    EXPECT_EQ(knob->message, "the knob's value is outside its range");
    EXPECT_TRUE(knob->token.empty());
    EXPECT_FALSE(compile_trouble("pairs.cuh(3): error: expected a \";\"", "blur_g3")) << "another file";
    EXPECT_FALSE(compile_trouble("", "blur_g3"));
}

TEST(PtxLines, BelongToTheLineThatTheyComeFrom) {
    constexpr std::string_view kPtx =
        ".visible .entry blur(\n)\n{\n\t.reg .b32 %r<9>;\n\n\t.loc\t1 10 5\n\tmov.u32 %r1, %tid.x;\n"
        "$L__BB0_1:\n\t.loc\t2 3 1, function_name $L__info0, inlined_at 1 12 7\n\tadd.s32 %r2, %r1, 1;\n"
        "\t.loc\t1 10 9\n\tmul.lo.s32 %r3, %r2, 4;\n\tret;\n}\n";
    const auto of = [&](int line) {
        std::string all;
        PtxLines lines(kPtx, line);
        while (const auto instruction = lines.next()) all += std::string(*instruction) + "\n";
        return all;
    };
    EXPECT_EQ(of(10), "mov.u32 %r1, %tid.x;\nmul.lo.s32 %r3, %r2, 4;\nret;\n");
    EXPECT_EQ(of(12), "add.s32 %r2, %r1, 1;\n") << "of a header: the line that uses it";
    EXPECT_EQ(of(3), "");
    EXPECT_EQ(of(0), "");
}

// A step with a source of ten lines, of which the fifth is new, counted at lines 2, 5 and 9.
class Jumps : public ::testing::Test {
  protected:
    Jumps() {
        step_.source.name = step_.counts.source.name = "blur_g3";
        const std::string now = "1\n2\n3\n4\nnew 5\n6\n7\n8\n9\nnew 10\n";
        step_.built.lines =
            std::make_shared<const SourceLines>(source_lines(now, "1\n2\n3\n4\nold 5\n6\n7\n8\n9\n", now));
        KernelCounters counters;
        for (const auto& [line, instructions] : {std::pair{2, 50}, {5, 300}, {9, 100}}) {
            LineCounts counts;
            counts.line = line;
            counts.counts.instructions = std::uint64_t(instructions);
            counters.total += counts.counts;
            counters.lines.push_back(counts);
        }
        step_.counts.result.emplace();
        step_.counts.result->counters = std::make_shared<const KernelCounters>(std::move(counters));
    }
    int from(int line, SourceJump jump, int by = 1) const {
        return jump_target(snapshot_, step_, {true, false, {}}, line, jump, by);
    }
    Snapshot snapshot_;
    StepSnapshot step_;
};

// Clocks of a line: issuing, not selected, memory, barrier, dependency, pipe.
TEST(LineTime, SharesAddUpAndTheLargestWaitsComeFirst) {
    ClockedLaunch launch;
    launch.at_line = {
        {10, 0, 0, 0, 0, 0}, {}, {20, 30, 0, 0, 0, 0}, {10, 0, 61, 20, 9, 0}, {0, 0, 0, 0, 0, 40}};
    double sum = 10.0 / 200;
    for (int line = -1; line < 9; ++line) sum += time_share(launch, line);
    EXPECT_DOUBLE_EQ(sum, 1);
    EXPECT_DOUBLE_EQ(time_share(launch, 3), 0.5);
    EXPECT_EQ(time_share(launch, 0), 0) << "no line";
    EXPECT_EQ(states_at(&launch, 1), nullptr);
    EXPECT_EQ(states_at(nullptr, 3), nullptr);
    const auto [first, second] = waits_at(&launch, 3);
    EXPECT_EQ(first.state, WarpState::memory);
    EXPECT_DOUBLE_EQ(first.share, 0.61);
    EXPECT_EQ(second.state, WarpState::barrier);
    EXPECT_DOUBLE_EQ(second.share, 0.2);
    EXPECT_EQ(waits_at(&launch, 2)[0].share, 0) << "ready is no wait";
    EXPECT_EQ(waits_at(&launch, 4)[0].share, 1);
    EXPECT_EQ(waits_at(&launch, 4)[1].share, 0);
    EXPECT_EQ(waits_at(nullptr, 3)[0].share, 0);
}

TEST_F(Jumps, LeadToLinesChangesHeatAndTrouble) {
    EXPECT_EQ(from(4, SourceJump::line), 5);
    EXPECT_EQ(from(5, SourceJump::line, -1), 4) << "not the baseline's line between them";
    EXPECT_EQ(from(1, SourceJump::line, -1), 0);
    EXPECT_EQ(from(10, SourceJump::line), 0);
    EXPECT_EQ(from(1, SourceJump::change), 5);
    EXPECT_EQ(from(5, SourceJump::change), 10);
    EXPECT_EQ(from(10, SourceJump::change, -1), 5);
    EXPECT_EQ(from(5, SourceJump::hottest), 9);
    EXPECT_EQ(from(9, SourceJump::hottest), 2);
    EXPECT_EQ(from(2, SourceJump::hottest), 5) << "round again";
    EXPECT_EQ(from(3, SourceJump::hottest), 5);
    EXPECT_EQ(from(3, SourceJump::trouble), 0);
    step_.built.error = "blur_g3.cu(7): error: expected a \";\"\n";
    EXPECT_EQ(from(3, SourceJump::trouble), 7);
}

TEST_F(Jumps, TheClockIsThatOfTheOwnFile) {
    EXPECT_EQ(own_clock(step_), nullptr);
    step_.counts.result->clocked = std::make_shared<const ClockedLaunch>();
    EXPECT_EQ(own_clock(step_), step_.counts.result->clocked.get());
    step_.counts.source.name = "blur_g4";
    EXPECT_EQ(own_clock(step_), nullptr) << "clocks of another file say nothing";
}

TEST_F(Jumps, TheChosenLineIsOneThatThereIs) {
    EXPECT_EQ(chosen_line(snapshot_, step_, 0), 5) << "the one that executes most";
    EXPECT_EQ(chosen_line(snapshot_, step_, 7), 7);
    EXPECT_EQ(chosen_line(snapshot_, step_, 70), 5);
    step_.counts.source.name = "blur_g4";
    EXPECT_EQ(chosen_line(snapshot_, step_, 0), 0) << "counts of another file say nothing";
}

}  // namespace
}  // namespace ws
