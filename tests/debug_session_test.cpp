// A session with the debugger by its words: every one is answered, and nothing is lost.

#include <random>

#include "gpu/debug/console_words.h"
#include "tests/debug_sum.h"

namespace ws {
namespace {

using namespace ws::testing;
using debug::Stop;
using Why = Stop::Why;

TEST(Session, CommandsAnswerAndNothingIsLost) {
    WS_NEED_COMPILER();
    Sum one(2);
    const std::string text = one.say({"set checks off",
                                      "break 8 if t == 40 && apart == 64",
                                      "run",
                                      "print t + 2",
                                      "p/x t",
                                      "p/w t",
                                      "x/4fw &part[40]",
                                      "x/2i",
                                      "info locals",
                                      "info args",
                                      "bt",
                                      "info breakpoints",
                                      "info line",
                                      "list 3",
                                      "info registers r1",
                                      "display/w part[t]",
                                      "next",
                                      "undisplay 1",
                                      "info display",
                                      "cuda thread 3",
                                      "cuda warp 1 lane 2",
                                      "info history",
                                      "help",
                                      "help step",
                                      "info findings"});
    EXPECT_EQ(one.errors(), 0) << text;
    for (const char* part :
         {"Breakpoint 1 at test.cu:8",
          "Breakpoint 1, sum () at test.cu:8, block (0, 0, 0), thread (40, 0, 0), warp 1, lane 8",
          "8\t            part[t] += part[t + apart];", "t + 2 = 42", "t = 0x28",
          "   8:", "0x1000000000000a0:\t40\t41\t42\t43", "=> ", "apart = 64", "in = 0x70",
          "*#0  sum () at test.cu:8", "hit 1 time", "reverse-continue (rc)",
          "There are no auto-display expressions now.", "thread (34, 0, 0)"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
    int errors = one.errors();
    for (const char* wrong : {"frobnicate",
                              "re",
                              "break nowhere",
                              "break 8 if",
                              "print",
                              "print nobody",
                              "print/q t",
                              "x",
                              "x/9999999w part",
                              "x/2i 5",
                              "goto",
                              "goto 99999999",
                              "goto -1",
                              "delete 77",
                              "info",
                              "info nothing",
                              "cuda block 9",
                              "cuda thread 500",
                              "cuda warp 44",
                              "cuda lane 32",
                              "cuda 3",
                              "cuda blob 1",
                              "freeze",
                              "freeze 9",
                              "set",
                              "set schedule maybe",
                              "set checks",
                              "step 0",
                              "step x",
                              "run now",
                              "watch",
                              "watch nobody",
                              "last-write t",
                              "up",
                              "down",
                              "finish",
                              "undisplay 4",
                              "list 999",
                              "info registers r77",
                              "x *(int*)4",
                              "quit now",
                              "break :3",
                              "display nobody(",
                              "help nothing",
                              "tbreak test.cu:0"}) {
        const std::string answer = one.say({wrong});
        EXPECT_EQ(one.errors(), ++errors) << wrong << ": " << answer;
        EXPECT_FALSE(answer.empty()) << wrong;
        errors = one.errors();
    }
    EXPECT_EQ(one.value_of("t"), "34") << "the focus is where it was";
    const std::string other = one.say({"cuda block (1)", "run"});
    EXPECT_NE(other.find("[Block (1, 0, 0) begins; the 1 before it has run.]"), std::string::npos) << other;
    EXPECT_NE(other.find("block (1, 0, 0), thread (40, 0, 0)"), std::string::npos) << other;
    EXPECT_NE(one.say({"delete", "step", "", "3", "rs", "quit"}).find("Undefined command: \"3\""),
              std::string::npos);
}

TEST(Session, AnyWordsAreAnswered) {
    WS_NEED_COMPILER();
    Sum one;
    const std::vector<std::string> words{
        "break",  "8",       "if",        "t",      "==",   "3",        "run",  "step",
        "next",   "print",   "/w",        "/x",     "part", "[t]",      "info", "warps",
        "lanes",  "goto",    "12",        "rc",     "rs",   "rn",       "rsi",  "continue",
        "cuda",   "thread",  "(3)",       "freeze", "1",    "thaw",     "set",  "schedule",
        "random", "watch",   "delete",    "x",      "/4xw", "&part[0]", "list", "up",
        "finish", "display", "undisplay", "checks", "off",  "lw",       "#",    ""};
    std::mt19937 random(5);
    for (int i = 0; i < 1500; ++i) {
        std::string line;
        for (std::size_t count = random() % 5; count > 0; --count)
            line += words[random() % words.size()] + (random() % 4 ? " " : "");
        (void)one.say({line});
    }
    (void)one.say({"thaw", "delete", "set checks off", "set schedule in-order", "run"});
    EXPECT_TRUE(one.debugger().block().ended());
    EXPECT_EQ(one.at<float>(1, 0), 4560.0F);
}

TEST(Session, AnEndlessLoopIsInterrupted) {
    WS_NEED_COMPILER();
    Debugged one(R"(extern "C" __global__ void k(volatile int* flag) {
    while (*flag == 0) {
    }
}
)",
                 "k", {1, 1, 1}, {32, 1, 1});
    one.buffer(std::vector<int>(1));
    one.interrupt() = true;
    EXPECT_EQ(one.debugger().run().why, Why::interrupted);
    EXPECT_FALSE(one.interrupt());
    // And one that can never go on.
    Debugged other(R"(extern "C" __global__ void k(int* out) {
    if (threadIdx.x < 32) asm volatile("bar.sync 1, 64;");
    else asm volatile("bar.sync 2, 64;");
    out[0] = 1;
}
)",
                   "k", {1, 1, 1}, {64, 1, 1});
    other.buffer(std::vector<int>(1));
    const Stop stop = other.debugger().run();
    EXPECT_EQ(stop.why, Why::failed);
    EXPECT_NE(stop.text.find("deadlock"), std::string::npos) << stop.text;
    EXPECT_EQ(other.debugger().step_line_back(false).why, Why::moved) << "back it goes";
}

TEST(Commands, AreSeparatedBySemicolons) {
    EXPECT_EQ(debug::commands_in(" break 14;run ;; print part[0]"),
              (std::vector<std::string>{"break 14", "run", "print part[0]"}));
    EXPECT_TRUE(debug::commands_in(" ; ").empty());
}

}  // namespace
}  // namespace ws
