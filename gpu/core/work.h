#pragma once
// What is computed: a value. Everything that a result depends on and a person chooses is in it, but for the
// picture.

#include <string>

#include "gpu/core/device.h"
#include "gpu/core/lab.h"

namespace ws {

struct Work {
    const Lab* lab = nullptr;
    int version = 0;
    int view = 0;             // of the lab
    PerStep<Block> blocks{};  // by step
    KnobValues knobs;         // other than the version's own values
    Extent size;              // of a lab that takes no picture
    DeviceKind device = DeviceKind::automatic;
    int cuda_gpu = kAnyGpu;  // of cuda: its number
    std::string target_gpu;  // the GPU that is simulated and that occupancy is for; empty: the one that runs,
                             // or a default
    friend bool operator==(const Work&, const Work&) = default;

    [[nodiscard]] Block& block(int step) { return blocks[std::size_t(step)]; }
    [[nodiscard]] const Block& block(int step) const { return blocks[std::size_t(step)]; }
};

// A lab as it begins: its first version and view.
[[nodiscard]] Work first_work(const Lab& lab);
// What is shown has to be computed.
[[nodiscard]] inline bool runs_anything(const Work& work) {
    return !work.lab->views[std::size_t(work.view)].ways.empty();
}
// The same work in another version, with that one's own blocks and knobs.
[[nodiscard]] Work with_version(Work work, const Version& version);

}  // namespace ws
