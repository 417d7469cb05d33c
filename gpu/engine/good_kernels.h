#pragma once
// Which text of an edited kernel file its version's figures are of: the last that compiled and passed the
// checks.

#include <map>
#include <optional>
#include <string>

#include "gpu/core/kernel.h"

namespace ws {

class GoodKernels {
  public:
    // Itself, or, once that was refused, the last good one of its name; itself where there is none. Valid
    // until passed() or refused() is called for this name.
    [[nodiscard]] const KernelSource& standing_for(const KernelSource& now) const;
    // Both: true if another text stands for it from now on.
    bool passed(const KernelSource& source);
    bool refused(const KernelSource& source);

  private:
    struct Known {
        std::optional<KernelSource> good, refused;
    };
    std::map<std::string, Known, std::less<>> known_;  // by name
};

}  // namespace ws
