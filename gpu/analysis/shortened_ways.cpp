#include "gpu/analysis/shortened_ways.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ws {
namespace {

// What the clock has to do for a request, with the first line of it, and for each of the others, in
// instructions.
constexpr double kOfARequest = 1.75;
constexpr double kOfAnotherLine = 0.7;
constexpr double kSame = 0.04;
// Where a part is unlike the rest, so much more of it is tried.
constexpr double kMore = 1.25;

struct Asked {
    double instructions = 0;
    std::array<double, kMachinePipes> of_pipe{};
    double requests = 0, wavefronts = 0, sectors = 0;

    // `times` -1: it is taken away.
    void add(const Asked& other, double times) {
        instructions += times * other.instructions;
        for (std::size_t pipe = 0; pipe < of_pipe.size(); ++pipe)
            of_pipe[pipe] += times * other.of_pipe[pipe];
        requests += times * other.requests;
        wavefronts += times * other.wavefronts;
        sectors += times * other.sectors;
    }
};

// The step with which this part of a warp's way ends.
std::size_t end_of(const ClockWarp& warp, double part) {
    return std::size_t(std::ceil(part * double(warp.path->steps.size())));
}

// By all warps behind one part of their ways, up to another.
Asked asked_between(const ClockBlocks& blocks, const MachineCode& code, double from, double to) {
    Asked made;
    for (const std::vector<ClockWarp>& block : blocks) {
        for (const ClockWarp& warp : block) {
            for (std::size_t k = end_of(warp, from); k < end_of(warp, to); ++k) {
                const MachineStep& step = warp.path->steps[k];
                ++made.instructions;
                ++made.of_pipe[std::size_t(code.instructions[std::size_t(step.instruction)].pipe)];
                if (step.access < 0) continue;
                const TracedAccess& access = warp.trace->accesses[std::size_t(step.access)];
                ++made.requests;
                made.wavefronts += access.wavefronts;
                made.sectors += access.sectors;
            }
        }
    }
    return made;
}

// In what is run and in what is left out, as parts of the instructions; what memory is asked for also of
// itself.
bool are_alike(const Asked& run, const Asked& left) {
    const double times = run.instructions / left.instructions;
    const auto same = [&](double in_run, double in_left) {
        return std::abs(in_run - times * in_left) <= kSame * (run.instructions + in_run);
    };
    for (std::size_t pipe = 0; pipe < kMachinePipes; ++pipe)
        if (!same(run.of_pipe[pipe], left.of_pipe[pipe])) return false;
    return same(run.requests, left.requests) && same(run.wavefronts, left.wavefronts) &&
           same(run.sectors, left.sectors);
}

}  // namespace

double work_of(const ClockBlocks& blocks) {
    double sum = 0;
    for (const std::vector<ClockWarp>& block : blocks) {
        for (const ClockWarp& warp : block) {
            sum += double(warp.path->steps.size()) + kOfARequest * double(warp.trace->accesses.size());
            for (const TracedAccess& access : warp.trace->accesses)
                sum += kOfAnotherLine * std::max(0, access.asked_lines - 1);
        }
    }
    return sum;
}

double shorten(ClockBlocks& blocks, const MachineCode& code, double most) {
    double part = most / work_of(blocks);
    if (!(part < 1)) return 1;
    Asked run = asked_between(blocks, code, 0, part);
    Asked left = asked_between(blocks, code, part, 1);
    while (left.instructions > 0 && !are_alike(run, left)) {
        const double larger = std::min(1.0, part * kMore);
        const Asked more = asked_between(blocks, code, part, larger);
        run.add(more, 1);
        left.add(more, -1);
        part = larger;
    }
    if (left.instructions == 0) return 1;
    for (std::vector<ClockWarp>& block : blocks)
        for (ClockWarp& warp : block) warp.left_out = warp.path->steps.size() - end_of(warp, part);
    return (run.instructions + left.instructions) / run.instructions;
}

}  // namespace ws
