#include "gpu/engine/sweep_service.h"

#include <algorithm>
#include <set>

#include "gpu/core/numbers.h"
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

// What the file of the first kernel that runs and has the knob says.
int own_value(const PlannedWork& planned, const std::string& name) {
    for (const PlannedKernel& kernel : planned.kernels) {
        if (!kernel.runs) continue;
        for (const Knob& knob : kernel.request.source->knobs) {
            if (knob.name == name) return knob.value;
        }
    }
    return 0;
}

// The value of a knob in a record: where none of its kernels has another one, their file's own.
int value_in(const Record& record, const std::string& knob, int own) {
    for (const RecordedKernel& kernel : record.key.kernels) {
        if (const auto found = kernel.knobs.find(knob); found != kernel.knobs.end()) return found->second;
    }
    return own;
}

// Of all steps together.
SweepCell whole_cell(const Record& record) {
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

SweepCell cell_of(const SweepSubject& subject, const SweepPoint& point) {
    if (subject.over.kind == SweepOver::Kind::block) return cell_of(point.record, step_name(subject.work));
    SweepCell cell = whole_cell(point.record);
    cell.gb_s = point.gb_s.value_or(0);
    if (subject.over.kind == SweepOver::Kind::knob)
        cell.value = parse_number<int>(point.at.front()).value_or(0);
    return cell;
}

// What runs in turn, and which subject each is of.
struct SweepParts {
    std::vector<SweepPlan> plans;
    std::vector<std::size_t> of;
};

// The values of the knob in any of the subjects, ascending.
std::set<int> values_over(const std::vector<SweepSubject>& subjects, const KernelLibrary& library) {
    std::set<int> values;
    for (const SweepSubject& subject : subjects) {
        const Knob* knob = running_knob(subject.work, subject.over.knob, library);
        if (!knob) continue;
        for (const int value : values_of(*knob)) values.insert(value);
    }
    return values;
}

SweepParts parts_of(const std::vector<SweepSubject>& subjects, const KernelLibrary& library,
                    const Picture& picture, const std::string& picture_name) {
    SweepParts parts;
    const auto add = [&](std::size_t of, SweepAxis axis) {
        SweepPlan& plan = parts.plans.emplace_back();
        parts.of.push_back(of);
        plan.base = subjects[of].work;
        plan.versions = {subjects[of].work.version};
        plan.axes = {std::move(axis)};
        plan.picture = picture;
        plan.picture_name = picture_name;
    };
    // An input is made once for all: each place goes round the subjects.
    const auto add_all = [&](const SweepAxis& axis) {
        for (std::size_t i = 0; i < subjects.size(); ++i) add(i, axis);
    };
    const SweepOver& over = subjects.front().over;
    switch (over.kind) {
        case SweepOver::Kind::block:
            for (std::size_t i = 0; i < subjects.size(); ++i) {
                const Work& work = subjects[i].work;
                for (const char* axis : {"block", "threads"})
                    add(i, sweep_axis(axis, work, {work.version}, {}, library));
            }
            break;
        case SweepOver::Kind::size:
            for (const Extent size : sizes_within(*subjects.front().work.lab, kMostSweptBytes))
                add_all(size_axis({size}));
            break;
        case SweepOver::Kind::knob:
            for (const int value : values_over(subjects, library))
                add_all({over.knob, {std::to_string(value)}});
            break;
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
            const SweepParts parts = parts_of(subjects, library, picture, picture_name);
            Engine engine(options);
            SweepOptions settings;
            settings.known = known;
            settings.compile_ahead = options.cache_folder;
            settings.stopped = [&] { return stop.stop_requested(); };
            settings.took = [&](SweepPoint point, int done, int all) {
                if (file && !point.known) file->append(point.record);
                const std::lock_guard lock(post->mutex);
                post->points.emplace_back(parts.of[point.plan], std::move(point));
                post->done = done;
                post->all = all;
            };
            run_sweep(engine, parts.plans, library, settings);
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
        result.put(cell_of(result.subject, point));
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
    const SweepOver& over = subject.over;
    const std::string_view step = step_name(subject.work);
    const bool picture = subject.work.lab->takes_picture();
    RecordKey wanted = record_key(
        planned, picture || over.kind == SweepOver::Kind::block ? subject.input.size : subject.work.size);
    const auto same_but_place = [&](RecordKey key) {
        for (RecordKey* one : {&key, &wanted}) {
            if (over.kind == SweepOver::Kind::size) one->size = {};
            for (RecordedKernel& kernel : one->kernels) {
                if (over.kind == SweepOver::Kind::block && kernel.step == step) kernel.block = {};
                if (over.kind == SweepOver::Kind::knob) kernel.knobs.erase(over.knob);
            }
        }
        return key == wanted;
    };
    for (const Record* record : recordings.of(planned.gpu, wanted.lab, wanted.version)) {
        if (!same_but_place(record->key)) continue;
        SweepCell cell = over.kind == SweepOver::Kind::block ? cell_of(*record, step) : whole_cell(*record);
        if (over.kind != SweepOver::Kind::block && subject.work.lab->bandwidth && cell.ms > 0)
            cell.gb_s = bytes_at(planned, cell.size) / cell.ms / 1e6;
        if (over.kind == SweepOver::Kind::knob)
            cell.value = value_in(*record, over.knob, own_value(planned, over.knob));
        result.put(std::move(cell));
    }
    result.done = result.all = int(result.cells.size());
    return result;
}

}  // namespace ws
