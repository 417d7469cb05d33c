#pragma once
// The figures of the labs' versions, for experiments that compare kernels of all labs.

#include "gpu/core/figures.h"
#include "gpu/core/lab.h"

namespace ws {

class VersionFigures {
  public:
    virtual ~VersionFigures() = default;
    // Of a version in its own blocks and knobs, with the lab's first view and size, or the built-in picture:
    // counted, and measured where there is a GPU. What keeps it from having figures is their problem.
    [[nodiscard]] virtual WorkFigures figures(const Lab& lab, int version) = 0;
};

}  // namespace ws
