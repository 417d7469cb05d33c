#include "app/cli/long_run.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <utility>

#include "gpu/core/background.h"
#ifndef _WIN32
#include <unistd.h>
#endif

namespace ws {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kQuiet = 1000ms;
constexpr auto kEvery = 250ms;

// A signal handler reaches nothing but this.
std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void interrupt(int) {
    interrupted = true;
    std::signal(SIGINT, SIG_DFL);
}

bool terminal_at_standard_error() {
#ifdef _WIN32
    return false;
#else
    return isatty(STDERR_FILENO) == 1;
#endif
}

// "12 s", "3 min", "7 h", "2 days".
std::string left_text(double seconds) {
    constexpr std::array<std::pair<const char*, double>, 4> kUnits{
        {{"days", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}}};
    for (const auto& [unit, length] : kUnits) {
        if (seconds >= 2 * length) return fmt::format("{:.0f} {}", seconds / length, unit);
    }
    return "1 s";
}

}  // namespace

std::string progress_text(std::uint64_t done, std::uint64_t blocks, double seconds, std::string_view what) {
    const double share = blocks > 0 ? double(done) / double(blocks) : 0;
    std::string text =
        fmt::format("{} of {} {}, {:.{}f} %", done, blocks, what, 100 * share, share < 0.1 ? 2 : 0);
    if (done > 0)
        text += fmt::format(", about {} left", left_text(seconds / double(done) * double(blocks - done)));
    return text;
}

LongRun::LongRun(std::uint64_t blocks, std::string what) : blocks_(blocks), what_(std::move(what)) {
    interrupted = false;
    previous_ = std::signal(SIGINT, interrupt);
    if (blocks == 0 || !terminal_at_standard_error()) return;
    progress_ = Job<Done>([this](const std::stop_token& stop) {
        show_progress(stop);
        return Done{};
    });
}

LongRun::~LongRun() {
    progress_ = {};
    std::signal(SIGINT, previous_ == SIG_ERR ? SIG_DFL : previous_);
}

const std::atomic<bool>& LongRun::cancelled() const {
    return interrupted;
}

void LongRun::show_progress(const std::stop_token& stop) const {
    const auto start = Clock::now();
    if (!sleep_unless_stopped(stop, kQuiet)) return;
    do {
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        // Back to the line's beginning, and what stood there is deleted.
        std::fprintf(stderr, "\r\x1b[K%s (Ctrl-C ends with what is counted)",
                     progress_text(done_, blocks_, seconds, what_).c_str());
        std::fflush(stderr);
    } while (sleep_unless_stopped(stop, kEvery));
    std::fprintf(stderr, "\r\x1b[K");
    std::fflush(stderr);
}

}  // namespace ws
