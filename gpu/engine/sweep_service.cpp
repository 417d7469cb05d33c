#include "gpu/engine/sweep_service.h"

#include <algorithm>

#include "gpu/records/record_file.h"

namespace ws {
namespace {

constexpr std::size_t kMostResults = 64;

SweepCell cell_of(const Record& record, std::string_view step) {
    SweepCell cell;
    for (std::size_t i = 0; i < record.key.kernels.size(); ++i) {
        const RecordedKernel& kernel = record.key.kernels[i];
        if (kernel.step != step) continue;
        cell.block = kernel.block;
        if (record.refused.empty() && i < record.step_ms.size()) cell.ms = record.step_ms[i];
    }
    cell.spread_ms = record.total_ms.spread();
    cell.occupancy = record.occupancy;
    cell.refused = record.refused;
    return cell;
}

std::string_view step_name(const Work& work) {
    return work.lab->steps[std::size_t(swept_step(work))].name;
}

std::vector<SweepPlan> plans_of(const SweepSubject& subject, const KernelLibrary& library,
                                const Picture& picture, const std::string& picture_name) {
    std::vector<SweepPlan> plans;
    for (const char* axis : {"block", "threads"}) {
        SweepPlan& plan = plans.emplace_back();
        plan.base = subject.work;
        plan.versions = {subject.work.version};
        plan.axes = {sweep_axis(axis, plan.base, plan.versions, {}, library)};
        plan.picture = picture;
        plan.picture_name = picture_name;
    }
    return plans;
}

}  // namespace

SweepResult& SweepService::result_of(const SweepSubject& subject) {
    const auto known = std::find_if(results_.begin(), results_.end(),
                                    [&](const SweepResult& result) { return result.subject == subject; });
    SweepResult result;
    if (known != results_.end()) {
        result = std::move(*known);
        results_.erase(known);
    } else {
        result.subject = subject;
        result.step = swept_step(subject.work);
    }
    if (results_.size() == kMostResults) results_.erase(results_.begin());
    results_.push_back(std::move(result));
    return results_.back();
}

void SweepService::start(const SweepSubject& subject, const Picture& picture,
                         const std::string& picture_name) {
    stop();
    SweepResult& result = result_of(subject);
    result.running = true;
    result.problem.clear();
    result.done = result.all = 0;
    started_ = std::chrono::steady_clock::now();
    known_ = 0;
    post_ = std::make_shared<Post>();
    job_ = Job<Done>(
        [subject, picture, picture_name, post = post_, options = options_,
         path = records_](const std::stop_token& stop) {
            std::unique_ptr<RecordFile> file;
            std::vector<Record> known;
            if (!path.empty()) {
                file = std::make_unique<RecordFile>(path);
                known = file->earlier().records;
            }
            const KernelLibrary library(options.kernel_folder);
            const std::vector<SweepPlan> plans = plans_of(subject, library, picture, picture_name);
            Engine engine(options);
            int before = 0;
            int all = 0;
            for (const SweepPlan& plan : plans) all += int(sweep_items(plan, library).size());
            for (const SweepPlan& plan : plans) {
                SweepOptions settings;
                settings.known = known;
                settings.compile_ahead = options.cache_folder;
                settings.stopped = [&] { return stop.stop_requested(); };
                settings.took = [&](SweepPoint point, int done, int) {
                    if (file && !point.known) file->append(point.record);
                    const std::lock_guard lock(post->mutex);
                    post->points.push_back(std::move(point));
                    post->done = before + done;
                    post->all = all;
                };
                run_sweep(engine, plan, library, settings);
                before += int(sweep_items(plan, library).size());
            }
            return Done{};
        },
        Priority::gives_way);
}

void SweepService::stop() {
    if (!job_.active()) return;
    job_ = {};  // asks it to stop and waits
    take_points();
    results_.back().running = false;
    results_.back().seconds_left = 0;
}

void SweepService::take_points() {
    std::vector<SweepPoint> points;
    SweepResult& result = results_.back();
    {
        const std::lock_guard lock(post_->mutex);
        points.swap(post_->points);
        result.done = post_->done;
        result.all = post_->all;
    }
    for (const SweepPoint& point : points) {
        result.gpu = point.record.place.gpu;
        result.kind = point.record.place.kind;
        known_ += point.known ? 1 : 0;
        result.put(cell_of(point.record, step_name(result.subject.work)));
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    const int fresh = result.done - known_;
    result.seconds_left = fresh > 0 ? seconds / fresh * (result.all - result.done) : 0;
}

bool SweepService::update() {
    if (!job_.active()) return false;
    const std::size_t before = results_.back().cells.size();
    const int done = results_.back().done;
    take_points();
    const std::optional<Result<Done>> ended = job_.poll();
    if (ended) {
        take_points();  // of what ended between
        SweepResult& result = results_.back();
        result.running = false;
        result.seconds_left = 0;
        if (!ended->ok()) result.problem = ended->message();
    }
    return ended || results_.back().cells.size() != before || results_.back().done != done;
}

const SweepResult* SweepService::find(const SweepSubject& subject) const {
    const auto known = std::find_if(results_.begin(), results_.end(),
                                    [&](const SweepResult& result) { return result.subject == subject; });
    return known == results_.end() ? nullptr : &*known;
}

SweepResult recorded_sweep(const Recordings& recordings, const SweepSubject& subject,
                           const PlannedWork& planned) {
    SweepResult result;
    result.subject = subject;
    result.step = swept_step(subject.work);
    result.gpu = planned.gpu;
    result.kind = Kind::recorded;
    const std::string_view step = step_name(subject.work);
    RecordKey wanted = record_key(planned, subject.input.size);
    const auto same_but_block = [&](RecordKey key) {
        for (RecordKey* one : {&key, &wanted}) {
            for (RecordedKernel& kernel : one->kernels) {
                if (kernel.step == step) kernel.block = {};
            }
        }
        return key == wanted;
    };
    for (const Record* record : recordings.of(planned.gpu, wanted.lab, wanted.version)) {
        if (same_but_block(record->key)) result.put(cell_of(*record, step));
    }
    result.done = result.all = int(result.cells.size());
    return result;
}

}  // namespace ws
