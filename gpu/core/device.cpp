#include "gpu/core/device.h"

namespace ws {
namespace {

// One picture after the other, as the device does it anyway.
class TurnLane final : public PictureLane {
  public:
    TurnLane(Device& device, std::mutex& turns, Plan plan)
        : device_(device), turns_(turns), plan_(std::move(plan)) {}

    [[nodiscard]] Result<GrayImage> run(const Picture& picture) override {
        const std::lock_guard turn(turns_);
        for (Launch& launch : plan_.launches) cover(launch, picture->size);
        device_.set_problem(picture_problem(*plan_.lab, picture, plan_.knobs));
        Result<HostBytes> made = device_.run_poisoned(plan_, 0);
        if (!made.ok()) return Result<GrayImage>::failure(made.message());
        GrayImage result;
        result.size = picture->size;
        result.bytes = std::move(made.value());
        return result;
    }

  private:
    Device& device_;
    std::mutex& turns_;
    Plan plan_;
};

}  // namespace

std::string uuid_text(std::span<const std::uint8_t, 16> bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text = "GPU-";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += kDigits[bytes[i] >> 4];
        text += kDigits[bytes[i] & 15];
    }
    return text;
}

std::string shown_name(const DeviceFacts& device) {
    if (device.place.of < 2) return device.name;
    return device.name + " (" + name_of(DeviceChoice{device.kind, device.place.number}) + ")";
}

Result<HostBytes> Device::run_poisoned(const Plan& plan, std::uint8_t poison) {
    Result<std::vector<HostBytes>> made = run_once(plan, poison, {plan.shows});
    if (!made.ok()) return Result<HostBytes>::failure(made.message());
    return std::move(made.value().front());
}

std::unique_ptr<PictureLane> Device::make_lane(const Plan& plan) {
    return std::make_unique<TurnLane>(*this, turns_, plan);
}

}  // namespace ws
