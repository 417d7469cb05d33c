#include "app/state/work_edit.h"

#include <algorithm>

#include "gpu/analysis/profiles.h"
#include "gpu/pipeline/requests.h"
#include "gpu/pipeline/versions.h"

namespace ws {
namespace {

// The range of a knob in the version's kernels: of the first that takes the value, else of the first that has
// the knob.
const Knob* range_of(const Version& version, const ChooseKnob& edit, const KernelLibrary& kernels) {
    const Knob* range = nullptr;
    for (const std::string_view kernel : version.kernels) {
        if (kernel.empty()) continue;
        for (const Knob& knob : kernels.find(kernel).knobs) {
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
    Settings& work;
    const KernelLibrary& kernels;

    void operator()(const ChooseVersion& edit) const {
        for (const Version& version : versions()) {
            if (version.number == edit.number) work = with_version(work, version);
        }
    }
    void operator()(const ChooseView& edit) const { work.view = edit.view; }
    void operator()(const ChooseBlurFirst& edit) const { work.blur_first = edit.on; }
    void operator()(const ChooseBlock& edit) const {
        const std::string_view kernel = version_numbered(work.version).kernels[index_of(edit.step)];
        const Block block = within_limits(edit.block);
        work.block(edit.step) = kernel.empty() ? block : fitted(kernels.find(kernel), block);
    }
    void operator()(const ChooseKnob& edit) const {
        const Knob* range = range_of(version_numbered(work.version), edit, kernels);
        if (range) work.knobs[edit.name] = std::clamp(edit.value, range->low, range->high);
    }
    void operator()(const ChooseDevice& edit) const { work.device = edit.kind; }
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

Settings initial_work() {
    return with_version(Settings{}, versions().front());
}

Settings edited(Settings work, const WorkEdit& edit, const KernelLibrary& kernels) {
    std::visit(Editor{work, kernels}, edit);
    return work;
}

Settings edited(Settings work, const std::vector<WorkEdit>& edits, const KernelLibrary& kernels) {
    for (const WorkEdit& edit : edits) work = edited(std::move(work), edit, kernels);
    return work;
}

std::vector<WorkEdit> edits_of(const Settings& work) {
    std::vector<WorkEdit> edits{ChooseVersion{work.version}, ChooseView{work.view},
                                ChooseBlurFirst{work.blur_first}};
    for (const Stage step : kStages) edits.push_back(ChooseBlock{step, work.block(step)});
    for (const auto& [name, value] : work.knobs) edits.push_back(ChooseKnob{name, value});
    edits.push_back(ChooseDevice{work.device});
    edits.push_back(ChooseGpu{work.target_gpu});
    return edits;
}

}  // namespace ws
