#pragma once
// What a person, the command line or the saved preferences ask of the work, as values, and the one place that
// applies them.

#include <string>
#include <variant>
#include <vector>

#include "gpu/compile/kernel_library.h"
#include "gpu/core/work.h"

namespace ws {

// Another lab begins anew.
struct ChooseLab {
    std::string id;
};
// A version brings its own blocks and knobs.
struct ChooseVersion {
    int number = 0;
};
struct ChooseView {
    int view = 0;  // of the lab
};
struct ChooseSize {  // of a lab that takes no picture
    Extent size;
};
struct ChooseBlock {
    int step = 0;  // of the lab
    Block block;
};
struct ChooseKnob {
    std::string name;
    int value = 0;
};
struct ChooseDevice {
    DeviceKind kind = DeviceKind::automatic;
    int gpu = kAnyGpu;  // of cuda: its number
};
struct ChooseGpu {
    std::string name;  // empty: the GPU that runs, else a default
};

using WorkEdit = std::variant<ChooseLab, ChooseVersion, ChooseView, ChooseSize, ChooseBlock, ChooseKnob,
                              ChooseDevice, ChooseGpu>;

// The work before anybody has chosen anything.
[[nodiscard]] Work initial_work();

// `work` after the edit. Values are made such as the version's kernels in `kernels` take: a block becomes the
// nearest that they do, a knob keeps to its range. What does not exist (a version, a knob of it, a GPU)
// changes nothing.
[[nodiscard]] Work edited(Work work, const WorkEdit& edit, const KernelLibrary& kernels);
[[nodiscard]] Work edited(Work work, const std::vector<WorkEdit>& edits, const KernelLibrary& kernels);

// The edits that make `work` out of the initial work.
[[nodiscard]] std::vector<WorkEdit> edits_of(const Work& work);

}  // namespace ws
