#include "gpu/engine/asked_work.h"

#include <algorithm>

#include "gpu/engine/beside_gpus.h"
#include "gpu/simt/simt_device.h"

namespace ws {
namespace {

// The work that a person pinned, on its own GPU and input; else the version before.
std::optional<PlannedWork> plan_baseline(const Work& told, const std::optional<PinnedWork>& kept,
                                         const Surroundings& around, const GpuTable& gpus) {
    if (kept && kept->work.lab == told.lab) {
        Work pinned = kept->work;
        pinned.view = told.view;
        Surroundings its = around;
        its.input = kept->input;
        if (!pinned.target_gpu.empty()) its.target = gpus.named(pinned.target_gpu);
        return plan_work(normalised(pinned, gpus), its);
    }
    const Version* before = version_before(*told.lab, told.version);
    if (!before) return std::nullopt;
    return plan_work(with_version(told, *before), around);
}

// Where the device runs no kernels, those of other work run on a simulated GPU.
Surroundings with_kernels(Surroundings around) {
    if (!around.device.can.needs_kernels) around.device = simt::SimtDevice(around.target).facts();
    return around;
}

// On the same input and device, whatever the baseline was pinned on.
std::optional<PlannedWork> plan_other(const Work& told, const AskedWork& asked, const Surroundings& around,
                                      const GpuTable& gpus) {
    const std::vector<Version>& versions = told.lab->versions;
    if (asked.result.kind == ResultOf::Kind::none) return std::nullopt;
    if (asked.result.kind == ResultOf::Kind::version) {
        const auto found = std::find_if(versions.begin(), versions.end(), [&](const Version& one) {
            return one.number == asked.result.version;
        });
        if (found == versions.end()) return std::nullopt;
        return plan_work(normalised(with_version(told, *found), gpus), with_kernels(around));
    }
    if (!asked.baseline) return std::nullopt;
    Work other = asked.baseline->work;
    other.size = told.size;
    other.device = told.device;
    other.cuda_gpu = told.cuda_gpu;
    other.target_gpu = told.target_gpu;
    return plan_work(other, with_kernels(around));
}

void add_counted(const PlannedKernel& kernel, std::vector<CompileRequest>& requests) {
    if (!kernel.problem.empty() || kernel.ptx.name.empty()) return;
    requests.push_back(kernel.ptx);
    requests.push_back(kernel.code);
}

}  // namespace

Work normalised(Work work, const GpuTable& gpus) {
    const Version& version = version_of(*work.lab, work.version);
    if (!work.target_gpu.empty()) work.target_gpu = gpus.named(work.target_gpu).name;
    for (std::size_t i = 0; i < version.steps.size(); ++i) {
        if (!work.blocks[i].valid()) work.blocks[i] = version.steps[i].block;
    }
    return work;
}

const PlannedKernel* kernel_with(const PlannedWork& work, const CountKey& key) {
    const auto found = std::find_if(work.kernels.begin(), work.kernels.end(),
                                    [&](const PlannedKernel& kernel) { return kernel.key == key; });
    return found == work.kernels.end() ? nullptr : &*found;
}

const PlannedKernel* told_kernel(const AskedWork& asked, const CountKey& key) {
    const PlannedKernel* kernel = kernel_with(asked.work, key);
    return kernel ? kernel : kernel_with(asked.told, key);
}

const PlannedKernel& AskedWork::standing_for(const PlannedKernel& kernel) const {
    for (const PlannedKernel& good : told.kernels) {
        const bool stands = good.request.step == kernel.request.step &&
                            !same_text(*good.request.source, *kernel.request.source);
        if (stands) return good;
    }
    return kernel;
}

AskedWork asked_work(const Work& work, const Beside& beside, const Surroundings& surroundings,
                     const GpuTable& gpus, const KernelLookup& good) {
    AskedWork asked;
    asked.measured = surroundings.device.can.measures_time;
    asked.work = plan_work(work, surroundings);
    Surroundings around = surroundings;
    around.find = good;
    Work told = work;
    if (!runs_anything(told)) told.view = first_view(*told.lab);
    asked.told = plan_work(told, around);
    if (beside.pinned) asked.pinned = *beside.pinned;
    asked.all_versions = beside.versions;
    asked.several_gpus = beside.gpus;
    asked.result = beside.result;
    if (!around.compiler) return asked;
    asked.baseline = plan_baseline(told, asked.pinned, around, gpus);
    asked.other = plan_other(told, asked, around, gpus);
    if (beside.versions) {
        for (const Version& version : told.lab->versions)
            asked.versions.push_back(
                plan_work(version.number == told.version ? told : with_version(told, version), around));
    }
    if (beside.gpus) {
        asked.gpus = beside_gpus(gpus, around);
        for (const GpuProfile& gpu : asked.gpus)
            asked.on_gpus.push_back(plan_work(told, with_gpu(around, gpu)));
    }
    return asked;
}

bool add_advised(const Advice& advice, const Surroundings& around, AskedWork& asked) {
    constexpr std::size_t kMost = 24;  // of one work
    bool added = false;
    for (const Candidate& candidate : advice.candidates) {
        const bool known = std::any_of(asked.advised.begin(), asked.advised.end(),
                                       [&](const PlannedWork& one) { return one.work == candidate.work; });
        const bool predicted = candidate.gain && !candidate.estimated;
        if (!predicted || known || asked.advised.size() == kMost) continue;
        asked.advised.push_back(plan_work(candidate.work, around));
        added = true;
    }
    return added;
}

std::vector<const PlannedWork*> measurable_beside(const AskedWork& asked) {
    std::vector<const PlannedWork*> works;
    const WorkKey& here = asked.work.key;
    const auto add = [&](const PlannedWork& work) {
        if (work.key.device == here.device && work.key.gpu == here.gpu &&
            work.key.gpu_uuid == here.gpu_uuid && work.key.input == here.input)
            works.push_back(&work);
    };
    if (asked.baseline) add(*asked.baseline);
    for (const PlannedWork& version : asked.versions) add(version);
    return works;
}

std::vector<CompileRequest> kernels_to_run(const AskedWork& asked) {
    std::vector<CompileRequest> needed;
    const bool other_code = !(asked.work.near_target == asked.work.run_target);
    for (const bool shown_first : {true, false}) {
        for (const PlannedKernel& kernel : asked.work.kernels) {
            if (kernel.runs != shown_first) continue;
            needed.push_back(kernel.run);
            if (kernel.trial) needed.push_back(kernel.trial->ptx);
            if (kernel.problem.empty() && other_code) needed.push_back(kernel.code);
        }
    }
    if (asked.other) {
        for (const PlannedKernel& kernel : asked.other->kernels) {
            if (!kernel.runs) continue;
            needed.push_back(kernel.run);
            if (kernel.trial) needed.push_back(kernel.trial->ptx);
        }
    }
    std::erase_if(needed, [](const CompileRequest& request) { return request.name.empty(); });
    return needed;
}

std::vector<CompileRequest> kernels_to_count(const AskedWork& asked) {
    std::vector<CompileRequest> needed;
    for (const PlannedKernel& kernel : asked.work.kernels) {
        add_counted(kernel, needed);
        if (const PlannedKernel& good = asked.standing_for(kernel); &good != &kernel)
            add_counted(good, needed);
    }
    if (asked.baseline) {
        for (const PlannedKernel& kernel : asked.baseline->kernels) add_counted(kernel, needed);
    }
    return needed;
}

std::vector<CompileRequest> kernels_next(const AskedWork& asked, const Surroundings& around) {
    std::vector<CompileRequest> likely;
    for (const Work& next : likely_next(asked.work.work, around.find)) {
        for (const PlannedKernel& kernel : plan_work(next, around).kernels)
            if (!kernel.run.name.empty()) likely.push_back(kernel.run);
    }
    return likely;
}

std::vector<CompileRequest> kernels_beside(const AskedWork& asked) {
    std::vector<CompileRequest> likely;
    if (asked.measured) {
        for (const PlannedWork* other : measurable_beside(asked)) {
            for (const PlannedKernel& kernel : other->kernels) {
                if (kernel.runs && !kernel.run.name.empty()) likely.push_back(kernel.run);
            }
        }
    }
    for (const std::vector<PlannedWork>* list : {&asked.advised, &asked.on_gpus, &asked.versions}) {
        for (const PlannedWork& other : *list) {
            for (const PlannedKernel& kernel : other.kernels) {
                if (kernel.runs) add_counted(kernel, likely);
            }
        }
    }
    return likely;
}

}  // namespace ws
