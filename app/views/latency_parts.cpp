#include "app/views/latency_parts.h"

#include <algorithm>
#include <cmath>

namespace ws {
namespace {

// Where nothing was chosen: so few that a single issue is seen.
constexpr double kFirstClocks = 600;

const ClockedKernel* known(const ChosenClock& clock) {
    return clock.many ? clock.many.get() : clock.few.get();
}

// From which on every place has had a warp: the blocks of a multiprocessor do not come at once.
double first_full(const ChosenClock& clock) {
    std::int64_t first = 0;
    if (clock.many) {
        for (const TimelineRow& row : clock.many->timeline.rows) {
            if (!row.spans.empty()) first = std::max(first, row.spans.front().from);
        }
    }
    return double(first);
}

SeenClocks within(SeenClocks range, double all) {
    range.clocks = std::clamp(range.clocks, std::min(kFewestClocks, all), all);
    range.from = std::clamp(range.from, 0.0, all - range.clocks);
    return range;
}

}  // namespace

int most_blocks(const StepSnapshot& step) {
    const ClockedKernel* kernel = known(step.counts.clock);
    // The same for any number of blocks that is chosen, while another one is run.
    const bool of_this = kernel && step.counts.result && kernel->key.counts == step.counts.result->key;
    if (kernel && (of_this || !step.counts.clock.stale || !step.occupancy.now)) return kernel->most_blocks;
    return step.occupancy.now ? step.occupancy.now->active_blocks : 0;
}

int scheduler_warps(const StepSnapshot& step, int blocks) {
    const ClockedKernel* kernel = known(step.counts.clock);
    ClockedKernel made;
    made.blocks = blocks;
    if (kernel) made.schedulers = kernel->schedulers;
    made.warps_per_block = step.occupancy.now ? step.occupancy.now->warps_per_block
                           : kernel           ? kernel->warps_per_block
                                              : 0;
    return made.warps();
}

int warp_places(const Snapshot& snapshot, const ChosenClock& clock) {
    const ClockedKernel* kernel = known(clock);
    const int schedulers = kernel ? kernel->schedulers : ClockedKernel{}.schedulers;
    int places = snapshot.target.gpu.limits.warps_per_multiprocessor / std::max(1, schedulers);
    for (const auto& one : {clock.few.get(), clock.many.get()}) {
        if (one) places = std::max(places, int(one->timeline.rows.size()));
    }
    return std::max(1, places);
}

Resident resident_blocks(const StepSnapshot& step, const LatencyPage& page) {
    const int most = std::max(1, most_blocks(step));
    return {std::clamp(page.few, 1, most), page.many == 0 ? most : std::clamp(page.many, 1, most)};
}

ChooseResident to_resident(const StepSnapshot& step, Resident blocks) {
    const int most = std::max(1, most_blocks(step));
    const int many = std::clamp(blocks.many, 1, most);
    return {std::clamp(blocks.few, 1, most), many == most ? 0 : many};
}

double all_clocks(const ChosenClock& clock) {
    std::int64_t all = 0;
    for (const auto& one : {clock.few.get(), clock.many.get()}) {
        if (one) all = std::max(all, one->timeline.clocks);
    }
    return double(std::max<std::int64_t>(1, all));
}

SeenClocks seen_clocks(const LatencyPage& page, const ChosenClock& clock) {
    const double all = all_clocks(clock);
    return page.clocks > 0 ? within({page.from, page.clocks}, all)
                           : within({first_full(clock), kFirstClocks}, all);
}

SeenClocks zoomed(SeenClocks range, double around, double factor, double all) {
    const double clocks = std::clamp(range.clocks / factor, std::min(kFewestClocks, all), all);
    const double share = (around - range.from) / range.clocks;
    return within({around - share * clocks, clocks}, all);
}

SeenClocks panned(SeenClocks range, double by, double all) {
    return within({range.from + by, range.clocks}, all);
}

const TimelineSpan* span_at(const TimelineRow& row, double clock) {
    const auto next =
        std::upper_bound(row.spans.begin(), row.spans.end(), clock,
                         [](double at, const TimelineSpan& span) { return at < double(span.from); });
    if (next == row.spans.begin()) return nullptr;
    const TimelineSpan& span = *std::prev(next);
    return clock < double(span.until) ? &span : nullptr;
}

std::optional<IssuedAt> issued_at(const WarpTimeline& timeline, double clock) {
    const TimelineSpan* latest = nullptr;
    IssuedAt issued;
    for (std::size_t row = 0; row < timeline.rows.size(); ++row) {
        const std::vector<TimelineSpan>& spans = timeline.rows[row].spans;
        auto next =
            std::upper_bound(spans.begin(), spans.end(), clock,
                             [](double at, const TimelineSpan& span) { return at < double(span.from); });
        while (next != spans.begin() && std::prev(next)->state != WarpState::issuing) --next;
        if (next == spans.begin()) continue;
        const TimelineSpan& span = *std::prev(next);
        if (latest && latest->until >= span.until) continue;
        latest = &span;
        issued = {int(row), span.instruction, clock < double(span.until)};
    }
    return latest ? std::optional(issued) : std::nullopt;
}

std::string_view line_text(std::string_view source, int line) {
    for (int number = 1; line > 0; ++number) {
        const std::size_t end = source.find('\n');
        if (number == line) {
            source = source.substr(0, end);
            const std::size_t first = source.find_first_not_of(" \t");
            return first == std::string_view::npos ? std::string_view() : source.substr(first);
        }
        if (end == std::string_view::npos) break;
        source.remove_prefix(end + 1);
    }
    return {};
}

}  // namespace ws
