#include "gpu/simt/counter.h"

#include <optional>
#include <tuple>

namespace ws::simt {

Counter::Shared::Shared(const LaunchContext& context, LaunchMemory& /*memory*/, FindingLog& /*findings*/)
    : program_(*context.launch.program),
      rules_(access_rules(context.gpu.limits.capability, context.launch.banks)),
      tally_(*context.launch.program) {}

void Counter::Shared::add(const Counter& worker) {
    tally_.add(worker.blocks_, worker.sites_);
}

void Counter::Shared::report(LaunchOutcome& outcome) {
    tally_.report(outcome.counters);
}

Counter::Counter(const Shared& shared)
    : rules_(shared.rules_),
      sites_(shared.program_.code.size()),
      known_(shared.program_.memory_instructions),
      partial_(PartialPatterns::kWays * shared.program_.memory_instructions) {
    for (const Function& function : shared.program_.functions) blocks_.emplace_back(function.blocks.size());
}

void Counter::count_anew(SiteCounts& site, const WarpAccess& access) {
    if (access.instruction.kind == AccessKind::atomic) {
        ++site.requests;
        return;
    }
    const Space space = counted_space(access);
    add(site, request_counts(rules_, access, space));
    site.local_requests += space == Space::local;
    site.generic_shared |= space == Space::shared;
}

void Counter::repeated(const Instruction& instruction, const AccessPattern& pattern) {
    const MemoryAccess& memory = memory_of(instruction);
    if (memory.counts_elsewhere()) return;
    SiteCounts& site = sites_[std::size_t(instruction.site)];
    static_assert(kAlignments == std::tuple_size_v<decltype(pattern.hits)>);
    constexpr std::uint64_t kAnywhere = kAlignments << 32;
    std::array<std::uint64_t, kLanes> addresses;
    const WarpAccess access{instruction, addresses.data(), pattern.mask, &pattern};
    const auto begin_at = [&](std::uint64_t alignment) {
        for (std::size_t lane = 0; lane < addresses.size(); ++lane)
            addresses[lane] = kAnywhere + alignment + pattern.relative[lane];
    };
    begin_at(0);
    const std::optional<CloseAccess> close = CloseAccess::of(rules_, access, memory.space);
    for (std::uint64_t alignment = 0; alignment < kAlignments; ++alignment) {
        const std::uint64_t times = pattern.hits[alignment];
        if (times == 0) continue;
        if (!close) begin_at(alignment);
        add(site, close ? close->counts(alignment) : request_counts(rules_, access, memory.space), times);
    }
    site.generic_shared |= memory.space == Space::shared;
}

}  // namespace ws::simt
