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

// What has to be moved at least, for work of this size.
double bytes_at(const PlannedWork& planned, Extent size) {
    double bytes = 0;
    for (const PlannedKernel& kernel : planned.kernels) {
        if (kernel.runs) bytes += double(least_bytes(*planned.work.lab, kernel.launch.arguments, size));
    }
    return bytes;
}

// Of all steps together, at the record's size.
SweepCell size_cell(const Record& record) {
    SweepCell cell;
    cell.size = record.key.size;
    cell.ms = record.refused.empty() ? record.total_ms.median : 0;
    cell.spread_ms = record.total_ms.spread();
    cell.occupancy = record.occupancy;
    cell.refused = record.refused;
    return cell;
}

std::string_view step_name(const Work& work) {
    return work.lab->steps[std::size_t(swept_step(work))].name;
}

// A part of a sweep, and which of its subjects it is of.
struct SweepPart {
    std::size_t of = 0;
    SweepPlan plan;
};

std::vector<SweepPart> parts_of(const std::vector<SweepSubject>& subjects, const KernelLibrary& library,
                                const Picture& picture, const std::string& picture_name) {
    std::vector<SweepPart> parts;
    const auto add = [&](std::size_t of, SweepAxis axis) {
        SweepPlan& plan = parts.emplace_back().plan;
        parts.back().of = of;
        plan.base = subjects[of].work;
        plan.versions = {subjects[of].work.version};
        plan.axes = {std::move(axis)};
        plan.picture = picture;
        plan.picture_name = picture_name;
    };
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        const Work& work = subjects[i].work;
        if (subjects[i].over == SweepOver::size) continue;
        for (const char* axis : {"block", "threads"})
            add(i, sweep_axis(axis, work, {work.version}, {}, library));
    }
    // An input is made once for all.
    for (const Extent size : sizes_within(*subjects.front().work.lab, kMostSweptBytes)) {
        for (std::size_t i = 0; i < subjects.size(); ++i) {
            if (subjects[i].over == SweepOver::size) add(i, size_axis({size}));
        }
    }
    return parts;
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

void SweepService::start(std::vector<SweepSubject> subjects, const Picture& picture,
                         const std::string& picture_name) {
    stop();
    if (subjects.empty()) return;
    subjects_ = std::move(subjects);
    for (const SweepSubject& subject : subjects_) {
        SweepResult& result = result_of(subject);
        result.running = true;
        result.problem.clear();
        result.done = result.all = 0;
    }
    started_ = std::chrono::steady_clock::now();
    known_ = 0;
    post_ = std::make_shared<Post>();
    job_ = Job<Done>(
        [subjects = subjects_, picture, picture_name, post = post_, options = options_,
         path = records_](const std::stop_token& stop) {
            std::unique_ptr<RecordFile> file;
            std::vector<Record> known;
            if (!path.empty()) {
                file = std::make_unique<RecordFile>(path);
                known = file->earlier().records;
            }
            const KernelLibrary library(options.kernel_folder);
            const std::vector<SweepPart> parts = parts_of(subjects, library, picture, picture_name);
            Engine engine(options);
            int before = 0;
            int all = 0;
            for (const SweepPart& part : parts) all += int(sweep_items(part.plan, library).size());
            for (const SweepPart& part : parts) {
                SweepOptions settings;
                settings.known = known;
                settings.compile_ahead = options.cache_folder;
                settings.stopped = [&] { return stop.stop_requested(); };
                settings.took = [&](SweepPoint point, int done, int) {
                    if (file && !point.known) file->append(point.record);
                    const std::lock_guard lock(post->mutex);
                    post->points.emplace_back(part.of, std::move(point));
                    post->done = before + done;
                    post->all = all;
                };
                run_sweep(engine, part.plan, library, settings);
                before += int(sweep_items(part.plan, library).size());
            }
            return Done{};
        },
        Priority::gives_way);
}

void SweepService::end(const std::string& problem) {
    for (const SweepSubject& subject : subjects_) {
        SweepResult& result = result_of(subject);
        result.running = false;
        result.seconds_left = 0;
        result.problem = problem;
    }
}

void SweepService::stop() {
    if (!job_.active()) return;
    job_ = {};  // asks it to stop and waits
    take_points();
    end({});
}

bool SweepService::take_points() {
    std::vector<std::pair<std::size_t, SweepPoint>> points;
    int done = 0;
    int all = 0;
    {
        const std::lock_guard lock(post_->mutex);
        points.swap(post_->points);
        done = post_->done;
        all = post_->all;
    }
    if (points.empty()) return false;
    for (const auto& [of, point] : points) {
        SweepResult& result = result_of(subjects_[of]);
        result.gpu = point.record.place.gpu;
        result.kind = point.record.place.kind;
        known_ += point.known ? 1 : 0;
        const bool sizes = result.subject.over == SweepOver::size;
        SweepCell cell =
            sizes ? size_cell(point.record) : cell_of(point.record, step_name(result.subject.work));
        cell.gb_s = sizes ? point.gb_s.value_or(0) : 0;
        result.put(std::move(cell));
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    const int fresh = done - known_;
    for (const SweepSubject& subject : subjects_) {
        SweepResult& result = result_of(subject);
        result.done = done;
        result.all = all;
        result.seconds_left = fresh > 0 ? seconds / fresh * (all - done) : 0;
    }
    return true;
}

bool SweepService::update() {
    if (!job_.active()) return false;
    bool took = take_points();
    if (const std::optional<Result<Done>> ended = job_.poll()) {
        took |= take_points();  // of what ended between
        end(ended->ok() ? std::string() : ended->message());
        return true;
    }
    return took;
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
    const bool sizes = subject.over == SweepOver::size;
    const auto same_but_place = [&](RecordKey key) {
        for (RecordKey* one : {&key, &wanted}) {
            if (sizes) one->size = {};
            for (RecordedKernel& kernel : one->kernels) {
                if (!sizes && kernel.step == step) kernel.block = {};
            }
        }
        return key == wanted;
    };
    for (const Record* record : recordings.of(planned.gpu, wanted.lab, wanted.version)) {
        if (!same_but_place(record->key)) continue;
        SweepCell cell = sizes ? size_cell(*record) : cell_of(*record, step);
        if (sizes && subject.work.lab->bandwidth && cell.ms > 0)
            cell.gb_s = bytes_at(planned, cell.size) / cell.ms / 1e6;
        result.put(std::move(cell));
    }
    result.done = result.all = int(result.cells.size());
    return result;
}

}  // namespace ws
