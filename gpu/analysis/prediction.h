#pragma once
// What the counts of a kernel would be in another block or with another knob, from those that it has: no
// kernel is compiled or run. Addresses that a warp's lanes request are laid out anew for the other block, the
// border that a tile shares with its neighbours grows or shrinks with it, and occupancy follows from the
// registers and the shared memory that the tile would take.

#include <optional>
#include <vector>

#include "gpu/core/counters.h"
#include "gpu/core/figures.h"
#include "gpu/core/kernel.h"
#include "gpu/core/lab.h"

namespace ws {

// A kernel as it was counted.
struct CountedKernel {
    const Lab& lab;
    const StepResult& result;  // with an estimate and occupancy
    const KernelSource& source;
    const KnobValues& knobs;  // in force
};
// What it would be; made once for several blocks and values.
class Prediction {
  public:
    explicit Prediction(const CountedKernel& now) : now_(now) {}
    // Its result in another block and with other knobs; nothing where the model does not know what that would
    // do (the launch has a shape of its own, a knob's meaning is not known, the block does not fit).
    [[nodiscard]] std::optional<StepResult> of(Block block, const KnobValues& knobs);

  private:
    // Loads and stores of the launch if the lanes of a warp lay in rows of this width.
    struct Laid {
        int side = 0;
        TrafficCounts load, store;
    };
    [[nodiscard]] const Laid& laid_out(int side);

    CountedKernel now_;
    std::vector<Laid> laid_;
};
// Whether a change of this knob can be predicted.
[[nodiscard]] bool is_predictable(const KernelSource& source, const Knob& knob);

}  // namespace ws
