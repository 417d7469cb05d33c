#include "gpu/core/device_choice.h"

#include "gpu/core/numbers.h"

namespace ws {
namespace {

constexpr std::string_view kOneOfSeveral = "cuda:";
constexpr std::string_view kAll = "all";

}  // namespace

const char* name_of(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::automatic:
            return "auto";
        case DeviceKind::cuda:
            return "cuda";
        case DeviceKind::simt:
            return "simt";
        case DeviceKind::cpu:
            return "cpu";
    }
    return "";
}

std::optional<DeviceChoice> device_named(std::string_view name) {
    for (const DeviceKind kind :
         {DeviceKind::automatic, DeviceKind::cuda, DeviceKind::simt, DeviceKind::cpu}) {
        if (name == name_of(kind)) return DeviceChoice{kind};
    }
    if (!name.starts_with(kOneOfSeveral)) return std::nullopt;
    name.remove_prefix(kOneOfSeveral.size());
    if (name == kAll) return DeviceChoice{DeviceKind::cuda, kAllGpus};
    const std::optional<int> number = parse_number<int>(name);
    if (!number || *number < 0) return std::nullopt;
    return DeviceChoice{DeviceKind::cuda, *number};
}

std::string name_of(const DeviceChoice& choice) {
    std::string kind = name_of(choice.kind);
    if (choice.kind != DeviceKind::cuda || choice.gpu == kAnyGpu) return kind;
    return kind + ":" + (choice.gpu == kAllGpus ? std::string(kAll) : std::to_string(choice.gpu));
}

UsageError no_such_gpu(int number, int count) {
    const auto name = [](int of) { return name_of(DeviceChoice{DeviceKind::cuda, of}); };
    const std::string last = name(count - 1);
    return UsageError("there is no " + name(number),
                      count == 1 ? "this machine has one CUDA GPU"
                                 : "this machine has " + std::to_string(count) + " CUDA GPUs",
                      count == 1 ? "choose " + last
                                 : "choose from " + name(0) + " to " + last +
                                       ", which 'warpscope devices' lists with their addresses");
}

}  // namespace ws
