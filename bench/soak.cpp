// The window under a restless hand: versions, blocks, pages, labs, themes, sizes of text and pictures change
// several times a second for minutes, off screen or in a real window (--window). Memory must stay flat, and
// no frame may take more than 50 ms of what this program computes itself. With --lecture NAME a lecture is
// held instead, again and again: steps, guesses, and a look at something else now and then. Usage: bench_soak
// [--json FILE] [--minutes 10] [--lecture FILE|NAME] [--window] [--size 1280x720]
//            [--device auto|cuda|simt|cpu]
// Ends with 1 if a frame was too long, or if the most memory in the last third of the time is more than a
// tenth above the most in the third before: until then what is kept of each lab and version comes together.

#include <fmt/format.h>
#include <glad/gl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <random>

#include "app/window/app.h"
#include "app/window/offscreen_session.h"
#include "app/window/window_session.h"
#include "bench/figures.h"
#include "bench/frames.h"
#include "gpu/core/numbers.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLongestMs = 50;
constexpr auto kStart = std::chrono::seconds(2);
constexpr double kGrowth = 1.1;

double resident_mb() {
    std::ifstream file("/proc/self/statm");
    double all = 0;
    double resident = 0;
    file >> all >> resident;
    return resident * double(sysconf(_SC_PAGESIZE)) / 1e6;
}

// The same hand in every run.
class Hand {
  public:
    [[nodiscard]] const char* move(App& app) {
        const Work& work = app.engine().snapshot().work;
        if (!work.lab) return "nothing";
        switch (below(13)) {
            case 0:
            case 1:
            case 2:
                app.ask(ChooseVersion{work.lab->versions[below(work.lab->versions.size())].number});
                return "version";
            case 3:
            case 4: {
                const Block blocks[] = {{8, 8},  {32, 2}, {32, 4},  {16, 16},
                                        {64, 4}, {32, 8}, {128, 2}, {8, 32}};
                app.ask(ChooseBlock{work.lab->by_weight.front(), blocks[below(std::size(blocks))]});
                return "block";
            }
            case 5:
            case 6:
                app.ask(ChooseTab{Tab(below(kTabs))});
                app.ask(ShowOccupancy{OccupancyPart(below(3))});
                return "page";
            case 7:
                app.ask(ChooseTheme{Theme(below(2))});
                return "theme";
            case 8:
                app.ask(ChooseCompare{Compare(below(4))});
                return "comparison";
            case 9:
                app.ask(ChooseView{int(below(work.lab->views.size()))});
                return "view";
            case 10:
                if (below(3) > 0) {
                    app.ask(PinNow{});
                    return "baseline";
                }
                app.ask(ChooseLab{std::string(labs()[below(labs().size())]->id)});
                return "lab";
            case 11:
                app.ask(ScaleText{0.9f + 0.1f * float(below(4))});
                return "text size";
            default:
                app.ask(ShowSlide{below(3) == 0});
                return "slide";
        }
    }
    [[nodiscard]] std::size_t below(std::size_t count) { return random_() % count; }

  private:
    std::mt19937 random_{2026};
};

// A lecturer: a step every few seconds, back to the first after the last.
class Lecturer {
  public:
    [[nodiscard]] const char* move(App& app) {
        const Playing& playing = *app.playing();
        ++moves_;
        if (playing.asking() && moves_ % 2 == 0) {
            app.ask(TypeGuess{'7'});
            app.ask(FixGuess{});
            return "guess";
        }
        if (playing.asking()) {
            app.ask(TurnStep{});
            return "truth";
        }
        if (explores_) {
            explores_ = false;
            app.ask(ReturnToStep{});
            return "return";
        }
        if (moves_ % 5 == 0) {
            explores_ = true;
            return hand_.move(app);
        }
        const bool last = playing.at + 1 == playing.count();
        app.ask(TurnStep{last ? -playing.at : 1});
        ++steps_;
        return "step";
    }
    [[nodiscard]] int steps() const { return steps_; }

  private:
    Hand hand_;
    int moves_ = 0;
    int steps_ = 0;
    bool explores_ = false;  // something that the step does not show
};

struct Longest {
    double ms = 0;
    const char* after = "";
    double at_s = 0;
};

struct Asked {
    bool window = false;
    double minutes = 10;
    Extent size{1280, 720};
    Options options;
};

