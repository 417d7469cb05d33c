#pragma once
// The observer that counts: executions by basic block, requests by instruction.

#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/simt/observer.h"
#include "gpu/simt/tally.h"
#include "gpu/simt/traffic.h"

namespace ws::simt {

class Counter : public Silent {
  public:
    class Shared {
      public:
        Shared(const LaunchContext& context, LaunchMemory& memory, FindingLog& findings);
        void add(const Counter& worker);
        void report(LaunchOutcome& outcome);

      private:
        friend class Counter;
        const Program& program_;
        AccessRules rules_;
        Tally tally_;
    };

    explicit Counter(const Shared& shared);

    [[nodiscard]] bool wants_each() const { return false; }
    void enter(const Warp& /*warp*/, int function, int block, std::uint32_t mask) {
        BlockCounts& counts = blocks_[std::size_t(function)][std::size_t(block)];
        ++counts.executions;
        // Most masks are full, and counting bits is a call where the compiler may not use the instruction.
        counts.lanes += lanes_in(mask);
    }
    void entered(int function, int block, const BlockPasses& passes) {
        BlockCounts& counts = blocks_[std::size_t(function)][std::size_t(block)];
        counts.executions += passes.times;
        counts.lanes += passes.lanes;
        counts.divergent += passes.divergent;
    }
    void repeated(const Instruction& instruction, const AccessPattern& pattern);
    void diverge(int function, int block) { ++blocks_[std::size_t(function)][std::size_t(block)].divergent; }
    void guarded(const Instruction& instruction, std::uint32_t mask) {
        SiteCounts& site = sites_[std::size_t(instruction.site)];
        ++site.guarded;
        site.guarded_lanes += lanes_in(mask);
    }
    void access(const Warp& /*warp*/, const WarpAccess& access);
    void fetch_texture(const Warp& /*warp*/, const TextureRequest& request) {
        add(sites_[std::size_t(request.instruction.site)], request_counts(request));
    }

  private:
    // What an access of a known pattern counts follows from where it begins within the longest stretch that
    // any rule of any capability looks at.
    static constexpr std::uint64_t kAlignments = 256;
    struct Known {
        std::uint32_t changes = ~0u;       // of the pattern for which this is known
        std::bitset<kAlignments> counted;  // for which alignments
        std::array<RequestCounts, kAlignments> counts;
    };

    [[nodiscard]] static std::uint64_t lanes_in(std::uint32_t mask) {
        return mask == kAllLanes ? kLanes : std::uint64_t(std::popcount(mask));
    }
    void count_anew(SiteCounts& site, const WarpAccess& access);
    static void add(SiteCounts& site, const RequestCounts& counts, std::uint64_t times = 1) {
        site.requests += times;
        site.sectors += times * counts.sectors;
        site.bytes_requested += times * counts.bytes_requested;
        site.bytes_transferred += times * counts.bytes_transferred;
        site.replays += times * counts.replays;
        if (counts.ways > site.ways) site.ways = counts.ways;
    }

    AccessRules rules_;
    std::vector<std::vector<BlockCounts>> blocks_;  // by function, then by basic block
    std::vector<SiteCounts> sites_;
    [[nodiscard]] Known& known_of(const Warp& warp, const WarpAccess& access);
    std::vector<Known> known_;                     // of accesses of all lanes, by memory instruction
    std::vector<std::unique_ptr<Known>> partial_;  // of some, as in PartialPatterns
};

inline Counter::Known& Counter::known_of(const Warp& warp, const WarpAccess& access) {
    const auto number = std::size_t(memory_of(access.instruction).pattern);
    if (access.mask == kAllLanes) return known_[number];
    std::unique_ptr<Known>& at = partial_[warp.worker->partial_patterns.index_of(number, access.mask)];
    if (!at) at = std::make_unique<Known>();
    return *at;
}

inline void Counter::access(const Warp& warp, const WarpAccess& access) {
    const Instruction& instruction = access.instruction;
    const MemoryAccess& memory = memory_of(instruction);
    if (memory.counts_elsewhere()) return;
    SiteCounts& site = sites_[std::size_t(instruction.site)];
    if (!access.pattern || memory.space == Space::constant) return count_anew(site, access);
    const std::uint64_t alignment = access.addresses[std::countr_zero(access.mask) % kLanes] % kAlignments;
    Known& known = known_of(warp, access);
    if (known.changes != access.pattern->changes) {
        known.changes = access.pattern->changes;
        known.counted.reset();
    }
    if (!known.counted[alignment]) {
        known.counts[alignment] = request_counts(rules_, access, memory.space);
        known.counted[alignment] = true;
    }
    add(site, known.counts[alignment]);
    site.generic_shared |= memory.space == Space::shared;
}

}  // namespace ws::simt
