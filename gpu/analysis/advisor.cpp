#include "gpu/analysis/advisor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "gpu/analysis/hotspot.h"
#include "gpu/analysis/prediction.h"

namespace ws {
namespace {

// The figures that an advice is of.
struct Case {
    const Snapshot& snapshot;
    const KnownFigures& known;
    const StepResult& hot;
    const StepSnapshot& step;
    double all_ms = 0;

    // Of the whole work, if the hot step took so long.
    [[nodiscard]] double gain(double hot_ms) const {
        return all_ms / std::max(1e-12, all_ms - hot.estimate->ms + hot_ms);
    }
};

const StepResult* hottest(const WorkFigures& figures) {
    const StepResult* found = nullptr;
    for (const StepResult& step : figures.steps) {
        if (step.estimate && step.occupancy && (!found || step.estimate->ms > found->estimate->ms))
            found = &step;
    }
    return found;
}

std::string limit_of(const WorkFigures& figures) {
    const StepResult* hot = hottest(figures);
    return hot && hot->estimate->ms > 0 ? std::string(hot->estimate->bounds.front().name) : std::string();
}

bool gains_more(const Candidate& a, const Candidate& b) {
    // A hundredth more is nothing: the lab's own blocks, which come first, stay in front.
    return std::lround(100 * a.gain.value_or(0)) > std::lround(100 * b.gain.value_or(0));
}
bool worth_trying(const Candidate& candidate) {
    return candidate.gain && *candidate.gain >= kWorthTrying;
}

// ---- within the version

// The best of these, by what is known of them, where anything is.
void keep_best(const Case& at, std::vector<Candidate>& list) {
    constexpr std::size_t kLookedUp = 6;
    std::erase_if(list, [](const Candidate& one) { return !worth_trying(one); });
    std::stable_sort(list.begin(), list.end(), gains_more);
    if (list.size() > kLookedUp) list.resize(kLookedUp);
    for (Candidate& one : list) {
        const std::optional<WorkFigures> figures = at.known(one.work);
        const std::optional<double> ms = figures ? figures->estimated() : std::nullopt;
        if (!ms) continue;
        one.gain = at.all_ms / *ms;
        one.estimated = true;
        one.limit = limit_of(*figures);
    }
    std::erase_if(list, [](const Candidate& one) { return !worth_trying(one); });
    std::stable_sort(list.begin(), list.end(), gains_more);
    if (list.size() > 1) list.resize(1);
}

Candidate within_version(const Case& at, Candidate::Kind kind) {
    Candidate made;
    made.kind = kind;
    made.work = at.snapshot.told.now.work;
    made.step = at.step.step;
    return made;
}

void expect(const Case& at, const StepResult& then, Candidate& candidate) {
    candidate.gain = at.gain(then.estimate->ms);
    candidate.limit = then.estimate->bounds.front().name;
}

std::vector<Candidate> other_blocks(const Case& at) {
    const Lab& lab = *at.snapshot.told.now.work.lab;
    Prediction prediction({lab, at.hot, at.step.source, at.step.knobs});
    std::vector<Candidate> list;
    for (const Block block : blocks_to_try(lab, at.step.source, at.hot.key.gpu.limits)) {
        if (block == at.hot.key.launch.block) continue;
        const std::optional<StepResult> then = prediction.of(block, at.step.knobs);
        if (!then) continue;
        list.push_back(within_version(at, Candidate::Kind::block));
        list.back().work.block(at.step.step) = block;
        expect(at, *then, list.back());
    }
    keep_best(at, list);
    return list;
}

std::vector<Candidate> other_knobs(const Case& at) {
    Prediction prediction({*at.snapshot.told.now.work.lab, at.hot, at.step.source, at.step.knobs});
    std::vector<Candidate> list;
    for (const Knob& knob : at.step.source.knobs) {
        const auto in_force = at.step.knobs.find(knob.name);
        if (is_block_side(knob) || !is_predictable(at.step.source, knob) || in_force == at.step.knobs.end())
            continue;
        const int value = in_force->second;
        for (const int other : {2 * value, value / 2, value + 1, value - 1}) {
            if (other < knob.low || other > knob.high || other == value) continue;
            KnobValues knobs = at.step.knobs;
            knobs[knob.name] = other;
            const std::optional<StepResult> then = prediction.of(at.hot.key.launch.block, knobs);
            if (!then) continue;
            list.push_back(within_version(at, Candidate::Kind::knob));
            list.back().knob = knob.name;
            list.back().value = other;
            list.back().work.knobs[knob.name] = other;
            expect(at, *then, list.back());
        }
    }
    keep_best(at, list);
    return list;
}

// ---- other versions

double bound_of(const WorkFigures& figures, const std::string_view name) {
    double sum = 0;
    for (const StepResult& step : figures.steps) {
        for (const Bound& bound : step.estimate->bounds) {
            if (bound.name == name) sum += bound.ms;
        }
    }
    return sum;
}

// The next ones that are faster because what limits now takes less of them. One that is not counted yet may
// be; only the first of those is told.
std::vector<Candidate> next_versions(const Case& at) {
    const std::size_t kMost = kMostCandidates;
    const WorkFigures& now = at.snapshot.told.now;
    const std::string_view limit = at.hot.estimate->bounds.front().name;
    std::vector<Candidate> list;
    bool passed = false;
    for (const Version& version : now.work.lab->versions) {
        if (version.number == now.work.version) {
            passed = true;
            continue;
        }
        const auto found = at.snapshot.told.versions.find(version.number);
        if (!passed || list.size() == kMost || found == at.snapshot.told.versions.end()) continue;
        const WorkFigures& figures = found->second;
        // One that computes something else is no way to go on: a copy is no transpose.
        if (!figures.problem.empty() || figures.key.shows != now.key.shows) continue;
        Candidate made;
        made.kind = Candidate::Kind::version;
        made.work = with_version(now.work, version);
        const std::optional<double> ms = figures.estimated();
        if (ms) {
            made.gain = at.all_ms / *ms;
            made.estimated = true;
            made.limit = limit_of(figures);
            if (!worth_trying(made) || bound_of(figures, limit) > 0.95 * bound_of(now, limit)) continue;
        } else if (figures.counted()) {
            continue;  // counted, and still no time: it cannot run there
        } else if (!list.empty()) {
            break;
        }
        list.push_back(std::move(made));
        if (!ms) break;
    }
    return list;
}

// Two ways to the same launches: V3 is V0 in another block.
bool same_launches(const Case& at, const Candidate& a, const Candidate& b) {
    const std::optional<WorkFigures> one = at.known(a.work);
    const std::optional<WorkFigures> other = at.known(b.work);
    return one && other && one->key == other->key;
}

// One of each kind, then further versions.
std::vector<Candidate> chosen(const Case& at) {
    std::vector<Candidate> list = other_blocks(at);
    for (Candidate& one : other_knobs(at)) list.push_back(std::move(one));
    for (Candidate& one : next_versions(at)) {
        const bool known = std::any_of(list.begin(), list.end(),
                                       [&](const Candidate& other) { return same_launches(at, one, other); });
        if (!known && list.size() < kMostCandidates) list.push_back(std::move(one));
    }
    std::stable_sort(list.begin(), list.end(), gains_more);
    return list;
}

std::string_view line_of(std::string_view text, int number) {
    for (int at = 1; at < number; ++at) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    text = text.substr(0, text.find('\n'));
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

std::vector<Block> blocks_to_try(const Lab& lab, const KernelSource& source, const GpuLimits& limits) {
    constexpr int kLeastThreads = 64;  // the lecture: at least, and whole warps
    std::vector<Block> list;
    const auto add = [&](Block block) {
        const int threads = block.threads();
        const bool fits =
            threads <= limits.threads_per_block && block.x <= limits.block[0] && block.y <= limits.block[1];
        if (!fits || threads < kLeastThreads || threads % 32 != 0 || !(fitted(source, block) == block))
            return;
        if (std::find(list.begin(), list.end(), block) == list.end()) list.push_back(block);
    };
    for (const Block block : lab.presets) add(block);
    for (const int x : {8, 16, 32, 64, 128}) {
        for (const int y : {1, 2, 4, 8, 16, 32}) add({x, y});
    }
    return list;
}

bool held(double expected, double got) {
    const bool same_way = (expected > 1) == (got > 1);
    return same_way && std::abs(got / expected - 1) <= kHolds;
}

std::string title_of(const Candidate& candidate) {
    const Lab& lab = *candidate.work.lab;
    switch (candidate.kind) {
        case Candidate::Kind::block:
            return fmt::format("block {} for {}", to_string(candidate.work.block(candidate.step)),
                               lab.steps[std::size_t(candidate.step)].name);
        case Candidate::Kind::knob:
            return fmt::format("knob {} = {}", candidate.knob, candidate.value);
        case Candidate::Kind::version:
            break;
    }
    const Version& version = version_of(lab, candidate.work.version);
    return fmt::format("V{} {}", version.number, version.title);
}

std::optional<Advice> advise(const Snapshot& snapshot, const KnownFigures& known) {
    const WorkFigures& now = snapshot.told.now;
    const std::optional<double> all_ms = now.estimated();
    const StepResult* hot = hottest(now);
    if (snapshot.told.stale || !all_ms || !hot) return std::nullopt;
    const int place = hot->key.launch.step;
    if (place < 0 || std::size_t(place) >= snapshot.steps.size()) return std::nullopt;
    const Case at{snapshot, known, *hot, snapshot.steps[std::size_t(place)], *all_ms};
    const Diagnosis diagnosis = diagnose(*hot, at.step.least_bytes);
    Advice made;
    made.work = now.work;
    made.input = hot->key.input;
    made.step = place;
    made.share = hot->estimate->ms / *all_ms;
    made.category = diagnosis.category;
    made.evidence = diagnosis.evidence;
    made.line = diagnosis.line;
    made.line_text = line_of(at.step.counts.source.text, diagnosis.line);
    made.floor = diagnosis.floor;
    made.at_floor = made.floor > 0 && made.floor <= kAtFloor;
    made.candidates = chosen(at);
    return made;
}

}  // namespace ws
