#include "gpu/simt/counter.h"

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
      known_(shared.program_.memory_instructions) {
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

}  // namespace ws::simt
