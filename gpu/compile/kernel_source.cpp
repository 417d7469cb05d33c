#include "gpu/compile/kernel_source.h"

#include <algorithm>
#include <regex>
#include <sstream>

#include "gpu/core/numbers.h"

namespace ws {
namespace {

// "2 * BLOCK_Y": factors are numbers or names of knobs.
TileSide side_of(const std::string& text) {
    constexpr int kMostPixels = 1 << 15;  // as a picture's side
    TileSide side;
    std::istringstream factors(text);
    for (std::string factor; std::getline(factors, factor, '*');) {
        factor.erase(std::remove(factor.begin(), factor.end(), ' '), factor.end());
        if (factor.empty()) continue;
        if (const std::optional<int> number = parse_number<int>(factor))
            side.factor = int(std::clamp<std::int64_t>(std::int64_t(side.factor) * *number, 1, kMostPixels));
        else
            side.knobs.push_back(factor);
    }
    return side;
}

}  // namespace

Result<KernelSource> parse_kernel(std::string_view name, std::string text) {
    static const std::regex knob_line(
        R"(^//\s*knob:\s*([A-Za-z_]\w*)\s*=\s*(-?\d{1,9})\s+in\s+(-?\d{1,9})\.\.(-?\d{1,9})\s*(.*)$)");
    static const std::regex knob_start(R"(^//\s*knob:)");
    static const std::regex tile_line(R"(^//\s*elements per block:\s*([\w* ]+) x ([\w* ]+)$)");
    static const std::regex uneven_line(
        R"(^//\s*pixels across if the width is no multiple of 4:\s*(\d{1,4})$)");
    static const std::regex warps_line(R"(^//\s*warps per multiprocessor:\s*([\w* ]+)$)");
    static const std::regex order_line(
        R"(^//\s*order of tiles:\s*(rows|columns|diagonals|line|folded line)$)");
    static const std::regex registers_line(R"(^//\s*registers at most:\s*([A-Za-z_]\w*)$)");
    static const std::regex parallelism_line(R"(^//\s*instruction-level parallelism:\s*([A-Za-z_]\w*)$)");
    static const std::regex needs_line(R"(^//\s*needs compute capability:\s*(\d{1,2})\.(\d)\s*(.*)$)");

    KernelSource source;
    source.name = name;
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.size() > 1000 || line.rfind("//", 0) != 0) continue;
        std::smatch match;
        if (std::regex_match(line, match, knob_line)) {
            Knob knob{match[1], std::stoi(match[2]), std::stoi(match[3]), std::stoi(match[4]), match[5]};
            if (knob.low > knob.high || knob.value < knob.low || knob.value > knob.high) {
                return Result<KernelSource>::failure(source.name + ".cu:" + std::to_string(number) +
                                                     ": the knob's value is outside its range");
            }
            source.knobs.push_back(std::move(knob));
        } else if (std::regex_search(line, knob_start)) {
            return Result<KernelSource>::failure(
                source.name + ".cu:" + std::to_string(number) +
                ": a knob is written '// knob: NAME = 10 in 0..32  meaning'");
        } else if (std::regex_match(line, match, tile_line)) {
            source.across = side_of(match[1]);
            source.down = side_of(match[2]);
        } else if (line.rfind("// pixels per block:", 0) == 0) {
            return Result<KernelSource>::failure(source.name + ".cu:" + std::to_string(number) +
                                                 ": what a block computes is written '// elements per block: "
                                                 "BLOCK_X x 2 * BLOCK_Y' now");
        } else if (std::regex_match(line, match, uneven_line)) {
            source.uneven_across = std::stoi(match[1]);
        } else if (std::regex_match(line, match, warps_line)) {
            source.warps = side_of(match[1]);
        } else if (std::regex_match(line, match, order_line)) {
            source.order = match[1] == "columns"       ? TileOrder::columns
                           : match[1] == "diagonals"   ? TileOrder::diagonals
                           : match[1] == "line"        ? TileOrder::line
                           : match[1] == "folded line" ? TileOrder::folded_line
                                                       : TileOrder::rows;
        } else if (std::regex_match(line, match, registers_line)) {
            source.registers_knob = match[1];
        } else if (std::regex_match(line, match, parallelism_line)) {
            source.parallelism_knob = match[1];
        } else if (std::regex_match(line, match, needs_line)) {
            source.needs = {std::stoi(match[1]), std::stoi(match[2])};
            source.needs_why = match[3];
        }
    }
    const std::pair<const char*, const std::string&> named[] = {
        {"registers at most", source.registers_knob},
        {"instruction-level parallelism", source.parallelism_knob}};
    for (const auto& [line, knob] : named) {
        if (!knob.empty() && !find_knob(source, knob))
            return Result<KernelSource>::failure(source.name + ".cu: '" + line +
                                                 "' names no knob of the file");
    }
    // Every kernel has these two, declared or not.
    for (const char* axis : {"BLOCK_Y", "BLOCK_X"}) {
        if (!find_knob(source, axis)) source.knobs.insert(source.knobs.begin(), Knob{axis, 8, 1, 1024, ""});
    }
    source.text = std::move(text);
    return source;
}

int register_limit(const KernelSource& source, const KnobValues& knobs) {
    const auto limit = knobs.find(source.registers_knob);
    return limit == knobs.end() ? 0 : limit->second;
}

}  // namespace ws
