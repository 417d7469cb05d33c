#include "app/window/tries.h"

#include <cmath>

namespace ws {
namespace {

bool is_of(const Try& tried, const WorkFigures& figures, const Work& work) {
    return figures.work == work && !figures.steps.empty() && figures.steps.front().key.input == tried.input;
}

}  // namespace

WorkEdit edit_of(const Candidate& candidate) {
    switch (candidate.kind) {
        case Candidate::Kind::block:
            return ChooseBlock{candidate.step, candidate.work.block(candidate.step)};
        case Candidate::Kind::knob:
            return ChooseKnob{candidate.knob, candidate.value};
        case Candidate::Kind::version:
            break;
    }
    return ChooseVersion{candidate.work.version};
}

Try try_of(const Advice& advice, const Candidate& candidate) {
    return {advice.work,         candidate.work, advice.input,   candidate.gain.value_or(1),
            candidate.estimated, std::nullopt,   Kind::estimated};
}

void note_outcomes(const Snapshot& snapshot, const ViewState& view, Edits& edits) {
    constexpr double kSame = 0.005;
    if (snapshot.told.stale || !snapshot.told.baseline) return;
    for (std::size_t i = 0; i < view.story.tries.size(); ++i) {
        const Try& tried = view.story.tries[i];
        if (!is_of(tried, snapshot.told.now, tried.to) || !is_of(tried, *snapshot.told.baseline, tried.from))
            continue;
        const std::optional<TimePair> pair = times_of(snapshot.told.now, *snapshot.told.baseline);
        if (!pair) continue;
        const double got = pair->speedup();
        if (tried.got && tried.kind == pair->now.kind && std::abs(*tried.got / got - 1) < kSame) continue;
        edits.add(NoteOutcome{i, got, pair->now.kind});
    }
}

const Try* told_try(const Snapshot& snapshot, const ViewState& view) {
    for (const Try& tried : view.story.tries) {
        if (is_of(tried, snapshot.told.now, tried.to) && snapshot.told.baseline &&
            snapshot.told.baseline->work == tried.from)
            return &tried;
    }
    for (const Try& tried : view.story.tries) {
        if (is_of(tried, snapshot.told.now, tried.from)) return &tried;
    }
    return nullptr;
}

}  // namespace ws
