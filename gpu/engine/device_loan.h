#pragma once
// A device in the hands of work beside the frames.

#include <atomic>
#include <memory>
#include <utility>

#include "gpu/core/device.h"

namespace ws {

// Whether it is lent; shared by who lends and who borrows, for one may end before the other.
using LentFlag = std::shared_ptr<std::atomic<bool>>;

// Nobody else uses the device until this is given back or gone. Moves to the thread that uses it.
class DeviceLoan {
  public:
    DeviceLoan(Device& device, LentFlag lent) : device_(&device), lent_(std::move(lent)) {}
    DeviceLoan(DeviceLoan&& other) noexcept : device_(other.device_), lent_(std::move(other.lent_)) {}
    DeviceLoan(const DeviceLoan&) = delete;
    DeviceLoan& operator=(const DeviceLoan&) = delete;
    DeviceLoan& operator=(DeviceLoan&&) = delete;
    ~DeviceLoan() { give_back(); }

    [[nodiscard]] Device& device() const { return *device_; }
    void give_back() {
        if (!lent_) return;
        *lent_ = false;
        lent_->notify_all();
        lent_.reset();
    }

  private:
    Device* device_;
    LentFlag lent_;
};

}  // namespace ws
