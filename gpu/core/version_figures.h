#pragma once
// The figures of the labs' versions, for experiments that compare kernels of all labs.

#include "gpu/core/figures.h"
#include "gpu/core/work.h"

namespace ws {

class VersionFigures {
  public:
    virtual ~VersionFigures() = default;
    // Of a work, on the device that these figures are of, with the built-in picture where it takes one:
    // counted, and measured where there is a GPU. What keeps it from having figures is their problem.
    [[nodiscard]] virtual WorkFigures figures(const Work& work) = 0;
};

}  // namespace ws
