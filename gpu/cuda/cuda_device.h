#pragma once
// A CUDA GPU as a device.

#include <memory>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/core/error.h"

namespace ws {

// How many GPUs CUDA offers, at least one; the failure says why there are none.
[[nodiscard]] Result<int> cuda_device_count();
// Throws UsageError of a number that the machine's GPUs do not have. Where there is none at all, opening one
// says why.
void refuse_missing_gpu(int number);
// The GPUs that CUDA offers, by index; the failure says why there are none.
[[nodiscard]] Result<std::vector<DeviceFacts>> cuda_devices();

// The failure keeps CUDA's message. `index` as in cuda_devices().
[[nodiscard]] Result<std::unique_ptr<Device>> make_cuda_device(int index);

// Makes the context of a device, which takes some tenths of a second, ahead of make_cuda_device. From any
// thread.
void warm_up_cuda(int index);

// After a lost device: forgets everything of this process on the GPU, so that it can be opened again.
void reset_cuda(int index);

}  // namespace ws
