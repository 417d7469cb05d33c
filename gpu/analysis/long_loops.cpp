#include "gpu/analysis/long_loops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace ws {
namespace {

// In instructions that are issued.
constexpr std::int64_t kLong = 500'000;  // what takes fewer is run from begin to end
constexpr std::int64_t kFirst = 30'000;  // until the launch is well begun
constexpr std::int64_t kStep = 8'000;    // until it looks for loops again
constexpr std::int64_t kSettle = 8'000;  // after warps went ahead
constexpr std::int64_t kWindow = 16'000;
// A warp lands where a round begins, half a round off at most: a window has several of each warp's.
constexpr std::int64_t kRounds = 4;
constexpr std::int64_t kLongest = 4;  // windows, where one is not like the other
// That is passed over at once: windows, and of what has been issued until then, for what is slow when a
// launch begins is not so for long.
constexpr double kMostWindows = 12;
constexpr double kMostOfIssued = 0.5;
constexpr double kByChance = 0.25;  // of the mean, by which a warp's pace may be off it
constexpr double kSameRate = 0.02;
constexpr double kSameAsked = 0.01;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

const std::vector<MachineStep>& steps_of(const GoingWarp& warp) {
    return warp.warp->path->steps;
}

bool same_place(const MachineStep& a, const MachineStep& b) {
    return a.instruction == b.instruction && a.lanes == b.lanes;
}

bool is_barrier(const MachineInstruction& instruction) {
    return instruction.kind == MachineKind::barrier && instruction.name == "BAR";
}

// Steps until it is at the same instruction again, with as many lanes; 0: never.
std::size_t period_of(const GoingWarp& warp) {
    const auto& steps = steps_of(warp);
    for (std::size_t k = warp.at + 1; k < steps.size(); ++k)
        if (same_place(steps[k], steps[warp.at])) return k - warp.at;
    return 0;
}

// Instructions to run; what L1 is asked for takes about as long as one for each eight lines.
std::int64_t work_of(const ClockLoad& load) {
    std::size_t sum = 0;
    for (const auto& block : load.blocks)
        for (const ClockWarp& warp : block)
            sum += warp.path->steps.size() + (warp.trace ? warp.trace->asked.size() / 8 : 0);
    return std::int64_t(sum);
}

}  // namespace

LongLoops::LongLoops(const ClockLoad& load, double from)
    : code_(*load.code), from_(from), next_(work_of(load) < kLong ? kNever : kFirst) {}

LongLoops::Answer LongLoops::look(double now, std::int64_t issued, std::span<const GoingWarp> warps) {
    next_ = issued + kStep;
    if (now < from_) return {};
    if (window_) {
        const double rate = (now - window_->from) / double(issued - window_->issued);
        const auto same = [rate](std::optional<double> other) {
            return other && std::abs(rate - *other) <= kSameRate * rate;
        };
        const bool regular = same(rate_) || same(rate_before_window(issued - window_->issued));
        rate_ = rate;
        if (regular) {
            longer_ = 1;
            if (std::optional<Ahead> made = ahead(rate, issued, warps)) {
                made->windows = double(made->issued) / double(issued - window_->issued);
                window_.reset();
                before_.clear();
                next_ = issued + made->issued + kSettle;
                return {false, std::move(made)};
            }
        } else {
            longer_ = std::min(2 * longer_, kLongest);
        }
    }
    before_.push_back({now, issued});
    window_.reset();
    const std::int64_t length = length_for(warps);
    if (length == 0) return {};
    next_ = issued + longer_ * length;
    window_ = Window{now, issued, {warps.begin(), warps.end()}};
    return {true, {}};
}

// In about as long a stretch; nothing where warps went ahead meanwhile.
std::optional<double> LongLoops::rate_before_window(std::int64_t length) const {
    for (auto then = before_.rbegin(); then != before_.rend(); ++then)
        if (4 * (window_->issued - then->issued) >= 3 * length)
            return (window_->from - then->clock) / double(window_->issued - then->issued);
    return std::nullopt;
}

// Instructions of a window; 0 where no warp will be at its instruction again.
std::int64_t LongLoops::length_for(std::span<const GoingWarp> warps) {
    std::int64_t of_loops = 0;
    for (const GoingWarp& warp : warps) of_loops += std::int64_t(period_of(warp));
    return of_loops == 0 ? 0 : std::max(kWindow, kRounds * of_loops);
}

// Where they were when the window began; where they are, of those that have come since.
std::vector<GoingWarp> LongLoops::starts_of(std::span<const GoingWarp> warps) const {
    std::vector<GoingWarp> made;
    for (const GoingWarp& warp : warps) {
        const auto same = std::ranges::find_if(window_->warps, [&](const GoingWarp& one) {
            return one.warp == warp.warp && one.block == warp.block;
        });
        made.push_back(same == window_->warps.end() ? warp : *same);
    }
    return made;
}

