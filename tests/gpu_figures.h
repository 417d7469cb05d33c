#pragma once
// What Nsight Compute counted of a launch on an H200, and how long it took:
// tests/counters/h200_classics.json, which tools/gpu-classics writes.

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "gpu/core/estimate.h"
#include "gpu/core/files.h"
#include "gpu/core/warp_timeline.h"

namespace ws::testing {

// What limits a kernel, as coarse as both can name it. Arithmetic and issue; L1 with shared memory and
// textures; constants with barriers; L2; device memory; latency, where nothing works for 60 % of the time.
enum class Limiter : std::uint8_t { compute, l1, constants, l2, memory, latency };
inline constexpr std::array<std::string_view, 6> kLimiterNames{"compute", "L1",     "constants",
                                                               "L2",      "memory", "latency"};
[[nodiscard]] inline std::string_view name_of(Limiter limiter) {
    return kLimiterNames[std::size_t(limiter)];
}

// By the part's name, which Nsight Compute's units have been given, too.
[[nodiscard]] inline Limiter limiter_of(std::string_view part) {
    if (part == "L2 cache") return Limiter::l2;
    if (part == "device memory") return Limiter::memory;
    if (part == "constant cache" || part == "ADU pipe") return Limiter::constants;
    for (const std::string_view one : {"LSU pipe", "L1 cache", "shared memory", "TEX pipe"})
        if (part == one) return Limiter::l1;
    return Limiter::compute;
}

// Of per cent of the time, or of what can be reached.
class BusyParts {
  public:
    void add(std::string_view part, double percent) {
        double& most = percent_[std::size_t(limiter_of(part))];
        most = std::max(most, percent);
    }
    [[nodiscard]] Limiter limiter() const {
        constexpr double kBound = 60;
        const auto most = std::max_element(percent_.begin(), percent_.end());
        return *most < kBound ? Limiter::latency : Limiter(most - percent_.begin());
    }

  private:
    std::array<double, 6> percent_{};
};

// Of one launch, or of several after each other.
struct GpuFigures {
    double us = 0;          // measured apart from the counters; 0: not known
    double counted_us = 0;  // of the launch that was counted
    double instructions = 0, sectors = 0, wavefronts = 0, memory_bytes = 0;
    BusyParts busy;
    std::array<double, kWarpStates> states{};  // shares of the warps' time
    double other_states = 0;                   // that the clock does not know
};

namespace detail {

inline int state_of(std::string_view stall) {
    static const std::map<std::string_view, WarpState> kStates{{"selected", WarpState::issuing},
                                                               {"not_selected", WarpState::not_selected},
                                                               {"long_scoreboard", WarpState::memory},
                                                               {"barrier", WarpState::barrier},
                                                               {"wait", WarpState::dependency},
                                                               {"short_scoreboard", WarpState::dependency},
                                                               {"branch_resolving", WarpState::dependency},
                                                               {"math_pipe_throttle", WarpState::pipe},
                                                               {"mio_throttle", WarpState::pipe},
                                                               {"lg_throttle", WarpState::pipe},
                                                               {"tex_throttle", WarpState::pipe},
                                                               {"dispatch_stall", WarpState::pipe},
                                                               {"no_instruction", WarpState::fetch},
                                                               {"drain", WarpState::drain}};
    const auto found = kStates.find(stall);
    return found == kStates.end() ? -1 : int(found->second);
}

}  // namespace detail

// `launches` are those of one name.
inline GpuFigures gpu_figures(const std::vector<nlohmann::json>& launches) {
    GpuFigures made;
    std::map<std::string, double> busy;
    double all_ns = 0;
    double all_states = 0;
    for (const nlohmann::json& one : launches) {
        const auto count = [&](const char* key) { return one.value(key, 0.0); };
        made.us += count("us");
        made.instructions += count("instructions");
        made.sectors += count("global_load_sectors") + count("global_store_sectors");
        made.wavefronts += count("shared_load_wavefronts") + count("shared_store_wavefronts");
        made.memory_bytes += count("memory_read_bytes") + count("memory_write_bytes");
        const double ns = count("nanoseconds");
        all_ns += ns;
        for (const auto& [part, percent] : one["busy"].items()) busy[part] += ns * percent.get<double>();
        double of_launch = 0;
        for (const auto& [stall, warps] : one["stalls"].items()) of_launch += warps.get<double>();
        for (const auto& [stall, warps] : one["stalls"].items()) {
            const int state = detail::state_of(stall);
            double& share = state < 0 ? made.other_states : made.states[std::size_t(state)];
            share += ns * warps.get<double>() / of_launch;
        }
        all_states += ns;
    }
    made.counted_us = all_ns / 1e3;
    for (const auto& [part, sum] : busy) made.busy.add(part, sum / all_ns);
    for (double& share : made.states) share /= all_states;
    made.other_states /= all_states;
    return made;
}

}  // namespace ws::testing
