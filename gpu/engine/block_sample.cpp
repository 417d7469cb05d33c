#include "gpu/engine/block_sample.h"

#include <algorithm>
#include <numeric>

#include "gpu/analysis/clock_units.h"

namespace ws {
namespace {

constexpr std::uint64_t kMostRounds = 16;
// Warp instructions of PTX, about: of whole rounds, and of all blocks of a multiprocessor, where these have
// no more, or of those that only fill the cache.
constexpr double kTracedSteps = 1.5e5;
constexpr double kStepsOfAll = 2.7e5;

}  // namespace

std::uint64_t blocks_of_one(std::uint64_t blocks, int multiprocessors) {
    const auto all = std::uint64_t(std::max(1, multiprocessors));
    return (blocks + all - 1) / all;
}

BlockSample block_sample(std::uint64_t blocks, int multiprocessors, int resident, double steps_of_block) {
    const auto all = std::uint64_t(std::max(1, multiprocessors));
    const std::uint64_t here = blocks_of_one(blocks, multiprocessors);
    const auto blocks_of = [&](double steps) {
        return std::uint64_t(std::max(1.0, steps / std::max(1.0, steps_of_block)));
    };
    const std::uint64_t most = blocks_of(kStepsOfAll);
    // Whole rounds: with fewer blocks in the last one it would be faster than the others.
    const auto round = std::uint64_t(resident);
    const std::uint64_t wanted =
        round * std::clamp<std::uint64_t>(blocks_of(kTracedSteps) / round, 1, kMostRounds);
    BlockSample sample;
    // All, where they are few: how the last ones begin is then not guessed.
    const std::uint64_t traced = here <= std::min(most, kMostRounds * round) ? here : std::min(here, wanted);
    sample.warm_up = std::min({here - traced, std::uint64_t(resident), most});
    const std::uint64_t first = (here - traced - sample.warm_up) / 2 * all;
    for (std::uint64_t i = 0; i < traced + sample.warm_up; ++i)
        sample.blocks.push_back((first + i * all) % blocks);
    return sample;
}

BlockSample from_all_over(const BlockSample& sample, std::uint64_t blocks, int multiprocessors,
                          int resident) {
    const auto all = std::uint64_t(std::max(1, multiprocessors));
    const auto round = std::uint64_t(std::max(1, resident));
    const std::uint64_t here = blocks / all;  // of each multiprocessor, at least
    const std::uint64_t traced = sample.blocks.size() - sample.warm_up;
    const std::uint64_t rounds = traced / round;
    if (rounds < 2 || traced >= here) return sample;
    const std::uint64_t part = here / rounds;
    std::vector<std::uint64_t> order(rounds);
    std::iota(order.begin(), order.end(), std::uint64_t(0));
    std::sort(order.begin(), order.end(),
              [](std::uint64_t a, std::uint64_t b) { return Dice::of(a) < Dice::of(b); });
    BlockSample made;
    for (const std::uint64_t number : order) {
        const auto below = [&](std::uint64_t which, std::uint64_t end) {
            return std::uint64_t(Dice::of(which * rounds + number) * double(end));
        };
        std::uint64_t begin = number * part + below(1, part - round + 1);
        const std::uint64_t end = begin + round;
        const std::uint64_t multiprocessor = below(2, all);
        if (made.blocks.empty()) {
            made.warm_up = std::min(sample.warm_up, begin);
            begin -= made.warm_up;
        }
        for (; begin < end; ++begin) made.blocks.push_back(begin * all + multiprocessor);
    }
    return made;
}

}  // namespace ws