Asked parse(const std::vector<std::string>& words) {
    Asked asked;
    auto& [window, minutes, size, options] = asked;
    std::vector<const char*> arguments{"warpscope"};
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--window") {
            window = true;
        } else if (words[i] == "--lecture" && i + 1 < words.size()) {
            arguments.insert(arguments.end(), {"--play", words[++i].c_str()});
        } else if (words[i] == "--minutes" && i + 1 < words.size()) {
            minutes = parse_number<double>(words[++i]).value_or(0);
            if (!(minutes > 0)) throw UsageError("--minutes N");
        } else if (words[i] == "--size" && i + 1 < words.size()) {
            size = size_of(words[++i]);
        } else {
            arguments.push_back(words[i].c_str());
        }
    }
    options = parse_options(int(arguments.size()), arguments.data());
    options.command = Command::picture;  // nothing is kept
    return asked;
}

std::unique_ptr<Session> as_in_a_window(Extent size) {
    auto session = std::make_unique<OffscreenSession>(size);
    session->set_sharpness(Sharpness::soon);
    return session;
}

int run(const std::vector<std::string>& words, Figures& figures) {
    const auto [window, minutes, size, options] = parse(words);
    AppStart start(options, {});
    std::unique_ptr<Session> session;
    if (window)
        session = std::make_unique<WindowSession>(WindowPlace{size, false});
    else
        session = as_in_a_window(size);
    App app(start.finish(session->renderer()));
    PictureScreen screen(app.screen_setup());
    Hand hand;
    Lecturer lecturer;
    std::vector<double> own;
    std::vector<double> memory;  // every second: what is held for a moment counts as what stays
    std::vector<Longest> longest;
    const Clock::time_point begin = Clock::now();
    Clock::time_point next = begin + kStart;
    const char* last = "the start";
    while (seconds_since(begin) < 60 * minutes) {
        if (Clock::now() >= next) {
            last = app.playing() ? lecturer.move(app) : hand.move(app);
            const auto least = std::chrono::milliseconds(app.playing() ? 2000 : 50);
            next = Clock::now() + least + std::chrono::milliseconds(hand.below(app.playing() ? 3000 : 400));
        }
        if (auto* shown = dynamic_cast<WindowSession*>(session.get())) shown->glfw().take_events(0);
        const double before = thread_ms();
        app.frame(*session, screen);
        const double ms = thread_ms() - before;
        session->present();
        glFinish();
        if (Clock::now() < begin + kStart) continue;  // the start is bench_window's
        own.push_back(ms);
        if (ms > kLongestMs && longest.size() < 40) longest.push_back({ms, last, seconds_since(begin)});
        if (double(memory.size()) >= seconds_since(begin)) continue;
        memory.push_back(resident_mb());
        if (memory.size() % 60 != 0) continue;
        const double most = *std::max_element(memory.end() - 60, memory.end());
        fmt::print("minute {:>3}: at most {:7.0f} MB, {} frames\n", memory.size() / 60, most, own.size());
        std::fflush(stdout);
    }
    memory.push_back(resident_mb());
    const Statistics all = statistics_of(own);
    std::sort(own.begin(), own.end());
    const double most = own.back();
    const double late = own[own.size() - 1 - own.size() / 1000];
    fmt::print(
        "{} frames; this thread computes {:.2f} ms in a frame, 999 of 1000 within {:.1f}, longest {:.1f}\n",
        own.size(), all.median, late, most);
    for (const Longest& one : longest)
        fmt::print("  {:.0f} ms at {:.1f} s, after a change of {}\n", one.ms, one.at_s, one.after);
    const auto most_in_third = [&](std::size_t third) {
        const auto at = [&](std::size_t i) { return memory.begin() + std::ptrdiff_t(i * memory.size() / 3); };
        return *std::max_element(at(third), std::max(at(third + 1), at(third) + 1));
    };
    const double before = memory.size() < 3 ? memory.front() : most_in_third(1);
    const double after = memory.size() < 3 ? memory.back() : most_in_third(2);
    fmt::print("memory: at most {:.0f} MB in the second third, {:.0f} MB in the last\n", before, after);
    if (app.playing()) {
        fmt::print("{} steps of the lecture\n", lecturer.steps());
        figures.set("steps", lecturer.steps());
    }
    figures.set("minutes", minutes);
    figures.set("frames", own.size());
    figures.set("frame_ms", Json(all));
    figures.set("frame_ms_999", late);
    figures.set("frame_ms_longest", most);
    figures.set("memory_mb", Json{{"second_third", before}, {"last_third", after}});
    return most > kLongestMs || after > kGrowth * before ? 1 : 0;
}

}  // namespace
}  // namespace ws

int main(int argc, char** argv) {
    return ws::bench_main("soak", argc, argv, ws::run);
}
