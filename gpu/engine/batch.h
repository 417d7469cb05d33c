#pragma once
// Many pictures through one plan: every worker reads a file, sends the picture through one of a few lanes and
// writes the result, so that decoding, copying, kernels and encoding of different pictures overlap. Of
// several devices each takes the pictures that it has time for.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gpu/core/device.h"

namespace ws {

// With the plan of its own kernels.
struct BatchDevice {
    Device& device;
    Plan plan;
};

struct BatchItem {
    std::filesystem::path from;
    std::filesystem::path to;  // .png or .pgm; empty: the result is not written
};

// What the workers spent on the parts, seconds summed over all of them.
struct BatchTimes {
    double wall = 0;
    double reading = 0;  // file and decoder
    double device = 0;   // copies and kernels, and waiting for them
    double writing = 0;  // encoder and file
};

struct BatchResult {
    int done = 0;
    std::vector<int> done_by;           // each device, in their order
    std::vector<std::string> problems;  // of the files that were skipped
    std::size_t pixels = 0;
    BatchTimes times;
};

// Called after each picture, by one worker at a time.
using BatchProgress = std::function<void(const BatchResult& so_far, const std::string& problem)>;

// Runs until every item is done or skipped. Throws Error if a device gives no lane, and what `progress`
// throws.
[[nodiscard]] BatchResult run_batch(const std::vector<BatchDevice>& devices,
                                    const std::vector<BatchItem>& items, int workers,
                                    const BatchProgress& progress);

}  // namespace ws
