#pragma once
// What a person has chosen. The engine turns it into work; panels edit it.

#include <array>
#include <string>

#include "gpu/core/device.h"
#include "gpu/core/kernel.h"
#include "gpu/core/stage.h"

namespace ws {

struct Settings {
    int version = 0;
    View view = View::edge;
    bool blur_first = true;  // blur before the edges
    PerStage<Block> blocks{};
    KnobValues knobs;  // other than the version's own values
    DeviceKind device = DeviceKind::automatic;
    std::string target_gpu;         // profile for occupancy; empty: the GPU that runs, else a default
    bool measure_all = false;       // walk through all versions until each has its times
    Stage inspected = Stage::blur;  // whose occupancy and compile report are shown
    int inspected_line = 0;  // of its source, whose accesses are drawn; 0: the one with the most traffic
    friend bool operator==(const Settings&, const Settings&) = default;

    [[nodiscard]] Block& block(Stage stage) { return blocks[index_of(stage)]; }
    [[nodiscard]] const Block& block(Stage stage) const { return blocks[index_of(stage)]; }
};

}  // namespace ws
