#include "gpu/simt/device_launches.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <utility>

#include "gpu/core/error.h"
#include "gpu/simt/block_marks.h"
#include "gpu/simt/calls.h"
#include "gpu/simt/decode.h"
#include "gpu/simt/launch_limits.h"
#include "gpu/simt/launch_memory.h"

namespace ws::simt {
namespace {

// All blocks of a grid that a kernel launched run, and nothing of it is an example of the host's launch.
LaunchOptions options_of_child(LaunchOptions options) {
    options.blocks.clear();
    options.cache_warm_up = 0;
    options.window_blocks = 0;
    options.example_block = ~0ull;
    options.example_warps = false;
    options.trace = {};
    options.blocks_done = nullptr;
    return options;
}

void add_line(std::vector<LineCounts>& lines, int line, const InstructionCounts& counts) {
    const auto at = std::lower_bound(lines.begin(), lines.end(), line,
                                     [](const LineCounts& one, int wanted) { return one.line < wanted; });
    if (at != lines.end() && at->line == line)
        at->counts += counts;
    else
        lines.insert(at, {line, counts});
}

void add_finding(std::vector<Finding>& findings, Finding finding) {
    for (Finding& known : findings) {
        if (known.kind != finding.kind || known.line != finding.line) continue;
        known.count += finding.count;
        return;
    }
    findings.push_back(std::move(finding));
}

// What a child did counts as the launch's own; how many blocks and warps the host launched stays.
void join(LaunchOutcome& sum, LaunchOutcome child, const std::string& where) {
    KernelCounters& counters = sum.counters;
    counters.total += child.counters.total;
    for (const LineCounts& line : child.counters.lines) add_line(counters.lines, line.line, line.counts);
    counters.caches += child.counters.caches;
    // Each touches some of what the others touch: the most that one does is less than all, if anything.
    counters.unique_bytes = std::max(counters.unique_bytes, child.counters.unique_bytes);
    for (std::size_t i = 0; i < std::min(counters.partitions.size(), child.counters.partitions.size()); ++i)
        counters.partitions[i] += child.counters.partitions[i];
    counters.milliseconds += child.counters.milliseconds;
    for (Finding& finding : child.counters.findings) {
        finding.message += where;
        add_finding(counters.findings, std::move(finding));
    }
    // What ends a launch is told first.
    if (child.stopped)
        std::stable_partition(counters.findings.begin(), counters.findings.end(),
                              [](const Finding& one) { return one.kind == Finding::Kind::stopped; });
    sum.printed += child.printed;
    sum.printed_cut = sum.printed_cut || child.printed_cut;
    sum.stopped = sum.stopped || child.stopped;
    sum.cancelled = sum.cancelled || child.cancelled;
}

// As a person writes it, without its parameters.
std::string name_for_people(const std::string& symbol) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
    const std::string name = status == 0 && text ? text.get() : symbol;
    return name.substr(0, name.find('('));
}

void drop(LaunchOutcome& outcome, Finding::Kind kind) {
    std::erase_if(outcome.counters.findings, [kind](const Finding& one) { return one.kind == kind; });
}

std::vector<std::uint64_t> all_blocks(const KernelLaunch& launch) {
    std::vector<std::uint64_t> blocks(std::uint64_t(launch.grid[0]) * std::uint64_t(launch.grid[1]) *
                                      std::uint64_t(launch.grid[2]));
    std::iota(blocks.begin(), blocks.end(), std::uint64_t(0));
    return blocks;
}

// By index.
std::vector<int> unwritten_buffers(LaunchMemory& memory) {
    std::vector<int> made;
    for (const DeviceBuffer& buffer : memory.buffers()) {
        if (buffer.content == Content::unwritten) made.push_back(buffer.index);
    }
    return made;
}

// Of the outputs of all grids together, what none has written.
void find_unwritten(LaunchMemory& memory, const std::vector<int>& outputs, LaunchOutcome& outcome) {
    constexpr Finding::Kind kKind = Finding::Kind::unwritten;
    for (const DeviceBuffer& buffer : memory.buffers()) {
        const auto first = std::find(buffer.written.begin(), buffer.written.end(), false);
        const bool is_output = std::find(outputs.begin(), outputs.end(), buffer.index) != outputs.end();
        if (!is_output || buffer.content != Content::partly || first == buffer.written.end()) continue;
        const auto missing = std::size_t(std::count(first, buffer.written.end(), false));
        add_finding(outcome.counters.findings,
                    {kKind, severity_of(kKind),
                     unwritten_text(buffer, missing, std::size_t(first - buffer.written.begin())), 0});
    }
}

}  // namespace

