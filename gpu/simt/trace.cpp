#include "gpu/simt/trace.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

#include "gpu/simt/cache_walk.h"
#include "gpu/simt/details.h"
#include "gpu/simt/stored_bytes.h"
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

// Basic blocks of all functions that may follow each. A function returns behind any call.
std::vector<std::vector<int>> followers(const Program& program, const std::vector<int>& first_block) {
    std::vector<std::vector<int>> made;
    std::vector<int> behind_calls;
    std::vector<std::size_t> leaving;
    for (std::size_t f = 0; f < program.functions.size(); ++f) {
        const Function& function = program.functions[f];
        for (const BasicBlock& block : function.blocks) {
            std::vector<int>& next = made.emplace_back();
            for (const int to : block.targets) next.push_back(first_block[f] + to);
            for (const int to : {block.target, block.next})
                if (to >= 0) next.push_back(first_block[f] + to);
            if (block.flow == Flow::leave) leaving.push_back(made.size() - 1);
            if (block.flow != Flow::call) continue;
            if (block.next >= 0) behind_calls.push_back(first_block[f] + block.next);
            for (int call = block.call; call < block.call + block.calls; ++call)
                if (const int called = function.calls[std::size_t(call)].function; called >= 0)
                    next.push_back(first_block[std::size_t(called)]);
        }
    }
    for (const std::size_t block : leaving)
        made[block].insert(made[block].end(), behind_calls.begin(), behind_calls.end());
    return made;
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
      made_(context.options.trace.trace),
      most_(context.options.trace.most_instructions),
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
    made_->ptx_next = followers(program_, first_block_);
    for (const Instruction& instruction : program_.code) checks_.push_back(rare_check(instruction));
}

void Trace::begin_block(const Worker& worker) {
    watching_ = worker.place.turn >= shared_.warm_up_;
    const int* shape = worker.place.shape;
    const auto warps = std::size_t((shape[0] * shape[1] * shape[2] + kLanes - 1) / kLanes);
    block_ = {worker.place.turn, std::vector<WarpTrace>(watching_ ? warps : 0), {}, {}};
    stored_.assign(warps, {});
    executed_.assign(warps, 0);
    for (std::size_t i = 0; i < block_.warps.size(); ++i) {
        block_.warps[i].thread_block = worker.place.linear_block;
        block_.warps[i].warp = int(i);
    }
}

void Trace::end_block(const Worker& /*worker*/) {
    const std::lock_guard lock(shared_.mutex_);
    shared_.blocks_.push_back(std::move(block_));
}

void Trace::Shared::add(const Trace& worker) {
    made_->local_words = std::max(made_->local_words, worker.local_words_);
    made_->atomics.insert(made_->atomics.end(), worker.atomics_.begin(), worker.atomics_.end());
}

void Trace::Shared::report(LaunchOutcome& /*outcome*/) {
    std::sort(blocks_.begin(), blocks_.end(), [](const Block& a, const Block& b) { return a.turn < b.turn; });
    for (Block& block : blocks_) {
        add_before(block);
        std::move(block.warps.begin(), block.warps.end(), std::back_inserter(made_->warps));
    }
}

// As much as L1 holds at most is kept.
void Trace::Shared::add_before(const Block& block) {
    constexpr std::size_t kMost = 4096;
    std::vector<LineSectors>& before = made_->before;
    auto at = block.before.begin();
    for (const std::size_t end : block.ends) {
        const auto next = block.before.begin() + std::ptrdiff_t(end);
        before.insert(before.end(), at, next);
        at = next;
        if (before.size() > 2 * kMost) before.erase(before.begin(), before.end() - std::ptrdiff_t(kMost));
    }
}

void Trace::enter(const Warp& warp, int function, int block, std::uint32_t mask) {
    const int number = shared_.first_block_[std::size_t(function)] + block;
    executed_[std::size_t(warp.index)] += shared_.made_->counted[std::size_t(number)];
    if (!watching_) return;
    WarpTrace& trace = of(warp);
    trace.path.push_back({number, mask, int(trace.accesses.size()), int(trace.rare.size())});
}

void Trace::add_rare(const Warp& warp, const Instruction& instruction, RareCheck check) {
    if (!watching_) return;
    rare_.clear();
    add_rare_lanes(check, warp, instruction, rare_);
    const int line = shared_.program_.ptx_lines[std::size_t(instruction.site)];
    for (const RareLanes& lanes : rare_) of(warp).rare.push_back({line, lanes.mask, lanes.way});
}

void Trace::access(const Warp& warp, const WarpAccess& access) {
    const Space space = counted_space(access);
    if (!watching_) return fill_before(access, space);
    const Instruction& instruction = access.instruction;
    TracedAccess made;
    made.ptx_line = shared_.program_.ptx_lines[std::size_t(instruction.site)];
    made.kind = kind_of(instruction.kind);
    made.space = space_of_machine(space);
    made.lanes = std::uint8_t(std::popcount(access.mask));
    if (instruction.kind == AccessKind::atomic)
        look_at_atomic(warp, made, access, space);
    else if (!memory_of(instruction).counts_elsewhere())
        add_request(warp, made, access, space);
    of(warp).accesses.push_back(made);
}

void Trace::look_at_atomic(const Warp& warp, TracedAccess& made, const WarpAccess& access, Space space) {
    const PackedLanes packed = pack(access.addresses, access.mask);
    made.ways = most_together(packed, space == Space::shared);
    made.lines = made.sectors = made.past_l1 = std::uint16_t(sectors_of(packed).size());
    if (space == Space::shared)
        made.wavefronts = std::uint16_t(
            bank_wavefronts(BankRule::thirty_two, {packed.addresses.data(), packed.count},
                            {packed.lanes.data(), packed.count}, memory_of(access.instruction).whole_bytes())
                .wavefronts);
    else
        add_atomic(warp, access, packed);
}

