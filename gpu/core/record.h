#pragma once
// The time of some work on a GPU, with everything that it depends on: what a recording holds line by line.

#include <string>
#include <vector>

#include "gpu/core/block.h"
#include "gpu/core/clock_range.h"
#include "gpu/core/figures.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/core/kernel.h"
#include "gpu/core/result_key.h"
#include "gpu/core/statistics.h"

namespace ws {

// A kernel that ran for what is shown.
struct RecordedKernel {
    std::string step;        // of the lab
    std::string name;        // of its file
    std::uint64_t text = 0;  // content of the file and of its headers
    Block block;
    KnobValues knobs;  // that differ from the file's own values, but for the block's sides
    friend bool operator==(const RecordedKernel&, const RecordedKernel&) = default;
};

// What was done, whoever did it where: the same key stands for the same instructions over as many elements.
struct RecordKey {
    std::string lab;
    int version = 0;
    std::string view;
    Extent size;
    std::vector<RecordedKernel> kernels;
    friend bool operator==(const RecordKey&, const RecordKey&) = default;
};

// On what it was done.
struct RecordPlace {
    std::string gpu;
    ComputeCapability capability;
    std::string driver;    // "13.0", empty on a simulated GPU
    std::string compiler;  // "NVRTC 13.0"
    std::string input;     // "fig.jpg", "4096 x 4096"
    std::uint64_t content = 0;
    Kind kind = Kind::measured;  // or estimated
    // Of the very GPU, where it was measured: what is shown is shared among GPUs of one name, but a sweep
    // that goes on does not take points of another one.
    std::string uuid{};
    friend bool operator==(const RecordPlace&, const RecordPlace&) = default;
};

struct Record {
    RecordPlace place;
    RecordKey key;
    Statistics total_ms;          // an estimate has no samples, and no spread; 0 where there is no time
    std::vector<double> step_ms;  // of each kernel, medians
    ClockRange clock;
    double occupancy = 0;  // theoretical, of the heaviest kernel, per cent
    std::string check;     // of the result, in words
    bool wrong = false;    // the result is
    std::string refused;   // why there is no time, or why the one that was taken is not believed
};

}  // namespace ws
