#include "app/window/sweep_desk.h"

#include <algorithm>
#include <set>

namespace ws {
namespace {

// As a sweep runs it: on this machine's GPU, else on the one that is simulated.
SweepSubject subject_on(const Snapshot& snapshot, Work work, const InputKey& input, SweepOver over = {}) {
    const bool measures = snapshot.device.can.measures_time;
    const GpuPlace& place = snapshot.device.place;
    work.device = measures ? DeviceKind::cuda : DeviceKind::simt;
    work.cuda_gpu = measures && place.of > 1 ? place.number : kAnyGpu;
    if (measures)
        work.target_gpu.clear();
    else if (work.target_gpu.empty())
        work.target_gpu = snapshot.target.gpu.name;
    return subject_of(std::move(work), input, std::move(over));
}

bool same_but_for(const KnobValues& a, const KnobValues& b, const std::string& knob) {
    const auto holds = [&](const KnobValues& all, const auto& one) {
        if (one.first == knob) return true;
        const auto found = all.find(one.first);
        return found != all.end() && found->second == one.second;
    };
    return std::all_of(a.begin(), a.end(), [&](const auto& one) { return holds(b, one); }) &&
           std::all_of(b.begin(), b.end(), [&](const auto& one) { return holds(a, one); });
}

// Compared without a copy: a steady frame takes no memory.
bool same_but_for(const Work& a, const Work& b, const SweepOver& over) {
    const bool size = over.kind == SweepOver::Kind::size || a.size == b.size;
    return size && a.lab == b.lab && a.version == b.version && a.view == b.view && a.blocks == b.blocks &&
           same_but_for(a.knobs, b.knobs, over.knob) && a.device == b.device && a.cuda_gpu == b.cuda_gpu &&
           a.target_gpu == b.target_gpu;
}

// One place is on every curve that goes through it: recordings have a knob where they have several values.
bool is_there(const SweepResult& recorded) {
    const bool knob = recorded.subject.over.kind == SweepOver::Kind::knob;
    return recorded.cells.size() > (knob ? 1u : 0u);
}

}  // namespace

void SweepDesk::toggle(const Engine& engine) {
    const Snapshot& snapshot = engine.snapshot();
    const auto runs = [](const VersionCurve& curve) { return curve.result && curve.result->running; };
    const bool shown_runs = curves_.over ? std::any_of(curves_.drawn.begin(), curves_.drawn.end(), runs)
                                         : page_.now && page_.now->running;
    if (shown_runs) {
        service_.stop();
        return;
    }
    if (!snapshot.problem || snapshot.compiler.missing || !runs_anything(snapshot.work)) return;
    const bool takes_picture = snapshot.work.lab->takes_picture();
    const Picture picture = takes_picture ? engine.picture() : nullptr;
    const std::string name = takes_picture ? snapshot.input_name : "";
    if (!curves_.over) {
        if (page_.now && page_.now->kind == Kind::recorded) return;  // it is all there
        service_.start({subject_on(snapshot, snapshot.work, engine.input())}, picture, name);
        return;
    }
    // What was recorded need not run.
    std::vector<SweepSubject> subjects;
    for (const VersionSweep& one : curves_.versions) {
        if (!is_there(one.recorded.result)) subjects.push_back(one.subject);
    }
    service_.start(std::move(subjects), picture, name);
}

const SweepResult* SweepDesk::find(const Engine& engine, const SweepSubject& subject, Recorded& recorded) {
    const Recordings* recordings = engine.recordings();
    if (recordings && !engine.snapshot().device.can.measures_time) {
        if (recorded.of != recordings || !(recorded.result.subject == subject)) {
            recorded.result = recorded_sweep(*recordings, subject, engine.plan_of(subject.work));
            recorded.of = recordings;
        }
        if (is_there(recorded.result)) return &recorded.result;
    }
    return service_.find(subject);
}

bool SweepDesk::are_of(const Engine& engine, const SweepOver& over) const {
    return curves_.over == over && curves_.of.lab &&
           curves_.measures == engine.snapshot().device.can.measures_time &&
           (!curves_.of.lab->takes_picture() || curves_.input == engine.input()) &&
           same_but_for(curves_.of, engine.snapshot().work, over);
}

void SweepDesk::begin_curves(const Engine& engine, const KernelLibrary& kernels, const SweepOver& over) {
    const Snapshot& snapshot = engine.snapshot();
    curves_ = {over, snapshot.work, engine.input(), snapshot.device.can.measures_time, {}, {}, {}};
    std::set<int> values;
    for (const Version& version : snapshot.work.lab->versions) {
        const bool now = version.number == snapshot.work.version;
        Work work = now ? snapshot.work : with_version(snapshot.work, version);
        if (over.kind == SweepOver::Kind::knob) {
            const Knob* knob = running_knob(work, over.knob, kernels);
            if (!knob) continue;
            for (const int value : values_of(*knob)) values.insert(value);
        }
        curves_.versions.push_back({subject_on(snapshot, std::move(work), engine.input(), over), {}});
    }
    curves_.values.assign(values.begin(), values.end());
}

void SweepDesk::update_curves(const Engine& engine, const KernelLibrary& kernels, const SweepOver& over) {
    if (!are_of(engine, over)) begin_curves(engine, kernels, over);
    curves_.drawn.clear();
    for (VersionSweep& one : curves_.versions)
        curves_.drawn.push_back({one.subject.work.version, find(engine, one.subject, one.recorded)});
    page_.curves = curves_.drawn;
    page_.values = curves_.values;
}

void SweepDesk::update(const Engine& engine, const KernelLibrary& kernels,
                       const std::optional<SweepOver>& over) {
    (void)service_.update();
    const Snapshot& snapshot = engine.snapshot();
    page_ = {};
    if (!over) curves_.over.reset();
    if (!snapshot.problem || !runs_anything(snapshot.work)) return;
    if (over) {
        update_curves(engine, kernels, *over);
        return;
    }
    page_.now = find(engine, subject_on(snapshot, snapshot.work, engine.input()), now_);
    if (snapshot.told.baseline && runs_anything(snapshot.told.baseline->work))
        page_.base = find(
            engine, subject_on(snapshot, snapshot.told.baseline->work, snapshot.told.baseline->key.input),
            base_);
}

}  // namespace ws
