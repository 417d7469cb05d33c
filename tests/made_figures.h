#pragma once
// Figures of versions as a test wants them, without an engine.

#include <cmath>
#include <memory>
#include <string>

#include "gpu/core/counters.h"
#include "gpu/core/version_figures.h"

namespace ws {

// Of version n: 2^(n % 12) million floating-point operations over 8 million bytes in (1 + n) ms, of which
// half must be moved; but every fourth does none, and every seventh has no time. All have four resident warps
// and as many loads of 4 bytes in flight as the knob ILP says.
class MadeFigures final : public VersionFigures {
  public:
    static constexpr double kDeviceBytes = 8e6;
    static constexpr double kLeastBytes = 4e6;
    static constexpr int kWarps = 4;
    [[nodiscard]] static bool computes(int version) { return version % 4 != 3; }
    [[nodiscard]] static bool timed(int version) { return version % 7 != 6; }
    [[nodiscard]] static double operations(int version) {
        return computes(version) ? 1e6 * std::exp2(version % 12) : 0;
    }
    [[nodiscard]] static double ms(int version) { return 1.0 + version; }

    [[nodiscard]] WorkFigures figures(const Work& work) override {
        ++asked;
        const int version = work.version;
        WorkFigures made;
        made.work = work;
        if (!timed(version)) {
            made.problem = Message("it is not to be launched");
            return made;
        }
        made.least_bytes = kLeastBytes;
        auto counters = std::make_shared<KernelCounters>();
        counters->total.float_operations = std::uint64_t(operations(version));
        counters->total.global_load.requests = 1000;
        counters->total.global_load.bytes_requested = 128000;
        StepResult& step = made.steps.emplace_back();
        step.counters = std::move(counters);
        step.occupancy.emplace();
        step.occupancy->active_warps = kWarps;
        const auto ilp = work.knobs.find("ILP");
        step.code.loads_in_flight = ilp == work.knobs.end() ? 1 : ilp->second;
        step.estimate.emplace();
        step.estimate->ms = ms(version);
        step.estimate->device_bytes = step.estimate->moved_bytes = kDeviceBytes;
        return made;
    }

    int asked = 0;
};

}  // namespace ws
