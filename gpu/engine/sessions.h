#pragma once
// The session of an experiment: with the GPUs of this machine, else with modelled ones.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/core/calibration.h"
#include "gpu/core/device.h"
#include "gpu/core/device_session.h"

namespace ws {

struct SessionOptions {
    DeviceKind device = DeviceKind::automatic;
    int cuda_gpu = kAnyGpu;  // of cuda: the one that goes first
    std::string gpu;         // that is modelled; empty: the default of the simulated GPU
    int least_gpus = 1;      // as in Experiment
    std::filesystem::path kernel_folder;
    std::filesystem::path cache_folder;     // of compiled kernels
    std::vector<Calibration> calibrations;  // as in EngineOptions
    // Tests put one around it that fails, or moves bytes.
    std::function<std::unique_ptr<DeviceSession>(std::unique_ptr<DeviceSession>)> decorate =
        [](auto session) { return session; };
};

struct OpenedSession {
    std::unique_ptr<DeviceSession> session;
    std::string reason;  // why it is this one
};

// cuda: the GPUs of this machine, the chosen one first; simt: four modelled ones of a kind; automatic:
// whichever there are enough of. A GPU by name is modelled. Throws Error if what was asked for by name is not
// there.
[[nodiscard]] OpenedSession open_session(const SessionOptions& options);

}  // namespace ws