void Trace::add_request(const Warp& warp, TracedAccess& made, const WarpAccess& access, Space space) {
    WarpTrace& trace = of(warp);
    if (const KnownRequest* known = known_.find(warp, access)) {
        repeat(trace, made, *known, access);
    } else {
        look_at(trace, made, access, space);
        known_.add(access, made, trace);
    }
    // What depends on where it lies, and on what was before.
    if (space == Space::local) local_words_ = std::max(local_words_, int(trace.asked.back().line()) + 1);
    if (space != Space::global) return;
    if (made.kind == MachineKind::load)
        made.lookups = std::uint8_t(tag_lookups(trace.asked_by(made)));
    else if (made.kind == MachineKind::store)
        made.past_l1 = std::uint16_t(sectors_that_go_on(trace, made));
}

void Trace::repeat(WarpTrace& trace, TracedAccess& made, const KnownRequest& known,
                   const WarpAccess& access) {
    made = known.made;
    if (known.lines.empty()) return;
    made.first_asked = int(trace.asked.size());
    const std::uint64_t first = KnownRequests::first_line(access);
    for (const LineSectors line : known.lines) trace.asked.push_back(line.moved(first));
    if (known.stored.empty()) return;
    made.first_stored = int(trace.stored.size());
    trace.stored.insert(trace.stored.end(), known.stored.begin(), known.stored.end());
}

void Trace::look_at(WarpTrace& trace, TracedAccess& made, const WarpAccess& access, Space space) {
    const bool banked = space == Space::shared || space == Space::constant;
    if (!banked) ask_for(trace, made, access, space);
    if (space == Space::global && counts_what_is_touched(shared_.rules_, access.instruction)) {
        made.lines = made.asked_lines;
        for (const LineSectors line : trace.asked_by(made)) made.sectors += line.count();
    } else {
        const RequestCounts counts = request_counts(shared_.rules_, access, space);
        (banked ? made.wavefronts : made.sectors) = counts.sectors;
        made.lines = banked ? 0 : std::uint16_t(counts.replays + 1);
    }
    if (!banked && !made.by_l1) made.past_l1 = made.sectors;
    if (space == Space::global && made.kind == MachineKind::load)
        made.wavefronts = l1_bank_wavefronts(access);
}

// What the caches are asked for.
void Trace::ask_for(WarpTrace& trace, TracedAccess& made, const WarpAccess& access, Space space) {
    const bool stores = made.kind == MachineKind::store;
    made.by_l1 = !stores && !memory_of(access.instruction).past_l1;
    made.first_asked = int(trace.asked.size());
    const AscendingAddresses addresses(access);
    const auto bytes = std::uint64_t(memory_of(access.instruction).whole_bytes());
    if (space == Space::local)
        add_local_lines(access, trace.asked);
    else
        add_lines(addresses, bytes, trace.asked);
    made.asked_lines = std::uint8_t(trace.asked.size() - std::size_t(made.first_asked));
    if (stores && space != Space::local)
        add_stored_bytes(made, addresses, bytes, trace.asked_by(made), trace.stored);
}

void Trace::fill_before(const WarpAccess& access, Space space) {
    const bool stores = access.instruction.kind == AccessKind::write;
    if (space != Space::global || stores || access.instruction.kind == AccessKind::atomic) return;
    if (memory_of(access.instruction).past_l1) return;
    add_lines(access, block_.before);
    block_.ends.push_back(block_.before.size());
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
        auto found =
            std::lower_bound(atomics_.begin(), atomics_.end(), slice,
                             [](const AtomicSlice& one, std::uint64_t wanted) { return one.slice < wanted; });
        if (found == atomics_.end() || found->slice != slice)
            found = atomics_.insert(found, {.slice = slice});
        if (found->blocks == 0 || found->last_block != block) {
            ++found->blocks;
            found->last_block = block;
        }
        (floats ? found->float_lanes : found->lanes) += double(most) - (1 - kWholeSector) * whole;
    }
}

int Trace::sectors_that_go_on(WarpTrace& trace, const TracedAccess& made) {
    // Measured on an H200: fields of structures, stored one after the other, meet where a store touches four
    // lines, in part where it touches five or six, and not where it touches more (docs/clock.md).
    constexpr int kMostLines = 4;
    TracedAccess& last = stored_[std::size_t(trace.warp)];
    int again = 0;
    if (made.lines <= kMostLines) {
        for (const LineSectors now : trace.asked_by(made))
            for (const LineSectors before : trace.asked_by(last))
                if (now.line() == before.line()) again += now.common(before);
    }
    last = made.lines <= kMostLines ? made : TracedAccess{};
    return std::max(0, int(made.past_l1) - again);
}

void Trace::fetch_texture(const Warp& warp, const TextureRequest& request) {
    if (!watching_) {
        add_lines(request, block_.before);
        return block_.ends.push_back(block_.before.size());
    }
    WarpTrace& trace = of(warp);
    TracedAccess made;
    made.ptx_line = shared_.program_.ptx_lines[std::size_t(request.instruction.site)];
    made.kind = MachineKind::texture;
    made.space = MemorySpace::texture;
    made.lanes = std::uint8_t(std::popcount(warp.mask));
    const RequestCounts counts = request_counts(request);
    made.sectors = counts.sectors;
    made.lines = std::uint16_t(counts.replays + 1);
    made.by_l1 = true;
    made.first_asked = int(trace.asked.size());
    add_lines(request, trace.asked);
    made.asked_lines = std::uint8_t(trace.asked.size() - std::size_t(made.first_asked));
    trace.accesses.push_back(made);
}

}  // namespace ws::simt
