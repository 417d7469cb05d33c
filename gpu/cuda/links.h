#pragma once
// The links of a GPU, which CUDA does not report: read through NVML, else from the system's list of PCI
// devices.

#include <string>

#include "gpu/core/device_session.h"

namespace ws {

// `pci_bus_id`: "0000:01:00.0". Nothing where neither tells.
// To the host: the fastest that GPU and slot both can. An idle link runs slower to save power.
[[nodiscard]] Link read_host_link(const std::string& pci_bus_id);
// To other GPUs: all NVLinks that are up, together. Where they do not meet in a switch, one GPU has a part of
// them.
[[nodiscard]] Link read_nvlink(const std::string& pci_bus_id);

}  // namespace ws
