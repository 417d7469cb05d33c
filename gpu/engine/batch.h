#pragma once
// Many pictures through one plan: every worker reads a file, sends the picture through one of a few lanes and
// writes the result, so that decoding, copying, kernels and encoding of different pictures overlap.

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "gpu/core/device.h"

namespace ws {

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
    std::vector<std::string> problems;  // of the files that were skipped
    std::size_t pixels = 0;
    BatchTimes times;
};

// Called after each picture, by one worker at a time.
using BatchProgress = std::function<void(const BatchResult& so_far, const std::string& problem)>;

// Runs until every item is done or skipped. Throws Error if the device gives no lane, and what `progress`
// throws.
[[nodiscard]] BatchResult run_batch(Device& device, const Plan& plan, const std::vector<BatchItem>& items,
                                    int workers, const BatchProgress& progress);

}  // namespace ws
