#include "gpu/labs/streams/schedule.h"

#include <algorithm>
#include <array>

#include "gpu/labs/amdahl/amdahl.h"

namespace ws::streams {
namespace {

constexpr std::array kParts{Part::in, Part::kernel, Part::out};

Command piece_of(const Plan& plan, Part part, int piece) {
    const auto border = [&](int number) {
        return plan.words * std::size_t(number) / std::size_t(plan.pieces);
    };
    return {part, piece % plan.streams, piece, border(piece), border(piece + 1) - border(piece)};
}

// The parts from `first` on, of all pieces.
void add_pieces(const Plan& plan, Part first, std::vector<Command>& commands) {
    const int group = plan.order == Order::depth_first ? 1 : plan.streams;
    for (int begin = 0; begin < plan.pieces; begin += group) {
        for (const Part part : kParts) {
            if (part < first) continue;
            for (int piece = begin; piece < std::min(begin + group, plan.pieces); ++piece)
                commands.push_back(piece_of(plan, part, piece));
        }
    }
}

// The engine that has most to do.
void find_slowest(const PartTimes& times, const Engines& engines, Limits& limits) {
    const auto consider = [&](double ms, std::string_view name) {
        if (ms <= limits.slowest_ms) return;
        limits.slowest_ms = ms;
        limits.slowest = name;
    };
    const double kernels = times.kernel_ms / engines.kernels;
    if (engines.copies == 0) return consider(times.in_ms + kernels + times.out_ms, "copies and kernels");
    consider(kernels, "kernels");
    if (engines.copies == 1) return consider(times.in_ms + times.out_ms, "copies both ways");
    consider(times.in_ms, "copies in");
    consider(times.out_ms, "copies out");
}

}  // namespace

std::vector<Command> commands_of(const Plan& plan) {
    std::vector<Command> commands;
    Plan whole = plan;
    whole.pieces = whole.streams = 1;
    if (plan.overlap == Overlap::serial) {
        add_pieces(whole, Part::in, commands);
        return commands;
    }
    const bool ahead = plan.overlap == Overlap::two_way;
    if (ahead) {
        commands.push_back(piece_of(whole, Part::in, 0));
        commands.back().ahead = true;
    }
    add_pieces(plan, ahead ? Part::kernel : Part::in, commands);
    return commands;
}

Limits limits_of(const PartTimes& times, const Engines& engines, const Plan& plan) {
    Limits limits;
    find_slowest(times, engines, limits);
    // The first copy in has nothing beside it, nor has the last copy out.
    const bool two_way = plan.overlap == Overlap::two_way;
    const double alone = times.in_ms / (two_way ? 1 : plan.pieces) + times.out_ms / plan.pieces;
    const int copies = two_way ? std::min(1, engines.copies) : engines.copies;
    const int most = engines.copies == 0 ? engines.kernels : copies + engines.kernels;
    if (plan.overlap != Overlap::serial) limits.at_once = std::min({most, plan.streams, plan.pieces});
    const double sum = times.sum();
    limits.amdahl_ms = sum > 0 ? sum / amdahl::speedup(1 - alone / sum, limits.at_once) : 0;
    if (limits.at_once == 1) {  // nothing overlaps
        limits.slowest_ms = sum;
        limits.slowest = "one at a time";
    }
    return limits;
}

}  // namespace ws::streams
