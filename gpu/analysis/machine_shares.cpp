#include "gpu/analysis/machine_shares.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "gpu/analysis/number_table.h"

namespace ws {
namespace {

// The value that comes most often; the smallest of several.
int most_common(const std::map<int, int>& times) {
    int found = 1;
    int most = 0;
    for (const auto& [value, count] : times) {
        if (count > most) {
            most = count;
            found = value;
        }
    }
    return found;
}

// Which way is taken says a branch, not whether it is executed. What a predicate guards may do nothing, and
// so may what the assembler executes in any case instead of branching past it.
int cost_of(const MachineInstruction& instruction, bool in_any_case) {
    switch (instruction.kind) {
        case MachineKind::branch:
        case MachineKind::exit:
        case MachineKind::converge:
            return 0;
        default:
            return instruction.guarded || in_any_case ? kCostUnit / 4 : kCostUnit;
    }
}

// Whether the assembler leaves it where the PTX has it: others see it.
bool stays_in_place(const MachineInstruction& instruction) {
    switch (instruction.kind) {
        case MachineKind::store:
        case MachineKind::atomic:
        case MachineKind::copy:
        case MachineKind::shuffle:
        case MachineKind::barrier:
        case MachineKind::fence:
            return true;
        default:
            return false;
    }
}

std::size_t in_both(const std::vector<int>& a, const std::vector<int>& b) {
    std::vector<int> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both.size();
}

void add_all(std::vector<int>& to, const std::vector<int>& from) {
    std::vector<int> all;
    std::set_union(to.begin(), to.end(), from.begin(), from.end(), std::back_inserter(all));
    to = std::move(all);
}

}  // namespace

MachineShares::MachineShares(const MachineCode& code, const KernelTrace& trace, const MachineFlow& flow) {
    for (std::size_t p = 0; p < trace.ptx_lines.size(); ++p) {
        for (const int line : trace.ptx_lines[p]) {
            if (std::size_t(line) >= ptx_blocks_.size()) ptx_blocks_.resize(std::size_t(line) + 1, -1);
            ptx_blocks_[std::size_t(line)] = int(p);
        }
        branches_.push_back(p < trace.ptx_next.size() && trace.ptx_next[p].size() > 1);
        last_lines_.push_back(trace.ptx_lines[p].empty() ? -1 : trace.ptx_lines[p].back());
    }
    homes_.resize(trace.ptx_lines.size());
    lines_.resize(trace.ptx_lines.size());
    find_pieces(code);
    find_shares(code, unbranched(code, trace));
    find_parts(flow);
    find_homes();
}

int MachineShares::ptx_block_of(int line) const {
    return std::size_t(line) < ptx_blocks_.size() ? ptx_blocks_[std::size_t(line)] : -1;
}

int MachineShares::covered(const MachineShare& share) const {
    const auto has = int(share.lines_with_it.size());
    const int all = lines_[std::size_t(share.ptx_block)];
    return kCostUnit * (4 * has >= 3 * all ? all : has);
}

void MachineShares::find_pieces(const MachineCode& code) {
    // Where a kernel ends: any exit of the machine code will do. Functions of the assembler's own come behind
    // it and have its line.
    std::set<int> ends;
    for (const MachineInstruction& instruction : code.instructions)
        if (instruction.kind == MachineKind::exit && !instruction.guarded) ends.insert(instruction.ptx_line);
    constexpr int kOpcodeBits = 12;
    NumberTable<int> known;  // by line and opcode: a piece's number, from 1
    for (const MachineInstruction& instruction : code.instructions) {
        const bool none = instruction.kind == MachineKind::converge || ends.contains(instruction.ptx_line) ||
                          ptx_block_of(instruction.ptx_line) < 0;
        int number = 0;
        if (!none) {
            int& found =
                known[std::uint64_t(instruction.ptx_line) << kOpcodeBits | std::uint64_t(instruction.opcode)];
            if (found == 0) found = int(known.size());
            number = found;
        }
        piece_of_.push_back(number - 1);
    }
}

// By PTX block: those before it whose branch leads to it or past it and became none of the machine code's.
std::vector<std::vector<int>> MachineShares::unbranched(const MachineCode& code,
                                                        const KernelTrace& trace) const {
    std::set<int> branches;  // their lines
    for (const MachineInstruction& instruction : code.instructions)
        if (instruction.kind == MachineKind::branch || instruction.kind == MachineKind::exit)
            branches.insert(instruction.ptx_line);
    std::vector<std::vector<int>> made(trace.ptx_lines.size());
    for (std::size_t p = 0; p < trace.ptx_next.size(); ++p) {
        const std::vector<int>& next = trace.ptx_next[p];
        if (next.size() < 2 || branches.contains(last_line(int(p)))) continue;
        for (const int to : next)
            if (to > int(p)) made[std::size_t(to)].push_back(int(p));
    }
    return made;
}

void MachineShares::find_shares(const MachineCode& code, const std::vector<std::vector<int>>& unbranched) {
    // An instruction, or all that are alike.
    struct Use {
        int piece = 0;
        int line = 0;
        bool accesses = false;  // memory
        int count = 1;
    };
    struct Gathered {
        MachineShare share;
        std::vector<Use> uses;  // by instruction, then by piece
    };
    for (std::size_t b = 0; b < code.blocks.size(); ++b) {
        std::map<int, Gathered> all;  // by PTX block
        for (int i = code.blocks[b].first; i < code.blocks[b].end; ++i)
            if (piece_of_[std::size_t(i)] >= 0)
                (void)all[ptx_block_of(code.instructions[std::size_t(i)].ptx_line)];
        const auto in_any_case = [&](int ptx_block) {
            const std::vector<int>& before = unbranched[std::size_t(ptx_block)];
            return std::any_of(before.begin(), before.end(), [&](int one) { return all.contains(one); });
        };
        int cost = 0;
        for (int i = code.blocks[b].first; i < code.blocks[b].end; ++i) {
            const MachineInstruction& instruction = code.instructions[std::size_t(i)];
            const int piece = piece_of_[std::size_t(i)];
            const int ptx_block = piece < 0 ? -1 : ptx_block_of(instruction.ptx_line);
            const int own_cost = cost_of(instruction, piece >= 0 && in_any_case(ptx_block));
            cost += own_cost;
            if (piece < 0) continue;
            auto& [share, uses] = all[ptx_block];
            share.cost += own_cost;
            const bool goes =
                instruction.kind == MachineKind::branch || instruction.kind == MachineKind::exit;
            share.stays |= stays_in_place(instruction);
            share.branches |= goes && instruction.ptx_line == last_line(ptx_block);
            uses.push_back({piece, instruction.ptx_line,
                            is_access(instruction) && instruction.kind != MachineKind::constant_load});
        }
        costs_.push_back(cost);
        std::map<int, int> of_block;  // copies, of accesses
        for (auto& [ptx_block, gathered] : all) {
            std::vector<Use>& uses = gathered.uses;
            // By line first: an instruction that is alike is of the same one.
            std::ranges::sort(uses, {}, [](const Use& one) { return std::pair(one.line, one.piece); });
            std::size_t kept = 0;
            for (const Use& use : uses) {
                if (kept > 0 && uses[kept - 1].piece == use.piece) {
                    ++uses[kept - 1].count;
                    uses[kept - 1].accesses |= use.accesses;
                } else {
                    uses[kept++] = use;
                }
            }
            uses.resize(kept);
            for (const Use& use : uses)
                if (use.accesses) ++of_block[use.count];
        }
        std::vector<MachineShare>& shares = shares_.emplace_back();
        for (auto& [ptx_block, gathered] : all) {
            auto& [share, uses] = gathered;
            share.block = int(b);
            share.ptx_block = ptx_block;
            std::map<int, int> of_accesses, of_pieces, of_lines;
            // What is set for the ways behind a branch has its line, and says nothing of copies.
            const auto counts = [&, p = ptx_block](int line) {
                return !branches_[std::size_t(p)] || line != last_line(p);
            };
            for (std::size_t first = 0, end = 0; first < uses.size(); first = end) {
                const int line = uses[first].line;
                int of_line = 0;
                for (; end < uses.size() && uses[end].line == line; ++end) {
                    const Use& use = uses[end];
                    share.pieces.push_back(use.piece);
                    of_line += use.count;
                    if (counts(line)) ++of_pieces[use.count];
                    if (use.accesses) ++of_accesses[use.count];
                }
                share.lines.push_back(line);
                if (counts(line)) ++of_lines[of_line];
            }
            std::ranges::sort(share.pieces);
            share.lines_with_it = share.lines;
            share.copies = most_common(of_accesses.empty() ? of_pieces : of_accesses);
            // Copies of an addition may differ in their opcodes, those of an access do not.
            const int block_copies = most_common(of_block);
            if (of_accesses.empty() && most_common(of_lines) >= block_copies)
                share.copies = std::max(share.copies, block_copies);
            shares.push_back(std::move(share));
        }
    }
}

// An execution whose instructions are spread over several machine blocks, moved ahead of a branch or behind
// it, or around a call: one of them stands for it, the one that has its branch, or else what is not moved, or
// else most of its lines.
void MachineShares::find_parts(const MachineFlow& flow) {
    std::vector<std::vector<MachineShare*>> all(homes_.size());
    for (std::vector<MachineShare>& shares : shares_)
        for (MachineShare& share : shares) all[std::size_t(share.ptx_block)].push_back(&share);
    for (std::size_t p = 0; p < all.size(); ++p) {
        const bool one_branch = std::count_if(all[p].begin(), all[p].end(),
                                              [](const MachineShare* one) { return one->branches; }) == 1;
        const auto weight = [&](const MachineShare& one) {
            return std::tuple(one_branch && one.branches, one.stays, one.lines.size());
        };
        for (MachineShare* earlier : all[p]) {
            for (MachineShare* later : all[p]) {
                if (earlier == later) continue;
                const bool before = flow.always_before(earlier->block, later->block);
                const bool behind = flow.always_behind(later->block, earlier->block);
                if (!before && !behind) continue;
                // Copies have the same lines, parts have not.
                std::size_t both = in_both(earlier->lines, later->lines);
                if (one_branch &&
                    std::binary_search(earlier->lines.begin(), earlier->lines.end(), last_lines_[p]) &&
                    std::binary_search(later->lines.begin(), later->lines.end(), last_lines_[p]))
                    --both;
                const std::size_t least = std::min(earlier->lines.size(), later->lines.size());
                if (before && behind ? 2 * both > least : 4 * both >= least) continue;
                const bool first_is_less = weight(*earlier) < weight(*later);
                MachineShare& part = first_is_less ? *earlier : *later;
                MachineShare& home = first_is_less ? *later : *earlier;
                part.is_part = true;
                if (first_is_less ? !before : !behind) continue;
                part.is_sure = true;
                add_all(home.lines_with_it, part.lines);
            }
        }
    }
    for (std::size_t b = 0; b < shares_.size(); ++b)
        for (const MachineShare& share : shares_[b])
            if (share.is_sure) costs_[b] -= share.cost;
}

void MachineShares::find_homes() {
    std::vector<std::size_t> most(homes_.size());
    std::vector<std::set<int>> lines(homes_.size());
    for (const std::vector<MachineShare>& shares : shares_) {
        for (const MachineShare& share : shares) {
            const auto p = std::size_t(share.ptx_block);
            lines[p].insert(share.lines.begin(), share.lines.end());
            if (!share.is_part) most[p] = std::max(most[p], share.lines_with_it.size());
        }
    }
    for (std::size_t p = 0; p < lines.size(); ++p) lines_[p] = int(lines[p].size());
    for (const std::vector<MachineShare>& shares : shares_)
        for (const MachineShare& share : shares)
            if (!share.is_part && 2 * share.lines_with_it.size() > most[std::size_t(share.ptx_block)])
                homes_[std::size_t(share.ptx_block)].push_back(&share);
}

}  // namespace ws
