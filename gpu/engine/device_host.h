#pragma once
// The device that computes: which one, why, and what takes its place when it is lost.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "gpu/analysis/profiles.h"
#include "gpu/compile/compile_service.h"
#include "gpu/core/device.h"
#include "gpu/engine/device_loan.h"

namespace ws {

// The GPU that is simulated and that occupancy is computed for where none is chosen and none is there.
inline constexpr const char* kDefaultTarget = "RTX 3060";

struct DeviceOptions {
    // Called before everything of this process on a lost GPU is forgotten: frame targets must let go of it.
    std::function<void()> release_targets = [] {};
    // What an opened device is used as: tests put one around it that takes known times, or fails.
    std::function<std::unique_ptr<Device>(std::unique_ptr<Device>)> decorate = [](auto device) {
        return device;
    };
};

class DeviceHost {
  public:
    DeviceHost(DeviceOptions options, const GpuTable& gpus, const CompileService& compiler)
        : options_(std::move(options)), gpus_(gpus), compiler_(compiler) {}

    // Before the first choose: the CUDA device to use where none is chosen, and a word on why.
    void use_cuda_device(int index, std::string note);
    // Opens the device that is wanted if it is not there; `target`: the GPU to simulate where that comes to
    // it. True if another one is there now. Throws Error if one that was asked for by name is not there; the
    // one before stays.
    [[nodiscard]] bool choose(DeviceChoice wanted, const std::string& target, const Problem& problem);
    // Opens it again, else the CPU. What to say of it.
    [[nodiscard]] std::string replace_lost(const std::string& why, const Problem& problem);

    [[nodiscard]] bool is_open() const { return device_ != nullptr; }
    // Waits while it is lent.
    [[nodiscard]] Device& device() const {
        lent_->wait(true);
        return *device_;
    }
    // For work beside the frames.
    [[nodiscard]] DeviceLoan lend();
    [[nodiscard]] bool lent() const { return *lent_; }
    [[nodiscard]] const std::string& reason() const { return reason_; }
    // Changes with every device that is opened.
    [[nodiscard]] int epoch() const { return epoch_; }
    // What it is, with what the table of GPUs knows more.
    [[nodiscard]] DeviceFacts facts() const;

  private:
    struct Opened {
        std::unique_ptr<Device> device;
        std::string reason;  // why this one; without a device why there is none
    };
    [[nodiscard]] Opened open_cuda(const DeviceChoice& wanted) const;
    [[nodiscard]] int index_of(const DeviceChoice& wanted) const;
    [[nodiscard]] std::unique_ptr<Device> make_simulated(const std::string& target) const;
    void adopt(Opened opened, const Problem& problem);

    DeviceOptions options_;
    const GpuTable& gpus_;
    const CompileService& compiler_;
    std::unique_ptr<Device> device_;
    LentFlag lent_ = std::make_shared<std::atomic<bool>>(false);
    std::string reason_;
    DeviceChoice wanted_;
    int cuda_index_ = 0;  // where none is chosen
    int opened_index_ = 0;
    std::string cuda_note_;
    int epoch_ = 0;
};

}  // namespace ws
