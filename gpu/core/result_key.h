#pragma once
// What a result depends on, by value: a result is that of a key, and is shown for nothing else.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/block.h"
#include "gpu/core/content_hash.h"
#include "gpu/core/device.h"
#include "gpu/core/gpu_profile.h"
#include "gpu/core/image.h"
#include "gpu/core/kernel.h"
#include "gpu/core/plan.h"

namespace ws {

// The content of a lab's input.
struct InputKey {
    std::uint64_t content = 0;
    Extent size;
    // Stands for the values of the knobs that decide what is made of a picture; 0 where there are none. Of
    // generated input the content says it all.
    std::uint64_t knobs = 0;
    friend bool operator==(const InputKey&, const InputKey&) = default;
};

[[nodiscard]] inline InputKey input_key(const Problem& problem) {
    InputKey key{problem.content, problem.size};
    if (!problem || !problem.lab->takes_picture()) return key;
    for (const auto& [name, value] : problem.knobs) {
        const std::uint64_t of[] = {key.knobs, content_hash(name.data(), name.size()), std::uint64_t(value)};
        key.knobs = content_hash(of, sizeof of);
    }
    return key;
}

// What the compiler makes of a kernel depends on this and nothing else.
struct KernelKey {
    std::uint64_t text = 0;  // content of the file and of its headers
    std::string entry;
    KnobValues knobs;  // BLOCK_X and BLOCK_Y are among them
    int architecture = 0;
    bool ptx = false;
    int register_cap = 0;
    int compiler = 0;  // 1300 is NVRTC 13.0
    friend bool operator==(const KernelKey&, const KernelKey&) = default;
};

// A kernel as it is launched.
struct LaunchKey {
    int step = 0;
    KernelKey kernel;  // empty on a device that needs none
    Block block;
    Extent tile;
    CachePreference cache = CachePreference::none;
    BankWidth banks = BankWidth::standard;
    std::vector<Argument> arguments;  // buffers by what they hold in this lab
    std::optional<OwnShape> shape;
    friend bool operator==(const LaunchKey&, const LaunchKey&) = default;
};

[[nodiscard]] inline LaunchKey launch_key(const Launch& launch, KernelKey kernel) {
    return {launch.step,  std::move(kernel), launch.block,     launch.tile,
            launch.cache, launch.banks,      launch.arguments, launch.shape};
}

// Counts of one launch and the estimate that follows from them. The machine code whose registers the estimate
// takes is that of the same kernel.
struct CountKey {
    std::string lab;
    LaunchKey launch;
    InputKey input;
    GpuProfile gpu;
    friend bool operator==(const CountKey&, const CountKey&) = default;
};

// The addresses of one block of a launch.
struct ExampleKey {
    CountKey counts;
    int block_x = 0, block_y = 0;
    friend bool operator==(const ExampleKey&, const ExampleKey&) = default;
};

// Times and checks of a result.
struct WorkKey {
    DeviceKind device = DeviceKind::cpu;
    GpuProfile gpu;        // that the device is, or simulates
    std::string gpu_uuid;  // where times are measured: another card of the same kind has its own
    std::string lab;
    InputKey input;
    int shows = 0;  // the buffer
    std::vector<LaunchKey> launches;
    friend bool operator==(const WorkKey&, const WorkKey&) = default;
};

// Whether counts may stand beside each other: lab, input, GPU and compiler are the same, so that they differ
// in the kernel and its launch alone.
[[nodiscard]] inline bool comparable(const CountKey& a, const CountKey& b) {
    const KernelKey& x = a.launch.kernel;
    const KernelKey& y = b.launch.kernel;
    return a.lab == b.lab && a.input == b.input && a.gpu == b.gpu && x.architecture == y.architecture &&
           x.ptx == y.ptx && x.compiler == y.compiler;
}

// Results by key; the one that was put first goes where there is no more room.
template <typename Key, typename Value>
class Board {
  public:
    explicit Board(std::size_t most = 256) : most_(most) {}
    // Null if there is none. Lives until the next `put`.
    [[nodiscard]] const Value* find(const Key& key) const {
        const auto found = std::find_if(entries_.begin(), entries_.end(),
                                        [&](const auto& entry) { return entry.first == key; });
        return found == entries_.end() ? nullptr : &found->second;
    }
    void put(Key key, Value value) {
        std::erase_if(entries_, [&](const auto& entry) { return entry.first == key; });
        if (entries_.size() == most_) entries_.erase(entries_.begin());
        entries_.emplace_back(std::move(key), std::move(value));
    }

  private:
    std::size_t most_;
    std::vector<std::pair<Key, Value>> entries_;
};

}  // namespace ws
