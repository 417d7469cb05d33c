#include "app/state/work_edit.h"

#include <algorithm>

#include "gpu/analysis/profiles.h"
#include "gpu/labs/labs.h"

namespace ws {
namespace {

// The range of a knob in the version's kernels: of the first that takes the value, else of the first that has
// the knob.
const Knob* range_of(const Version& version, const ChooseKnob& edit, const KernelLibrary& kernels) {
    const Knob* range = nullptr;
    for (const StepKernel& step : version.steps) {
        if (step.kernel.empty()) continue;
        for (const Knob& knob : kernels.find(step.kernel).knobs) {
            if (knob.name != edit.name) continue;
            if (edit.value >= knob.low && edit.value <= knob.high) return &knob;
            if (!range) range = &knob;
        }
    }
    return range;
}

Block within_limits(Block block) {
    block.x = std::clamp(block.x, 1, kMaxThreadsPerBlock);
    block.y = std::clamp(block.y, 1, kMaxThreadsPerBlock / block.x);
    return block;
}

struct Editor {
    Work& work;
    const KernelLibrary& kernels;

    void operator()(const ChooseLab& edit) const {
        for (const Lab* lab : labs()) {
            if (lab->id != edit.id || lab == work.lab) continue;
            Work fresh = first_work(*lab);
            fresh.device = work.device;
            fresh.cuda_gpu = work.cuda_gpu;
            fresh.target_gpu = work.target_gpu;
            work = fresh;
        }
    }
    void operator()(const ChooseVersion& edit) const {
        for (const Version& version : work.lab->versions) {
            if (version.number == edit.number) work = with_version(work, version);
        }
    }
    void operator()(const ChooseView& edit) const {
        if (edit.view >= 0 && edit.view < int(work.lab->views.size())) work.view = edit.view;
    }
    void operator()(const ChooseSize& edit) const {
        if (work.lab->takes_picture()) return;
        work.size = {std::clamp(edit.size.width, 1, kMaxSide), std::clamp(edit.size.height, 1, kMaxSide)};
    }
    void operator()(const ChooseBlock& edit) const {
        if (edit.step < 0 || edit.step >= int(work.lab->steps.size())) return;
        const std::string_view kernel =
            version_of(*work.lab, work.version).steps[std::size_t(edit.step)].kernel;
        const Block block = within_limits(edit.block);
        work.block(edit.step) = kernel.empty() ? block : fitted(kernels.find(kernel), block);
    }
    void operator()(const ChooseKnob& edit) const {
        const Knob* range = range_of(version_of(*work.lab, work.version), edit, kernels);
        if (range) work.knobs[edit.name] = std::clamp(edit.value, range->low, range->high);
    }
    void operator()(const ChooseDevice& edit) const {
        work.device = edit.kind;
        work.cuda_gpu = edit.kind == DeviceKind::cuda ? edit.gpu : kAnyGpu;
    }
    void operator()(const ChooseGpu& edit) const {
        if (edit.name.empty()) {
            work.target_gpu.clear();
            return;
        }
        try {
            work.target_gpu = GpuTable().named(edit.name).name;
        } catch (const UsageError&) {  // the table of an earlier program had it
        }
    }
};

}  // namespace

Work initial_work() {
    return first_work(*labs().front());
}

Work edited(Work work, const WorkEdit& edit, const KernelLibrary& kernels) {
    std::visit(Editor{work, kernels}, edit);
    return work;
}

Work edited(Work work, const std::vector<WorkEdit>& edits, const KernelLibrary& kernels) {
    for (const WorkEdit& edit : edits) work = edited(std::move(work), edit, kernels);
    return work;
}

std::vector<WorkEdit> edits_of(const Work& work) {
    std::vector<WorkEdit> edits{ChooseLab{std::string(work.lab->id)}, ChooseVersion{work.version},
                                ChooseView{work.view}, ChooseSize{work.size}};
    for (std::size_t i = 0; i < work.lab->steps.size(); ++i)
        edits.push_back(ChooseBlock{int(i), work.blocks[i]});
    for (const auto& [name, value] : work.knobs) edits.push_back(ChooseKnob{name, value});
    edits.push_back(ChooseDevice{work.device, work.cuda_gpu});
    edits.push_back(ChooseGpu{work.target_gpu});
    return edits;
}

}  // namespace ws
