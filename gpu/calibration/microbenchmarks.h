#pragma once
// Microbenchmarks: what a multiprocessor of a GPU does in how many clocks. Their kernels are beside this
// file; none of them is a lab's.

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>

#include "gpu/core/calibration.h"
#include "gpu/core/device_session.h"
#include "gpu/core/embedded_file.h"
#include "gpu/core/machine_code.h"
#include "gpu/core/statistics.h"

namespace ws {

// The kernels and the header that they share.
[[nodiscard]] std::span<const EmbeddedFile> microbenchmark_files();

// The kernel whose loop's machine code says what its rounds take without the branch.
inline constexpr std::string_view kLoopKernel = "requests";
inline constexpr std::string_view kLoopEntry = "loop";

struct MicrobenchmarkOptions {
    int samples = 11;  // of each figure
    std::optional<double>
        loop_stalls;          // of a round of that loop, in clocks; without them no figure of branches
    int shorter = 1;          // rounds are divided by it
    double warm_up_ms = 300;  // until the clock is where it is under load
    std::stop_token stop{};
    std::function<void(int done, int total)> progress = [](int, int) {};
};

struct MeasuredRates {
    std::array<std::optional<Statistics>, kGpuRates> rates;
    double clock_mhz = 0;   // median, while they were measured
    bool complete = false;  // false: it was stopped
};

// On the first device of the session; `gpu` is its profile, completed by the table of GPUs. Throws Error.
[[nodiscard]] MeasuredRates run_microbenchmarks(DeviceSession& session, const GpuProfile& gpu,
                                                const MicrobenchmarkOptions& options);

// ---- from clocks to figures

// The same work of two lengths: what the longer one takes more is of the rounds alone.
struct TwoLengths {
    double rounds = 0, clocks = 0;  // of the shorter
    double more_rounds = 0, more_clocks = 0;
    [[nodiscard]] double clocks_of_round() const { return (more_clocks - clocks) / (more_rounds - rounds); }
};
// A barrier takes so long, by the warps of its block.
struct BarrierClocks {
    double after_last = 0, arrival = 0;
};
[[nodiscard]] BarrierClocks barrier_clocks(double of_one_warp, double of_32_warps);
// The stall counts of a round of the code's one loop; nothing where it has none or several.
[[nodiscard]] std::optional<double> stalls_of_loop(const MachineCode& code);

}  // namespace ws
