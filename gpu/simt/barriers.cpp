#include "gpu/simt/barriers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace ws::simt {
namespace {

// Mostly all or none, and counting bits is a call where the compiler may not use the instruction.
std::uint32_t lanes_in(std::uint32_t mask) {
    if (mask == 0) return 0;
    return mask == 0xFFFFFFFF ? 32 : std::uint32_t(std::popcount(mask));
}

}  // namespace

void Barriers::begin_block(int warps) {
    warps_ = std::uint32_t(warps);
    for (Barrier& barrier : barriers_) barrier.clear();
}

// Keeps the memory: a barrier is passed often.
void Barriers::Barrier::clear() {
    threads = 0;
    arrived = 0;
    passage.waiting.clear();
    passage.yes = 0;
    passage.of = 0;
}

std::string Barriers::arrive(const Arrival& arrival) {
    if (arrival.id >= kCount)
        return fmt::format("barrier {} does not exist: a block has barriers 0 to {}", arrival.id, kCount - 1);
    if (arrival.threads % 32 != 0)
        return fmt::format("barrier {} is for {} threads: it must be a multiple of 32", arrival.id,
                           arrival.threads);
    if (arrival.threads > warps_ * 32)
        return fmt::format("barrier {} is for {} threads, and the block has {} warps: it can never be met",
                           arrival.id, arrival.threads, warps_);
    Barrier& barrier = barriers_[arrival.id];
    const auto all = [&](std::uint32_t threads) { return threads == 0 ? warps_ * 32 : threads; };
    if (barrier.arrived > 0 && all(barrier.threads) != all(arrival.threads))
        return fmt::format("barrier {} is for {} threads here, and for {} where others have arrived",
                           arrival.id, all(arrival.threads), all(barrier.threads));
    barrier.threads = std::max(barrier.threads, arrival.threads);
    ++barrier.arrived;
    barrier.passage.yes += lanes_in(arrival.yes);
    barrier.passage.of += lanes_in(arrival.lanes);
    if (arrival.kind != BarrierKind::arrive) barrier.passage.waiting.push_back(arrival);
    return {};
}

bool Barriers::met(std::uint32_t id, int running) const {
    const Barrier& barrier = barriers_[id];
    if (barrier.arrived == 0) return false;
    return barrier.arrived >= (barrier.threads > 0 ? barrier.threads / 32 : std::uint32_t(running));
}

const Barriers::Passage& Barriers::pass(std::uint32_t id) {
    std::swap(passing_, barriers_[id].passage);
    barriers_[id].clear();
    return passing_;
}

std::string Barriers::waiting_text(int& line) const {
    std::vector<std::pair<Arrival, std::uint32_t>> all;  // and how many warps have arrived there
    for (const Barrier& barrier : barriers_) {
        for (const Arrival& arrival : barrier.passage.waiting) all.emplace_back(arrival, barrier.arrived);
    }
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.first.warp < b.first.warp; });
    std::string text;
    line = all.empty() ? 0 : all.front().first.line;
    for (const auto& [arrival, arrived] : all) {
        if (text.size() > 300) return text + ", and others";
        if (!text.empty()) text += ", ";
        text += fmt::format("warp {} waits at barrier {} (line {}", arrival.warp, arrival.id, arrival.line);
        if (arrival.threads > 0) text += fmt::format(", {} of {} threads", arrived * 32, arrival.threads);
        text += ")";
    }
    return text;
}

}  // namespace ws::simt
