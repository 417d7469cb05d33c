#include "app/window/sweep_desk.h"

namespace ws {
namespace {

// As a sweep runs it: on this machine's GPU, else on the one that is simulated.
SweepSubject subject_on(const Snapshot& snapshot, Work work, const InputKey& input,
                        SweepOver over = SweepOver::block) {
    const bool measures = snapshot.device.can.measures_time;
    work.device = measures ? DeviceKind::cuda : DeviceKind::simt;
    if (measures)
        work.target_gpu.clear();
    else if (work.target_gpu.empty())
        work.target_gpu = snapshot.target.gpu.name;
    return subject_of(std::move(work), input, over);
}

}  // namespace

void SweepDesk::toggle(const Engine& engine, SweepOver over) {
    if (service_.running()) {
        service_.stop();
        return;
    }
    const Snapshot& snapshot = engine.snapshot();
    if (!snapshot.problem || snapshot.compiler.missing || !runs_anything(snapshot.work)) return;
    if (over == SweepOver::size) {
        // What was recorded need not run.
        std::vector<SweepSubject> subjects;
        for (const OverSizes& one : sizes_) {
            if (one.recorded.result.cells.empty()) subjects.push_back(one.subject);
        }
        service_.start(std::move(subjects), nullptr, {});
        return;
    }
    if (page_.now && page_.now->kind == Kind::recorded) return;  // it is all there
    const bool picture = snapshot.work.lab->takes_picture();
    service_.start({subject_on(snapshot, snapshot.work, engine.input())},
                   picture ? engine.picture() : nullptr, snapshot.input_name);
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

bool SweepDesk::is_of(const Snapshot& snapshot) const {
    if (sizes_.empty() || measures_ != snapshot.device.can.measures_time) return false;
    // Compared without a copy: a steady frame takes no memory.
    const Work& now = snapshot.work;
    return sizes_of_.lab == now.lab && sizes_of_.version == now.version && sizes_of_.view == now.view &&
           sizes_of_.blocks == now.blocks && sizes_of_.knobs == now.knobs && sizes_of_.device == now.device &&
           sizes_of_.target_gpu == now.target_gpu;
}

void SweepDesk::update_sizes(const Engine& engine) {
    const Snapshot& snapshot = engine.snapshot();
    if (!is_of(snapshot)) {
        sizes_.clear();
        sizes_of_ = snapshot.work;
        measures_ = snapshot.device.can.measures_time;
        for (const Version& version : snapshot.work.lab->versions) {
            const bool now = version.number == snapshot.work.version;
            Work work = now ? snapshot.work : with_version(snapshot.work, version);
            sizes_.push_back({subject_on(snapshot, std::move(work), {}, SweepOver::size), {}});
        }
    }
    curves_.clear();
    for (OverSizes& one : sizes_)
        curves_.push_back({one.subject.work.version, find(engine, one.subject, one.recorded)});
    page_.sizes = curves_;
}

void SweepDesk::update(const Engine& engine, bool sizes) {
    (void)service_.update();
    const Snapshot& snapshot = engine.snapshot();
    page_ = {};
    if (!snapshot.problem || !runs_anything(snapshot.work)) return;
    if (sizes) {
        update_sizes(engine);
        return;
    }
    page_.now = find(engine, subject_on(snapshot, snapshot.work, engine.input()), now_);
    if (snapshot.told.baseline && runs_anything(snapshot.told.baseline->work))
        page_.base = find(
            engine, subject_on(snapshot, snapshot.told.baseline->work, snapshot.told.baseline->key.input),
            base_);
}

}  // namespace ws
