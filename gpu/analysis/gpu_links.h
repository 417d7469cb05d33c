#pragma once
// How a GPU of the table is linked to its host and to others: what results of kernels do not depend on.

#include <optional>
#include <string>

#include "gpu/core/device_session.h"

namespace ws {

struct GpuLinks {
    Link host;
    int copy_engines = 1;  // that copy between host and GPU at the same time, each in its direction; 0: they
                           // copy while no kernel runs
    Link peer;             // NVLink to another GPU of its kind; without a name there is none
};
// By the name in the table; nothing for other GPUs. Throws Error if the table is broken.
[[nodiscard]] std::optional<GpuLinks> links_of(const std::string& gpu);

}  // namespace ws
