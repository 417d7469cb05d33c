#pragma once
// Where the warps of a launch stall, by line of the source: by the clock, and by Nsight Compute's samples of
// an H200 (tests/counters/h200_samples.json, which tools/gpu-samples writes).

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/core/clocked_launch.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/core/machine_code.h"

namespace ws::testing {

// By how many points a share may be off, of a launch's stalls or of its warps' time.
inline constexpr double kSharePoints = 10;

// Of all stalls of a launch the part at each line, in per cent; 0: what belongs to no line.
using LineShares = std::map<int, double>;

inline LineShares stalls_at(const std::vector<StateClocks>& lines) {
    const auto stalls_of = [](const StateClocks& states) {
        return double(clocks_of(states) - states[std::size_t(WarpState::issuing)]);
    };
    double all = 0;
    for (const StateClocks& line : lines) all += stalls_of(line);
    LineShares made;
    for (std::size_t line = 0; line < lines.size(); ++line)
        if (all > 0) made[int(line)] = 100 * stalls_of(lines[line]) / all;
    return made;
}

// Of a launch by the clock.
struct StalledLaunch {
    std::string name;        // "filters V0 blur"
    std::vector<int> lines;  // of its machine instructions
    LineShares by_time;      // of its warps, as the window has it
    LineShares as_samples;   // as a profiler's samples of the same would have it
};

inline StalledLaunch stalled_launch(std::string name, const MachineCode& code,
                                    const std::vector<StateClocks>& by_time,
                                    const std::vector<StateClocks>& as_samples) {
    StalledLaunch made{std::move(name), {}, stalls_at(by_time), stalls_at(as_samples)};
    for (const MachineInstruction& one : code.instructions) made.lines.push_back(one.line);
    return made;
}

// What was sampled of a launch at several distances in time, by line.
class SampledLaunch {
  public:
    static constexpr std::size_t kDistances = 5;
    static constexpr std::size_t kNone = kDistances;

    void add(int line, std::size_t distance, double stalls) { stalls_[line][distance] += stalls; }

    // The median of all distances, or of all but one.
    [[nodiscard]] LineShares median(std::size_t without = kNone) const {
        LineShares made;
        for (const auto& [line, of_line] : stalls_) {
            std::vector<double> values;
            for (std::size_t i = 0; i < kDistances; ++i)
                if (i != without) values.push_back(of_line[i]);
            std::sort(values.begin(), values.end());
            made[line] = (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
        }
        return of_hundred(made);
    }
    [[nodiscard]] LineShares alone(std::size_t distance) const {
        LineShares made;
        for (const auto& [line, of_line] : stalls_) made[line] = of_line[distance];
        return of_hundred(made);
    }

  private:
    [[nodiscard]] static LineShares of_hundred(LineShares shares) {
        double all = 0;
        for (const auto& [line, share] : shares) all += share;
        if (all > 0)
            for (auto& [line, share] : shares) share *= 100 / all;
        return shares;
    }
    std::map<int, std::array<double, kDistances>> stalls_;
};

class StallSamples {
  public:
    explicit StallSamples(const std::string& path)
        : launches_(nlohmann::json::parse(read_file(path))["launches"]) {}

    // None where a launch is so short that few samples were taken. Throws Error where other machine code was
    // sampled.
    [[nodiscard]] std::optional<SampledLaunch> of(const StalledLaunch& launch) const {
        const auto found = launches_.find(launch.name);
        if (found == launches_.end()) throw Error(launch.name + " was not sampled", "", kRemedy);
        if ((*found)["instructions"] != launch.lines.size())
            throw Error(launch.name + " was sampled with other machine code", "", kRemedy);
        for (const int samples : (*found)["samples"])
            if (samples < kLeastSamples) return std::nullopt;
        SampledLaunch made;
        for (const nlohmann::json& at : (*found)["stalls"])
            for (std::size_t i = 0; i < SampledLaunch::kDistances; ++i)
                made.add(launch.lines[at[0].get<std::size_t>()], i, at[i + 1].get<double>());
        return made;
    }

  private:
    static constexpr int kLeastSamples = 1000;
    static constexpr const char* kRemedy = "sample it anew: tools/gpu-samples";
    nlohmann::json launches_;
};

// By how many points the shares are off at the three lines at which the GPU stalls most: the worst of them.
inline double worst_line(const LineShares& clock, const LineShares& gpu) {
    std::vector<std::pair<double, int>> most;
    for (const auto& [line, share] : gpu) most.emplace_back(share, line);
    std::sort(most.rbegin(), most.rend());
    double worst = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, most.size()); ++i) {
        const auto found = clock.find(most[i].second);
        worst = std::max(worst, std::abs(most[i].first - (found == clock.end() ? 0 : found->second)));
    }
    return worst;
}

// In how many launches the clock has the lines of the samples, and in how many what was sampled at one
// distance alone has those of the other distances: how well it could have them.
struct SampledLines {
    int launches = 0, clock = 0;
    std::array<int, SampledLaunch::kDistances> alone{};

    void add(const StalledLaunch& launch, const SampledLaunch& sampled) {
        ++launches;
        clock += worst_line(launch.as_samples, sampled.median()) <= kSharePoints;
        for (std::size_t i = 0; i < alone.size(); ++i)
            alone[i] += worst_line(sampled.alone(i), sampled.median(i)) <= kSharePoints;
    }
};

}  // namespace ws::testing
