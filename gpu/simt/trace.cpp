#include "gpu/simt/trace.h"

#include <algorithm>
#include <bit>

#include "gpu/simt/cache_walk.h"
#include "gpu/simt/details.h"
#include "gpu/simt/traffic.h"

namespace ws::simt {
namespace {

MachineKind kind_of(AccessKind kind) {
    switch (kind) {
        case AccessKind::write:
            return MachineKind::store;
        case AccessKind::atomic:
            return MachineKind::atomic;
        case AccessKind::copy:
            return MachineKind::copy;
        case AccessKind::texture:
            return MachineKind::texture;
        case AccessKind::none:
        case AccessKind::read:
            break;
    }
    return MachineKind::load;
}

MemorySpace space_of_machine(Space space) {
    switch (space) {
        case Space::shared:
            return MemorySpace::shared;
        case Space::local:
            return MemorySpace::local;
        case Space::constant:
        case Space::param:
            return MemorySpace::constant;
        case Space::generic:
        case Space::global:
            break;
    }
    return MemorySpace::global;
}

// How many lanes want what most of them want: the same word, or of shared memory the same bank, which serves
// one of them at a time.
std::uint8_t most_together(PackedLanes packed, bool shared) {
    constexpr std::uint64_t kBanks = 32;
    const auto begin = packed.addresses.begin();
    const auto end = begin + std::ptrdiff_t(packed.count);
    for (auto at = begin; shared && at != end; ++at) *at = *at / 4 % kBanks;
    std::sort(begin, end);
    std::ptrdiff_t most = 1;
    for (auto at = begin; at != end;) {
        const auto next = std::upper_bound(at, end, *at);
        most = std::max(most, next - at);
        at = next;
    }
    return std::uint8_t(most);
}

// No lane's access crosses the border of a sector.
std::vector<std::uint64_t> sectors_of(const PackedLanes& packed) {
    constexpr std::uint64_t kBytesOfSector = 32;
    std::vector<std::uint64_t> sectors(packed.addresses.begin(),
                                       packed.addresses.begin() + std::ptrdiff_t(packed.count));
    for (std::uint64_t& sector : sectors) sector /= kBytesOfSector;
    std::sort(sectors.begin(), sectors.end());
    sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
    return sectors;
}

}  // namespace

Trace::Shared::Shared(const LaunchContext& context, LaunchMemory& /*memory*/, FindingLog& /*findings*/)
    : program_(*context.launch.program),
      rules_(access_rules(context.gpu.limits.capability, context.launch.banks)),
      caches_(context.gpu, l1_bytes_of(context.launch, context.gpu)),
      made_(context.options.trace.trace),
      warm_up_(context.options.trace.warm_up) {
    *made_ = {};
    for (const Function& function : program_.functions) {
        first_block_.push_back(int(made_->ptx_lines.size()));
        for (const BasicBlock& block : function.blocks) {
            std::vector<int> lines;
            int counted = 0;
            const auto add = [&](int site) {
                counted += program_.code[std::size_t(site)].weight > 0;
                const int line = program_.ptx_lines[std::size_t(site)];
                if (lines.empty() || lines.back() != line) lines.push_back(line);
            };
            for (int site = block.first; site < block.last; ++site) add(site);
            if (block.control >= 0) add(block.control);
            made_->ptx_lines.push_back(std::move(lines));
            made_->counted.push_back(counted);
        }
    }
}

void Trace::begin_block(const Worker& worker) {
    watching_ = worker.place.turn >= shared_.warm_up_;
    const int* shape = worker.place.shape;
    warps_.assign(std::size_t((shape[0] * shape[1] * shape[2] + kLanes - 1) / kLanes), {});
    stored_.assign(warps_.size(), {});
    for (std::size_t i = 0; i < warps_.size(); ++i) {
        warps_[i].thread_block = worker.place.linear_block;
        warps_[i].warp = int(i);
    }
}

void Trace::end_block(const Worker& /*worker*/) {
    if (!watching_) return;
    std::vector<WarpTrace>& all = shared_.made_->warps;
    std::move(warps_.begin(), warps_.end(), std::back_inserter(all));
}

void Trace::enter(const Warp& warp, int function, int block, std::uint32_t mask) {
    if (!watching_) return;
    WarpTrace& trace = of(warp);
    trace.path.push_back(
        {shared_.first_block_[std::size_t(function)] + block, mask, int(trace.accesses.size())});
}

void Trace::access(const Warp& warp, const WarpAccess& access) {
    const Instruction& instruction = access.instruction;
    const Space space = counted_space(access);
    const bool atomic = instruction.kind == AccessKind::atomic;
    const bool cached = space == Space::global && !atomic;
    const CacheTraffic traffic = cached ? send(shared_.caches_, access) : CacheTraffic{};
    if (!watching_) return;
    TracedAccess made;
    made.ptx_line = shared_.program_.ptx_lines[std::size_t(instruction.site)];
    made.kind = kind_of(instruction.kind);
    made.space = space_of_machine(space);
    made.lanes = std::uint8_t(std::popcount(access.mask));
    if (atomic) {
        const PackedLanes packed = pack(access.addresses, access.mask);
        made.ways = most_together(packed, space == Space::shared);
        made.lines = made.sectors = made.past_l1 = std::uint16_t(sectors_of(packed).size());
        if (space == Space::shared)
            made.wavefronts = std::uint16_t(
                bank_wavefronts(BankRule::thirty_two, {packed.addresses.data(), packed.count},
                                {packed.lanes.data(), packed.count}, memory_of(instruction).whole_bytes())
                    .wavefronts);
        else
            add_atomic(warp, access, packed);
    } else if (!memory_of(instruction).counts_elsewhere()) {
        const RequestCounts counts = request_counts(shared_.rules_, access, space);
        const bool banked = space == Space::shared || space == Space::constant;
        (banked ? made.wavefronts : made.sectors) = counts.sectors;
        if (!banked) {
            made.lines = std::uint16_t(counts.replays + 1);
            made.bytes = counts.bytes_requested;
            if (space == Space::global && made.kind == MachineKind::load)
                made.wavefronts = l1_wavefronts(access);
        }
        made.past_l1 = std::uint16_t(std::min<int>(traffic.past_l1, counts.sectors));
        if (made.kind == MachineKind::store && space == Space::global)
            made.past_l1 = std::uint16_t(sectors_that_go_on(warp, access, made.lines, made.past_l1));
    }
    of(warp).accesses.push_back(made);
}

void Trace::add_atomic(const Warp& warp, const WarpAccess& access, PackedLanes packed) {
    constexpr std::uint64_t kBytesOfSector = 32;
    constexpr std::size_t kWordsOfSector = 8;
    // What all words of a sector take, over what some of them do: measured on an H200, 1.15 and 1.44 clocks.
    constexpr double kWholeSector = 0.8;
    const bool floats = is_float(detail_of<AtomicAccess>(access.instruction).type);
    const std::uint64_t block = of(warp).thread_block;
    const auto begin = packed.addresses.begin();
    const auto end = begin + std::ptrdiff_t(packed.count);
    std::sort(begin, end);
    for (auto at = begin; at != end;) {
        const std::uint64_t sector = *at / kBytesOfSector;
        // Lanes of the same word come one after the other; what comes at once is part of the sector, or all
        // of it.
        std::ptrdiff_t most = 0;
        std::ptrdiff_t least = kLanes;
        std::size_t words = 0;
        while (at != end && *at / kBytesOfSector == sector) {
            const auto next = std::upper_bound(at, end, *at);
            most = std::max(most, next - at);
            least = std::min(least, next - at);
            at = next;
            ++words;
        }
        const double whole = words == kWordsOfSector ? double(least) : 0;
        const std::uint64_t slice = slice_of(sector * kBytesOfSector);
        std::vector<AtomicSlice>& all = shared_.made_->atomics;
        auto found =
            std::lower_bound(all.begin(), all.end(), slice,
                             [](const AtomicSlice& one, std::uint64_t wanted) { return one.slice < wanted; });
        if (found == all.end() || found->slice != slice) found = all.insert(found, {.slice = slice});
        if (found->blocks == 0 || found->last_block != block) {
            ++found->blocks;
            found->last_block = block;
        }
        (floats ? found->float_lanes : found->lanes) += double(most) - (1 - kWholeSector) * whole;
    }
}

int Trace::sectors_that_go_on(const Warp& warp, const WarpAccess& access, int lines, int sectors) {
    // Measured on an H200: fields of structures, stored one after the other, meet where a store touches four
    // lines, in part where it touches five or six, and not where it touches more (docs/clock.md).
    constexpr int kMostLines = 4;
    std::vector<std::uint64_t>& last = stored_[std::size_t(warp.index)];
    if (lines > kMostLines) {
        last.clear();
        return sectors;
    }
    std::vector<std::uint64_t> now = sectors_of(pack(access.addresses, access.mask));
    const auto again = std::count_if(now.begin(), now.end(), [&](std::uint64_t sector) {
        return std::binary_search(last.begin(), last.end(), sector);
    });
    last = std::move(now);
    return std::max(0, sectors - int(again));
}

void Trace::fetch_texture(const Warp& warp, const TextureRequest& request) {
    const CacheTraffic traffic = send(shared_.caches_, request);
    if (!watching_) return;
    TracedAccess made;
    made.ptx_line = shared_.program_.ptx_lines[std::size_t(request.instruction.site)];
    made.kind = MachineKind::texture;
    made.space = MemorySpace::texture;
    made.lanes = std::uint8_t(std::popcount(warp.mask));
    made.sectors = std::uint16_t(traffic.sectors);
    made.lines = std::uint16_t(request_counts(request).replays + 1);
    made.past_l1 = std::uint16_t(traffic.past_l1);
    of(warp).accesses.push_back(made);
}

}  // namespace ws::simt
