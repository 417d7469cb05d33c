#pragma once
// What a bench measured, for the screen and for --json FILE: every row with the machine's figures by name.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/core/error.h"
#include "gpu/core/statistics.h"

namespace ws {

using Json = nlohmann::ordered_json;

[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Milliseconds of one run: samples of some runs each, so that the clock is fine enough, after a warm-up.
template <typename Work>
[[nodiscard]] Statistics time_ms(const Work& work, double sample_seconds = 0.02, int samples = 25) {
    const auto warm = std::chrono::steady_clock::now();
    int runs = 0;
    do {
        work();
        ++runs;
    } while (seconds_since(warm) < sample_seconds);
    std::vector<double> times;
    for (int i = 0; i < samples; ++i) {
        const auto start = std::chrono::steady_clock::now();
        for (int k = 0; k < runs; ++k) work();
        times.push_back(1000 * seconds_since(start) / runs);
    }
    return statistics_of(std::move(times));
}

inline void to_json(Json& json, const Statistics& time) {
    json = {{"median", time.median}, {"low", time.low}, {"high", time.high}, {"samples", time.samples}};
}

class Figures {
  public:
    // Takes "--json FILE" out of the arguments.
    Figures(std::string bench, std::vector<std::string>& arguments) : json_{{"bench", std::move(bench)}} {
        for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
            if (arguments[i] != "--json") continue;
            path_ = arguments[i + 1];
            arguments.erase(arguments.begin() + std::ptrdiff_t(i), arguments.begin() + std::ptrdiff_t(i) + 2);
            break;
        }
    }
    void set(const char* key, Json value) { json_[key] = std::move(value); }
    void add(Json row) { json_["rows"].push_back(std::move(row)); }
    // At the end of a bench that went well.
    void save() const {
        if (path_.empty()) return;
        std::ofstream file(path_);
        file << json_.dump(2) << '\n';
        if (!file.flush()) throw Error("the figures could not be written", path_);
    }

  private:
    Json json_;
    std::string path_;
};

// The main function of a bench: run(arguments, figures) gives the exit code; 0 saves the figures.
template <typename Run>
int bench_main(const std::string& bench, int argc, char** argv, const Run& run) {
    try {
        std::vector<std::string> arguments(argv + 1, argv + argc);
        if (std::ranges::find(arguments, "--help") != arguments.end()) {
            fmt::print("What bench_{0} measures, and its options: the first lines of bench/{0}.cpp\n", bench);
            return 0;
        }
        Figures figures(bench, arguments);
        const int code = run(arguments, figures);
        if (code == 0) figures.save();
        return code;
    } catch (const std::exception& error) {
        fmt::print(stderr, "bench_{}: error: {}\n", bench, error.what());
        return 1;
    }
}

}  // namespace ws
