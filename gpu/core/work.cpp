#include "gpu/core/work.h"

namespace ws {

Work first_work(const Lab& lab) {
    Work work;
    work.lab = &lab;
    work.view = first_view(lab);
    work.size = lab.sizes.first;
    return with_version(std::move(work), lab.versions.front());
}

Work with_version(Work work, const Version& version) {
    work.version = version.number;
    work.blocks = {};
    for (std::size_t i = 0; i < version.steps.size(); ++i) work.blocks[i] = version.steps[i].block;
    // What is computed of stays.
    std::erase_if(work.knobs,
                  [&](const auto& knob) { return !work.lab->made_input.knobs.contains(knob.first); });
    return work;
}

}  // namespace ws
