#include "gpu/engine/record_of.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/core/error.h"

namespace ws {
namespace {

// The knobs that differ from what the file says.
KnobValues changed_knobs(const StepRequest& request) {
    KnobValues changed;
    for (const Knob& knob : request.source->knobs) {
        const auto value = request.knobs.find(knob.name);
        if (value == request.knobs.end() || value->second == knob.value) continue;
        if (!is_block_side(knob)) changed.insert(*value);
    }
    return changed;
}

void take_measured(const Snapshot& snapshot, Record& record) {
    record.total_ms = snapshot.times.total_ms;
    record.clock = snapshot.times.clock;
    record.refused = snapshot.times.refused;
    for (const StepSnapshot& step : snapshot.steps) {
        if (step.runs) record.step_ms.push_back(step.times.ms.median);
    }
    record.check = english(snapshot.result.check.message);
    record.wrong = snapshot.result.check.state == Check::State::different;
}

void take_estimated(const Snapshot& snapshot, Record& record) {
    record.check = "no finding in a sample of blocks";
    double sum = 0;
    for (const StepSnapshot& step : snapshot.steps) {
        if (!step.runs) continue;
        if (!step.counts.problem.empty()) record.refused = english(step.counts.problem);
        const double ms = step.estimate() ? step.estimate()->ms : 0;
        record.step_ms.push_back(ms);
        sum += ms;
        if (!step.counters()) continue;
        for (const Finding& finding : step.counters()->findings) {
            if (finding.severity != Severity::error) continue;
            record.check = finding.message;
            record.wrong = true;
        }
    }
    record.total_ms = {sum, sum, sum, 0};
}

}  // namespace

RecordKey record_key(const PlannedWork& planned, Extent size) {
    const Work& work = planned.work;
    RecordKey key;
    key.lab = work.lab->id;
    key.version = work.version;
    key.view = work.lab->views[std::size_t(work.view)].name;
    key.size = size;
    for (const PlannedKernel& kernel : planned.kernels) {
        if (!kernel.runs) continue;
        const StepRequest& request = kernel.request;
        key.kernels.push_back({std::string(work.lab->steps[std::size_t(request.step)].name),
                               request.source->name, content_of(*request.source), request.block,
                               changed_knobs(request)});
    }
    return key;
}

RecordPlace record_place(const Snapshot& snapshot, const InputKey& input) {
    const bool measured = snapshot.device.can.measures_time;
    const GpuProfile& gpu = measured ? snapshot.device.profile : snapshot.target.gpu;
    return {gpu.name,
            gpu.limits.capability,
            measured ? snapshot.device.driver : "",
            snapshot.compiler.name,
            snapshot.input_name,
            input.content,
            measured ? Kind::measured : Kind::estimated,
            measured ? snapshot.device.place.uuid : ""};
}

Record record_of(const Snapshot& snapshot, const PlannedWork& planned, const InputKey& input) {
    Record record;
    record.key = record_key(planned, input.size);
    record.place = record_place(snapshot, input);
    if (record.place.kind == Kind::measured)
        take_measured(snapshot, record);
    else
        take_estimated(snapshot, record);
    if (const StepSnapshot& main = main_step(snapshot); main.occupancy.now)
        record.occupancy = main.occupancy.now->percent;
    if (snapshot.run.failure) record.refused = snapshot.run.failure->message;
    record.step_ms.resize(record.key.kernels.size());
    if (record.total_ms.median <= 0 && record.refused.empty()) record.refused = "there is no time";
    return record;
}

Replay replay_of(std::vector<Record> records, const GpuTable& gpus, const KernelLibrary& library,
                 const std::string& name) {
    const std::size_t count = records.size();
    if (count == 0)
        throw Error("there is no record in this file", name,
                    "make one with 'warpscope sweep ... --records FILE'");
    for (Record& record : records) {
        try {
            record.place.gpu = gpus.named(record.place.gpu).name;
        } catch (const UsageError&) {
            throw Error(fmt::format("{} is of a GPU that is not known here, '{}'", name, record.place.gpu),
                        "", "add it to assets/gpus.json");
        }
    }
    Replay replay;
    const auto text_of = [&](const std::string& kernel) -> std::uint64_t {
        const auto found = library.all().find(kernel);
        return found == library.all().end() ? 0 : content_of(found->second);
    };
    for (std::string& sentence : refuse_other_kernels(records, text_of))
        replay.notes.push_back(name + ": " + std::move(sentence));
    replay.recordings.add(std::move(records));
    if (replay.recordings.empty())
        throw Error(fmt::format("none of the {} records can be replayed", count), name,
                    replay.notes.empty() ? "they hold no time that was measured" : replay.notes.front());
    return replay;
}

}  // namespace ws