KernelLaunch DeviceLaunches::take(std::uint64_t buffer) {
    const auto found = prepared_.find(buffer);
    if (found == prepared_.end()) return {};
    KernelLaunch launch = std::move(found->second);
    prepared_.erase(found);
    return launch;
}

void DeviceLaunches::set_kernel(std::uint64_t address, KernelLaunch& launch) {
    std::shared_ptr<const Program>& known = kernels_[address];
    if (!known) {
        const Program& from = *runs_->program;
        const PtxFunction* kernel = function_at(*from.launches_from, address);
        if (!kernel || !kernel->is_entry) throw Error("what is launched is no kernel of this file");
        Result<std::shared_ptr<const Program>> decoded =
            kernel_of(from.launches_from, from.variables, kernel->name);
        if (!decoded.ok()) throw Error(decoded.message());
        known = std::move(decoded.value());
    }
    launch.program = known;
    launch.cache = runs_->cache;
    launch.banks = runs_->banks;
    launch.parameters.resize(known->parameter_bytes);
    refuse_impossible(gpu_, launch);
}

LaunchError DeviceLaunches::add(KernelLaunch launch, std::uint64_t stream, int line) {
    if (depth_ >= kMostDepth) return LaunchError::too_deep;
    if (pending_ >= kMostPending) return LaunchError::too_many_pending;
    ++pending_;
    asked_.push_back({std::move(launch), stream == kTail, line});
    return LaunchError::none;
}

LaunchError DeviceLaunches::error_of(std::uint64_t block, int thread, bool clears) {
    const auto found = errors_.find({block, thread});
    if (found == errors_.end()) return LaunchError::none;
    const LaunchError error = found->second;
    if (clears) errors_.erase(found);
    return error;
}

LaunchOutcome DeviceLaunches::run(const LaunchContext& context, LaunchMemory& memory) {
    const std::vector<int> outputs = depth_ == 0 ? unwritten_buffers(memory) : std::vector<int>();
    runs_ = &context.launch;
    errors_.clear();
    LaunchOutcome outcome = run_grid(context, memory);
    std::vector<Asked> asked = std::exchange(asked_, {});
    if (asked.empty()) return outcome;
    // What a grid leaves is its children's to write.
    drop(outcome, Finding::Kind::unwritten);
    run_asked(context, memory, std::move(asked), outcome);
    if (depth_ == 0 && !outcome.stopped && !outcome.cancelled) find_unwritten(memory, outputs, outcome);
    return outcome;
}

void DeviceLaunches::run_asked(const LaunchContext& context, LaunchMemory& memory, std::vector<Asked> asked,
                               LaunchOutcome& outcome) {
    std::stable_partition(asked.begin(), asked.end(), [](const Asked& one) { return !one.at_the_end; });
    LaunchOptions options = options_of_child(context.options);
    ++depth_;
    for (Asked& one : asked) {
        if (outcome.stopped || outcome.cancelled) break;
        --pending_;
        InstructionCounts launched;
        launched.device_launches = 1;
        if (context.options.count) {
            outcome.counters.total += launched;
            add_line(outcome.counters.lines, one.line, launched);
        }
        const LaunchContext of_child{context.gpu,      one.launch,        options,
                                     context.textures, context.translate, context.launches};
        // Those of a launch of some blocks leave as little behind as it does.
        if (!whole_) options.blocks = all_blocks(one.launch);
        LaunchOutcome child = run(of_child, memory);
        drop(child, Finding::Kind::unwritten);
        // What its parent has written is not known then.
        if (!whole_) drop(child, Finding::Kind::uninitialised);
        join(outcome, std::move(child),
             fmt::format(", in a grid of '{}' that line {} launched",
                         name_for_people(one.launch.program->kernel), one.line));
    }
    --depth_;
}

}  // namespace ws::simt
