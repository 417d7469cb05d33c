#include "app/window/sweep_desk.h"

namespace ws {
namespace {

// As a sweep runs it: on this machine's GPU, else on the one that is simulated.
SweepSubject subject_on(const Snapshot& snapshot, Work work, const InputKey& input) {
    const bool measures = snapshot.device.can.measures_time;
    work.device = measures ? DeviceKind::cuda : DeviceKind::simt;
    if (measures)
        work.target_gpu.clear();
    else if (work.target_gpu.empty())
        work.target_gpu = snapshot.target.name;
    return subject_of(std::move(work), input);
}

}  // namespace

void SweepDesk::toggle(const Engine& engine) {
    if (service_.running()) {
        service_.stop();
        return;
    }
    const Snapshot& snapshot = engine.snapshot();
    if (page_.now && page_.now->kind == Kind::recorded) return;  // it is all there
    if (!snapshot.problem || snapshot.compiler_missing || !runs_anything(snapshot.work)) return;
    const bool picture = snapshot.work.lab->takes_picture();
    service_.start(subject_on(snapshot, snapshot.work, engine.input()), picture ? engine.picture() : nullptr,
                   snapshot.input_name);
}

const SweepResult* SweepDesk::find(const Engine& engine, const SweepSubject& subject, Recorded& recorded) {
    const Recordings* recordings = engine.recordings();
    if (recordings && !engine.snapshot().device.can.measures_time) {
        if (recorded.of != recordings || !(recorded.result.subject == subject)) {
            recorded.result = recorded_sweep(*recordings, subject, engine.plan_of(subject.work));
            recorded.of = recordings;
        }
        if (!recorded.result.cells.empty()) return &recorded.result;
    }
    return service_.find(subject);
}

void SweepDesk::update(const Engine& engine) {
    (void)service_.update();
    const Snapshot& snapshot = engine.snapshot();
    page_ = {};
    if (!snapshot.problem || !runs_anything(snapshot.work)) return;
    page_.now = find(engine, subject_on(snapshot, snapshot.work, engine.input()), now_);
    if (snapshot.baseline && runs_anything(snapshot.baseline->work))
        page_.base =
            find(engine, subject_on(snapshot, snapshot.baseline->work, snapshot.baseline->key.input), base_);
}

}  // namespace ws
