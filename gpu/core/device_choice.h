#pragma once
// Which device computes, as a person names it: auto, cuda, cuda:1, cuda:all, simt or cpu.

#include <optional>
#include <string>
#include <string_view>

#include "gpu/core/error.h"

namespace ws {

enum class DeviceKind { automatic, cuda, simt, cpu };

// Which of the machine's CUDA GPUs, by CUDA's number, or:
inline constexpr int kAnyGpu = -1;   // the one that draws the window, else the first
inline constexpr int kAllGpus = -2;  // every one

struct DeviceChoice {
    DeviceKind kind = DeviceKind::automatic;
    int gpu = kAnyGpu;  // of cuda
    friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

// What can be written for it.
inline constexpr const char* kDeviceChoices = "auto, cuda, simt, cpu, or cuda:1 of several GPUs";

[[nodiscard]] std::optional<DeviceChoice> device_named(std::string_view name);
[[nodiscard]] const char* name_of(DeviceKind kind);
// "cuda:1".
[[nodiscard]] std::string name_of(const DeviceChoice& choice);
// What to throw of a number that the machine's `count` GPUs (at least one) do not have.
[[nodiscard]] UsageError no_such_gpu(int number, int count);

}  // namespace ws
