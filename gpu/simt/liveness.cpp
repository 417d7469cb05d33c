#include "gpu/simt/liveness.h"

#include <algorithm>

#include "gpu/simt/special_operations.h"

namespace ws::simt {
namespace {

// The last instruction of a block, with the one that ends it.
int end_of(const BasicBlock& block) {
    return block.control >= 0 ? block.control + 1 : block.last;
}

bool holds(const std::vector<std::int32_t>& slots, std::int32_t slot) {
    return std::find(slots.begin(), slots.end(), slot) != slots.end();
}

// Whether the slot, of the instruction's detail, is only read.
bool is_source(const Instruction& i, std::int32_t slot) {
    if (i.kind == AccessKind::write) return true;
    if (i.observed == &kShuffle) return slot == detail_of<Shuffle>(i).members;
    return i.observed == &kVote;
}

}  // namespace

std::vector<int> successors_of(const BasicBlock& block) {
    std::vector<int> made = block.targets;
    for (const int other : {block.target, block.next}) {
        if (other >= 0) made.push_back(other);
    }
    return made;
}

SlotUses::SlotUses(const Program& program) {
    const DetailPools& pools = program.details;
    const auto note = [&](const Detail& detail, auto... slots) { of_detail_[&detail] = {slots...}; };
    const auto note_elements = [&](const auto& details) {
        for (const auto& detail : details) {
            const Elements& e = detail.elements;
            note(detail, e[0], e[1], e[2], e[3]);
        }
    };
    note_elements(pools.all<MemoryAccess>());
    note_elements(pools.all<AtomicAccess>());
    note_elements(pools.all<AsyncCopy>());
    note_elements(pools.all<LaneParameterAccess>());
    note_elements(pools.all<TextureFetch>());
    note_elements(pools.all<VectorMove>());
    for (const Shuffle& detail : pools.all<Shuffle>()) note(detail, detail.members, detail.valid);
    for (const Vote& detail : pools.all<Vote>()) note(detail, detail.members);
    for (const Match& detail : pools.all<Match>()) note(detail, detail.predicate);
}

SlotUse SlotUses::of(const Instruction& i, bool writes_whole) const {
    SlotUse made;
    const auto add = [](std::vector<std::int32_t>& to, std::int32_t slot) {
        if (slot >= 0 && !holds(to, slot)) to.push_back(slot);
    };
    for (const std::int32_t slot : {i.a, i.b, i.c, i.e, i.guard}) add(made.read, slot);
    add(writes_whole ? made.written : made.read, i.d);
    if (const auto found = of_detail_.find(i.detail); found != of_detail_.end()) {
        const bool loads = writes_whole && i.kind == AccessKind::read;
        for (const std::int32_t slot : found->second) {
            add(loads ? made.written : made.read, slot);
            if (!is_source(i, slot)) add(made.changed, slot);
        }
    }
    add(made.changed, i.d);
    add(made.changed, i.e);
    return made;
}

void Liveness::solve(const Function& function) {
    Solved& made = solved_.emplace_back();
    const auto index_of = [&](std::int32_t slot) {
        const auto [known, is_new] = made.index.try_emplace(slot, made.index.size());
        if (is_new) {
            made.reads.emplace_back();
            made.writes.emplace_back();
        }
        return known->second;
    };
    for (const BasicBlock& block : function.blocks) {
        for (int i = block.first; i < end_of(block); ++i) {
            for (const std::int32_t slot : use(i).read) made.reads[index_of(slot)].push_back(i);
            for (const std::int32_t slot : use(i).written) made.writes[index_of(slot)].push_back(i);
        }
    }
    const std::size_t words = made.index.size() / 64 + 1;
    const std::size_t count = function.blocks.size();
    std::vector<Bits> live_in(count, Bits(words));
    std::vector<Bits> written(count, Bits(words));
    made.live_out.assign(count, Bits(words));
    const auto set = [](Bits& bits, std::size_t bit) { bits[bit / 64] |= 1ull << (bit % 64); };
    const auto has = [](const Bits& bits, std::size_t bit) {
        return (bits[bit / 64] >> (bit % 64) & 1) != 0;
    };
    for (std::size_t b = 0; b < count; ++b) {
        for (int i = function.blocks[b].first; i < end_of(function.blocks[b]); ++i) {
            for (const std::int32_t slot : use(i).read) {
                if (const std::size_t bit = index_of(slot); !has(written[b], bit)) set(live_in[b], bit);
            }
            for (const std::int32_t slot : use(i).written) set(written[b], index_of(slot));
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t b = count; b-- > 0;) {
            for (const int next : successors_of(function.blocks[b])) {
                for (std::size_t word = 0; word < words; ++word) {
                    const std::uint64_t out = made.live_out[b][word] | live_in[std::size_t(next)][word];
                    const std::uint64_t in = live_in[b][word] | (out & ~written[b][word]);
                    changed = changed || in != live_in[b][word];
                    made.live_out[b][word] = out;
                    live_in[b][word] = in;
                }
            }
        }
    }
}

int Liveness::next_read(const Function& function, int block, int instruction, std::int32_t slot) const {
    const Solved& made = solved_[std::size_t(&function - program_.functions.data())];
    const int end = end_of(function.blocks[std::size_t(block)]);
    const auto found = made.index.find(slot);
    if (found == made.index.end()) return kNever;
    const auto first_in = [&](const std::vector<int>& instructions) {
        const auto at = std::lower_bound(instructions.begin(), instructions.end(), instruction);
        return at != instructions.end() && *at < end ? *at : kNever;
    };
    const int read = first_in(made.reads[found->second]);
    const int written = first_in(made.writes[found->second]);
    if (read != kNever && read <= written) return read;
    if (written != kNever) return kNever;
    const Bits& out = made.live_out[std::size_t(block)];
    return (out[found->second / 64] >> (found->second % 64) & 1) != 0 ? end : kNever;
}

}  // namespace ws::simt
