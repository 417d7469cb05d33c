#pragma once
// What a debugger works on: a version's kernel, or that of a person's file, compiled for it and ready to be
// started. The terminal and the window begin here.

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "app/cli/options.h"
#include "app/cli/version_step.h"
#include "gpu/compile/nvrtc.h"
#include "gpu/core/warp_place.h"
#include "gpu/debug/debugger.h"

namespace ws {

// The buffer that the launch fills, as rows and columns of elements.
struct FilledPlane {
    Extent size;
    Element element = Element::gray;
    bool turned = false;  // rows and columns are exchanged
    friend bool operator==(const FilledPlane&, const FilledPlane&) = default;
};

// What such a buffer holds where nothing has been written.
inline constexpr std::uint8_t kUnwrittenByte = 0xA5;

struct DebuggedLaunch {
    std::string file;  // the kernel's, "blur_g3.cu"
    debug::DebugTarget target;
    std::array<int, 3> threads{1, 1, 1};  // of a block
    std::optional<FilledPlane> plane;     // of a version's; none where it fills several buffers
    WarpGrid grid;                        // how its blocks lie over the work
};

struct DebugChoice {
    bool optimised = false;  // the code as it runs otherwise
    std::uint64_t step_limit = 60'000'000;
};

// Throw Error for what does not compile, or cannot be simulated.
[[nodiscard]] DebuggedLaunch debugged_version(const Nvrtc& nvrtc, const VersionStep& named,
                                              const Problem& problem, const GpuProfile& gpu,
                                              const DebugChoice& choice);
[[nodiscard]] DebuggedLaunch debugged_file(const Options& options, const Nvrtc& nvrtc);

}  // namespace ws
