#include "gpu/analysis/grid_work.h"

#include <cmath>
#include <functional>
#include <map>
#include <numeric>

namespace ws {
namespace {

double traced_blocks(const KernelTrace& trace) {
    double blocks = 0;
    for (const WarpTrace& warp : trace.warps) blocks += warp.warp == 0;
    return blocks;
}

// By basic block of the PTX.
std::vector<double> executions_of(const KernelTrace& trace) {
    std::vector<double> executions(trace.counted.size());
    for (const WarpTrace& warp : trace.warps)
        for (const TracedBlock& block : warp.path) ++executions[std::size_t(block.block)];
    return executions;
}

// Machine instructions that were executed, by the basic block that their PTX is in; the last: of none that is
// known.
std::vector<double> machine_by_block(const KernelTrace& trace, const std::vector<double>& executions,
                                     std::span<const std::shared_ptr<const MachinePath>> paths,
                                     const MachineCode& code) {
    std::map<int, std::size_t> block_of_line;
    for (std::size_t block = 0; block < trace.ptx_lines.size(); ++block)
        for (const int line : trace.ptx_lines[block])
            if (executions[block] > 0) block_of_line.try_emplace(line, block);
    std::vector<double> machine(trace.ptx_lines.size() + 1);
    std::vector<double> issued(code.instructions.size());
    for (const auto& path : paths)
        for (const MachineStep& step : path->steps) ++issued[std::size_t(step.instruction)];
    for (std::size_t i = 0; i < issued.size(); ++i) {
        const auto found = block_of_line.find(code.instructions[i].ptx_line);
        machine[found != block_of_line.end() ? found->second : trace.ptx_lines.size()] += issued[i];
    }
    return machine;
}

double counted_instructions(const KernelTrace& trace, const std::vector<double>& executions) {
    return std::transform_reduce(executions.begin(), executions.end(), trace.counted.begin(), 0.0,
                                 std::plus<>(),
                                 [](double times, int instructions) { return times * double(instructions); });
}

}  // namespace

TracedMix traced_mix(const KernelTrace& trace, const KernelCounters& counted) {
    const std::vector<double> here = executions_of(trace);
    const double ptx = counted_instructions(trace, here);
    if (counted.blocks_total == 0 || ptx == 0 || counted.block_executions.size() != here.size())
        return {1, 1};
    TracedMix made;
    const double share = traced_blocks(trace) / double(counted.blocks_total);
    made.whole = share * double(counted.total.instructions) / ptx;
    for (std::size_t block = 0; block < here.size(); ++block) {
        const double of_all = share / made.whole * double(counted.block_executions[block]);
        made.elsewhere += std::abs(of_all - here[block]) * double(trace.counted[block]) / ptx / 2;
    }
    return made;
}

double work_of_a_block(const KernelTrace& trace, std::span<const std::shared_ptr<const MachinePath>> paths,
                       const MachineCode& code, const KernelCounters& counted) {
    const std::vector<double> here = executions_of(trace);
    const double ptx = counted_instructions(trace, here);
    if (counted.blocks_total == 0 || ptx == 0) return 1;
    // Of as many average blocks as are traced.
    const double share = traced_blocks(trace) / double(counted.blocks_total);
    const double ptx_of_all = share * double(counted.total.instructions);
    if (counted.block_executions.size() != here.size()) return ptx_of_all / ptx;
    const std::vector<double> machine = machine_by_block(trace, here, paths, code);
    const double known = std::accumulate(machine.begin(), machine.end() - 1, 0.0);
    if (known == 0) return ptx_of_all / ptx;
    double of_all = 0;
    for (std::size_t block = 0; block < here.size(); ++block) {
        const double times = share * double(counted.block_executions[block]);
        // A block that no traced warp has come to becomes as much machine code as PTX does on average.
        of_all += here[block] > 0 ? machine[block] * times / here[block]
                                  : times * double(trace.counted[block]) * known / ptx;
    }
    return of_all / known;
}

}  // namespace ws
