#include "gpu/analysis/shortened_ways.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ws {
namespace {

// What the clock has to do for a request and for a line of it, in instructions.
constexpr double kOfARequest = 1.5;
constexpr double kOfALine = 0.25;
constexpr double kSame = 0.02;

struct Asked {
    double instructions = 0;
    std::array<double, kMachinePipes> of_pipe{};
    double requests = 0, wavefronts = 0, sectors = 0;

    // From the step `first` on, until `end`.
    void add(const ClockWarp& warp, std::size_t first, std::size_t end, const MachineCode& code) {
        instructions += double(end - first);
        for (std::size_t k = first; k < end; ++k) {
            const MachineStep& step = warp.path->steps[k];
            ++of_pipe[std::size_t(code.instructions[std::size_t(step.instruction)].pipe)];
            if (step.access < 0) continue;
            const TracedAccess& access = warp.trace->accesses[std::size_t(step.access)];
            ++requests;
            wavefronts += access.wavefronts;
            sectors += access.sectors;
        }
    }
};

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
    for (const std::vector<ClockWarp>& block : blocks)
        for (const ClockWarp& warp : block)
            sum += double(warp.path->steps.size()) + kOfARequest * double(warp.trace->accesses.size()) +
                   kOfALine * double(warp.trace->asked.size());
    return sum;
}

double shorten(ClockBlocks& blocks, const MachineCode& code, double most) {
    const double part = most / work_of(blocks);
    if (!(part < 1)) return 1;
    Asked run;
    Asked left;
    const auto end_of = [part](const ClockWarp& warp) {
        return std::size_t(std::ceil(part * double(warp.path->steps.size())));
    };
    for (const std::vector<ClockWarp>& block : blocks) {
        for (const ClockWarp& warp : block) {
            run.add(warp, 0, end_of(warp), code);
            left.add(warp, end_of(warp), warp.path->steps.size(), code);
        }
    }
    if (left.instructions == 0 || !are_alike(run, left)) return 1;
    for (std::vector<ClockWarp>& block : blocks)
        for (ClockWarp& warp : block) warp.left_out = warp.path->steps.size() - end_of(warp);
    return (run.instructions + left.instructions) / run.instructions;
}

}  // namespace ws