std::optional<Ahead> LongLoops::ahead(double rate, std::int64_t issued,
                                      std::span<const GoingWarp> warps) const {
    const std::vector<GoingWarp> starts = starts_of(warps);
    const std::vector<double> paces = paces_of(starts, warps);
    const double before_now = double(issued) / double(issued - window_->issued);
    const double most = std::min(kMostWindows, kMostOfIssued * before_now);
    const double windows = windows_ahead(most, paces, warps);
    Ahead made;
    if (windows < 1 || !land(paces, warps, windows, made.at)) return std::nullopt;
    const std::size_t count = code_.instructions.size();
    Asked before{std::vector<std::int64_t>(count)};
    Asked over{std::vector<std::int64_t>(count)};
    std::int64_t issued_before = 0;
    for (std::size_t i = 0; i < warps.size(); ++i) {
        add_asked(starts[i], warps[i].at, before);
        add_asked(warps[i], made.at[i], over);
        issued_before += std::int64_t(warps[i].at - starts[i].at);
        made.issued += std::int64_t(made.at[i] - warps[i].at);
    }
    if (made.issued == 0 || !are_alike(before, over, double(made.issued) / double(issued_before)))
        return std::nullopt;
    made.clocks = double(made.issued) * rate;
    made.by_instruction = std::move(over.by_instruction);
    return made;
}

// Steps of each warp in a window. Those that went about equally far did so by chance: in the windows that
// follow it would be others that are ahead, and none as much.
std::vector<double> LongLoops::paces_of(std::span<const GoingWarp> starts, std::span<const GoingWarp> warps) {
    std::vector<double> made;
    for (std::size_t i = 0; i < warps.size(); ++i) made.push_back(double(warps[i].at - starts[i].at));
    const double mean = std::accumulate(made.begin(), made.end(), 0.0) / double(made.size());
    for (double& pace : made)
        if (std::abs(pace - mean) <= kByChance * mean) pace = mean;
    return made;
}

// Windows until the first of the warps comes to its last round: what is left to do when warps end decides
// how long the last ones are alone, which no window shows.
double LongLoops::windows_ahead(double most, std::span<const double> paces,
                                std::span<const GoingWarp> warps) {
    for (std::size_t i = 0; i < warps.size(); ++i) {
        if (paces[i] == 0) continue;
        const auto& steps = steps_of(warps[i]);
        std::size_t last = steps.size() - 1;
        while (!same_place(steps[last], steps[warps[i].at])) --last;
        most = std::min(most, double(last - warps[i].at) / paces[i]);
    }
    return most;
}

// Each warp at the same instruction, where it is nearest to so many windows ahead. All of a
// block have passed as many barriers.
bool LongLoops::land(std::span<const double> paces, std::span<const GoingWarp> warps, double windows,
                     std::vector<std::size_t>& at) const {
    int block = -1;
    int barriers = -1;  // that the block's warps pass
    for (std::size_t i = 0; i < warps.size(); ++i) {
        if (std::exchange(block, warps[i].block) != warps[i].block) barriers = -1;
        const double wanted = double(warps[i].at) + windows * paces[i];
        const Landing landing = landing_near(warps[i], wanted, barriers);
        if (landing.barriers < 0) return false;
        barriers = landing.barriers;
        at.push_back(landing.at);
    }
    return true;
}

// Past so many barriers, if that is not -1.
LongLoops::Landing LongLoops::landing_near(const GoingWarp& warp, double wanted, int barriers) const {
    const auto& steps = steps_of(warp);
    Landing best;
    int passed = 0;
    for (std::size_t k = warp.at; k < steps.size(); ++k) {
        if (same_place(steps[k], steps[warp.at]) && (barriers < 0 || passed == barriers)) {
            if (best.barriers >= 0 && std::abs(double(k) - wanted) > std::abs(double(best.at) - wanted))
                break;
            best = {k, passed};
        }
        passed += is_barrier(code_.instructions[std::size_t(steps[k].instruction)]);
    }
    return best;
}

void LongLoops::add_asked(const GoingWarp& warp, std::size_t end, Asked& asked) const {
    const auto& steps = steps_of(warp);
    for (std::size_t k = warp.at; k < end; ++k) {
        ++asked.by_instruction[std::size_t(steps[k].instruction)];
        if (steps[k].access < 0) continue;
        const TracedAccess& access = warp.warp->trace->accesses[std::size_t(steps[k].access)];
        ++asked.accesses;
        asked.wavefronts += access.wavefronts;
        asked.sectors += access.sectors;
    }
}

// A part's clocks are in the end of the order of an instruction's: what little there is may differ.
bool LongLoops::are_alike(const Asked& window, const Asked& ahead, double windows) const {
    std::array<double, kMachinePipes> off{};
    double all = 0;
    for (std::size_t i = 0; i < code_.instructions.size(); ++i) {
        off[std::size_t(code_.instructions[i].pipe)] +=
            windows * double(window.by_instruction[i]) - double(ahead.by_instruction[i]);
        all += double(ahead.by_instruction[i]);
    }
    const double few = kSameAsked * all;
    const auto differ = [&](double in_windows, double in_ahead) {
        return std::abs(windows * in_windows - in_ahead) > few + kSameAsked * in_ahead;
    };
    return std::ranges::all_of(off, [&](double one) { return std::abs(one) <= few; }) &&
           !differ(window.accesses, ahead.accesses) && !differ(window.wavefronts, ahead.wavefronts) &&
           !differ(window.sectors, ahead.sectors);
}

}  // namespace ws
