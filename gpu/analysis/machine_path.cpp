#include "gpu/analysis/machine_path.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <map>
#include <set>

namespace ws {
namespace {

constexpr int kFar = 1 << 20;

bool is_access(const MachineInstruction& instruction) {
    switch (instruction.kind) {
        case MachineKind::load:
        case MachineKind::store:
        case MachineKind::atomic:
        case MachineKind::copy:
        case MachineKind::texture:
        case MachineKind::constant_load:
            return true;
        default:
            return false;
    }
}

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

// Branches from each block to the nearest that is a goal.
std::vector<int> distances(const MachineCode& code, const std::vector<std::vector<int>>& before,
                           const std::vector<bool>& goal) {
    std::vector<int> made(code.blocks.size(), kFar);
    std::deque<int> open;
    for (std::size_t b = 0; b < goal.size(); ++b) {
        if (!goal[b]) continue;
        made[b] = 0;
        open.push_back(int(b));
    }
    while (!open.empty()) {
        const int at = open.front();
        open.pop_front();
        for (const int from : before[std::size_t(at)]) {
            if (made[std::size_t(from)] <= made[std::size_t(at)] + 1) continue;
            made[std::size_t(from)] = made[std::size_t(at)] + 1;
            open.push_back(from);
        }
    }
    return made;
}

}  // namespace

PathFinder::PathFinder(const MachineCode& code, const KernelTrace& trace) : code_(code), trace_(trace) {
    for (std::size_t p = 0; p < trace.ptx_lines.size(); ++p) {
        for (const int line : trace.ptx_lines[p]) {
            if (std::size_t(line) >= ptx_block_of_.size()) ptx_block_of_.resize(std::size_t(line) + 1, -1);
            ptx_block_of_[std::size_t(line)] = int(p);
        }
    }
    pieces_of_.resize(trace.ptx_lines.size());
    find_shares(find_pieces());
    find_distances();
}

// By instruction; -1: of none.
std::vector<int> PathFinder::find_pieces() {
    // Where a kernel ends: any exit of the machine code will do.
    std::set<int> ends;
    for (const MachineInstruction& instruction : code_.instructions)
        if (instruction.kind == MachineKind::exit && !instruction.guarded) ends.insert(instruction.ptx_line);
    std::map<std::pair<int, int>, int> known;  // by line and opcode
    std::vector<int> made;
    for (const MachineInstruction& instruction : code_.instructions) {
        const auto line = std::size_t(instruction.ptx_line);
        const bool ends_here = instruction.kind == MachineKind::exit || ends.contains(instruction.ptx_line);
        if (ends_here || line >= ptx_block_of_.size() || ptx_block_of_[line] < 0) {
            made.push_back(-1);
            continue;
        }
        const auto [found, is_new] =
            known.try_emplace({instruction.ptx_line, instruction.opcode}, int(pieces_.size()));
        made.push_back(found->second);
        if (!is_new) continue;
        pieces_of_[std::size_t(ptx_block_of_[line])].push_back(found->second);
        const bool constant = instruction.kind == MachineKind::constant_load;
        pieces_.push_back({ptx_block_of_[line], is_access(instruction) && !constant});
    }
    return made;
}

void PathFinder::find_shares(const std::vector<int>& piece_of) {
    struct Use {
        int count = 0;
        bool always = true;  // no predicate guards it
    };
    for (const MachineBlock& block : code_.blocks) {
        std::map<int, std::map<int, Use>> found;  // by PTX block, then by piece
        for (int i = block.first; i < block.end; ++i) {
            const int piece = piece_of[std::size_t(i)];
            if (piece < 0) continue;
            Use& use = found[pieces_[std::size_t(piece)].ptx_block][piece];
            ++use.count;
            use.always &= !code_.instructions[std::size_t(i)].guarded;
        }
        std::vector<Share>& shares = shares_.emplace_back();
        for (const auto& [ptx_block, uses] : found) {
            Share share{ptx_block, 1, {}, {}};
            std::map<int, int> of_accesses;
            std::map<int, int> of_all;
            for (const auto& [piece, use] : uses) {
                share.pieces.push_back(piece);
                if (use.always) share.unguarded.push_back(piece);
                ++of_all[use.count];
                if (pieces_[std::size_t(piece)].accesses) ++of_accesses[use.count];
            }
            share.copies = most_common(of_accesses.empty() ? of_all : of_accesses);
            shares.push_back(std::move(share));
        }
    }
}

void PathFinder::find_distances() {
    std::vector<std::vector<int>> before(code_.blocks.size());
    std::vector<bool> exits(code_.blocks.size());
    for (std::size_t b = 0; b < code_.blocks.size(); ++b) {
        for (const int next : code_.blocks[b].next) before[std::size_t(next)].push_back(int(b));
        exits[b] = code_.instructions[std::size_t(code_.blocks[b].end - 1)].kind == MachineKind::exit;
    }
    for (std::size_t p = 0; p < trace_.ptx_lines.size(); ++p) {
        std::vector<bool> goal(code_.blocks.size());
        for (std::size_t b = 0; b < goal.size(); ++b) goal[b] = share(int(b), int(p)) != nullptr;
        distance_.push_back(distances(code_, before, goal));
    }
    to_exit_ = distances(code_, before, exits);
}

const PathFinder::Share* PathFinder::share(int block, int ptx_block) const {
    for (const Share& one : shares_[std::size_t(block)]) {
        if (one.ptx_block == ptx_block) return &one;
    }
    return nullptr;
}

// One warp on its way.
class PathWalk {
  public:
    PathWalk(const PathFinder& finder, const WarpTrace& warp) : finder_(finder), warp_(warp) {
        last_.assign(finder.trace_.ptx_lines.size(), -1);
        covered_.assign(finder.pieces_.size(), -1);
        early_.assign(finder.pieces_.size(), false);
        claimed_.assign(warp.accesses.size(), false);
        if (!warp.path.empty()) mask_ = warp.path.front().mask;
    }

    MachinePath run() {
        if (finder_.code_.blocks.empty()) return {};
        int block = 0;
        while (block >= 0) {
            enter(block);
            block = next_of(block);
        }
        return std::move(made_);
    }

  private:
    using Share = PathFinder::Share;

    [[nodiscard]] bool ended() {
        while (at_ < warp_.path.size() && (!has_code(wanted()) || was_early())) {
            if (has_code(wanted())) take();
            ++at_;
        }
        return at_ >= warp_.path.size();
    }
    [[nodiscard]] bool has_code(int ptx_block) const {
        return !finder_.pieces_of_[std::size_t(ptx_block)].empty();
    }
    // Whether the next PTX block has been executed already: the assembler moved it ahead of a branch.
    [[nodiscard]] bool was_early() const {
        std::size_t early = 0;
        const std::vector<int>& pieces = finder_.pieces_of_[std::size_t(wanted())];
        for (const int piece : pieces) {
            early += early_[std::size_t(piece)];
            if (finder_.pieces_[std::size_t(piece)].accesses && !early_[std::size_t(piece)]) return false;
        }
        return 2 * early > pieces.size();
    }
    // The next execution of the path is on.
    void take() {
        last_[std::size_t(wanted())] = int(at_);
        for (const int piece : finder_.pieces_of_[std::size_t(wanted())]) {
            if (early_[std::size_t(piece)]) covered_[std::size_t(piece)] = int(at_);
            early_[std::size_t(piece)] = false;
        }
    }
    [[nodiscard]] int wanted() const { return warp_.path[at_].block; }

    // Which part of this share is still missing of the last execution of its PTX block.
    [[nodiscard]] bool continues(const Share& share) const {
        const int execution = last_[std::size_t(share.ptx_block)];
        if (execution < 0) return false;
        return 2 * missing_of(share, execution) > std::ptrdiff_t(share.pieces.size());
    }

    [[nodiscard]] std::ptrdiff_t missing_of(const Share& share, int execution) const {
        return std::count_if(share.pieces.begin(), share.pieces.end(),
                             [&](int piece) { return covered_[std::size_t(piece)] != execution; });
    }

    // Executes a machine block: takes the executions of the PTX that it stands for.
    void enter(int block) {
        std::vector<std::pair<int, std::vector<int>>> executions;  // by PTX block: places in the path
        std::vector<int> budget;
        for (const Share& share : finder_.shares_[std::size_t(block)]) {
            const bool goes_on = continues(share);
            executions.emplace_back(share.ptx_block, std::vector<int>{});
            if (goes_on) executions.back().second.push_back(last_[std::size_t(share.ptx_block)]);
            budget.push_back(share.copies - (goes_on ? 1 : 0));
        }
        std::uint32_t mask = 0;
        while (!ended()) {
            std::size_t k = 0;
            while (k < executions.size() && executions[k].first != wanted()) ++k;
            if (k == executions.size() || budget[k] == 0) break;
            --budget[k];
            executions[k].second.push_back(int(at_));
            take();
            mask |= warp_.path[at_].mask;
            ++at_;
            idle_ = 0;
        }
        if (mask != 0) mask_ = mask;
        std::size_t k = 0;
        for (const Share& share : finder_.shares_[std::size_t(block)]) {
            const bool stands = !executions[k++].second.empty();
            for (const int piece : share.pieces)
                if (stands) covered_[std::size_t(piece)] = last_[std::size_t(share.ptx_block)];
            if (!stands)
                for (const int piece : share.unguarded) early_[std::size_t(piece)] = true;
        }
        execute(block, executions);
    }

    void execute(int block, const std::vector<std::pair<int, std::vector<int>>>& executions) {
        const MachineCode& code = finder_.code_;
        const MachineBlock& range = code.blocks[std::size_t(block)];
        std::map<int, std::size_t> seen;  // of a line's accesses, how many of this block
        for (int i = range.first; i < range.end; ++i) {
            const MachineInstruction& instruction = code.instructions[std::size_t(i)];
            MachineStep step{i, -1, std::uint8_t(std::popcount(mask_))};
            if (is_access(instruction)) {
                const std::size_t copy = seen[instruction.ptx_line]++;
                step.access = access_of(instruction, copy, executions);
            }
            made_.steps.push_back(step);
        }
    }

    // The request that an instruction makes: of its line, in the execution that this copy stands for; of an
    // instruction that was made of several, of any like it.
    int access_of(const MachineInstruction& instruction, std::size_t copy,
                  const std::vector<std::pair<int, std::vector<int>>>& executions) {
        const auto line = std::size_t(instruction.ptx_line);
        if (line >= finder_.ptx_block_of_.size() || finder_.ptx_block_of_[line] < 0) return -1;
        const int ptx_block = finder_.ptx_block_of_[line];
        for (const auto& [block, places] : executions) {
            if (block != ptx_block || places.empty()) continue;
            const int place = places[std::min(copy, places.size() - 1)];
            const auto begin = std::size_t(warp_.path[std::size_t(place)].first_access);
            const std::size_t end = std::size_t(place) + 1 < warp_.path.size()
                                        ? std::size_t(warp_.path[std::size_t(place) + 1].first_access)
                                        : warp_.accesses.size();
            for (const bool same_line : {true, false}) {
                for (std::size_t k = begin; k < end; ++k) {
                    const TracedAccess& access = warp_.accesses[k];
                    const bool counts = access.wavefronts + access.sectors > 0;
                    const bool fits = same_line ? access.ptx_line == int(line)
                                                : access.space == instruction.space &&
                                                      access.kind == instruction.kind && counts;
                    if (claimed_[k] || !fits) continue;
                    if (same_line && !counts) continue;  // another one's is counted for it
                    claimed_[k] = true;
                    return int(k);
                }
            }
        }
        return -1;
    }

    [[nodiscard]] int next_of(int block) {
        const MachineBlock& range = finder_.code_.blocks[std::size_t(block)];
        const MachineInstruction& last = finder_.code_.instructions[std::size_t(range.end - 1)];
        if (const int to = called(last, range.end); to >= 0) return to;
        if (!returns_.empty()) return nearest(range.next, finder_.to_exit_);
        // The simulated GPU's warps meet again where they can.
        if (last.if_diverged && range.next.size() > 1) return block + 1;
        if (ended()) {
            for (const int next : range.next)
                if (is_rest(next)) return next;
            if (last.kind == MachineKind::exit && last.name == "EXIT") return -1;
            return nearest(range.next, finder_.to_exit_);
        }
        const int goal = goal_of(range);
        const std::vector<int>& distance = finder_.distance_[std::size_t(goal)];
        const bool elsewhere = (warp_.path[at_].mask & mask_) == 0;
        int best = -1;
        std::tuple<int, int, int> least;
        for (const int next : range.next) {
            const int away = distance[std::size_t(next)];
            if (away >= kFar) continue;
            if (range.next.size() == 1) best = next;
            if (best == next) break;  // there is no choice
            const std::tuple<int, int, int> rank = rank_of(next, goal);
            if (best < 0 || rank < least) {
                best = next;
                least = rank;
            }
        }
        // Lanes that took the other side of a branch, or a path that does not lead on.
        const bool lost = best < 0 || ++idle_ > 2 * int(finder_.code_.blocks.size()) + 8;
        if (lost || (elsewhere && distance[std::size_t(best)] > 0)) return home_of(goal);
        return best;
    }

    // Into a function that the assembler made for part of an instruction, and out of it; -1: neither.
    [[nodiscard]] int called(const MachineInstruction& last, int after) {
        const auto block_at = [&](int index) { return finder_.code_.instructions[std::size_t(index)].block; };
        if (last.kind == MachineKind::call && !last.guarded && last.target >= 0) {
            returns_.push_back(block_at(after));
            return block_at(last.target / kMachineInstructionBytes);
        }
        if (last.name != "RET" || returns_.empty()) return -1;
        const int to = returns_.back();
        returns_.pop_back();
        return to;
    }

    // The PTX block to go for: the next one, but first the rest of the last where that follows.
    [[nodiscard]] int goal_of(const MachineBlock& range) const {
        if (at_ == 0) return wanted();
        const int last = warp_.path[at_ - 1].block;
        if (last_[std::size_t(last)] != int(at_) - 1 || !has_barely_begun(last)) return wanted();
        for (const int next : range.next) {
            const Share* share = finder_.share(next, last);
            if (share && continues(*share) && is_rest(next)) return last;
        }
        return wanted();
    }

    // Whether of the last execution of a PTX block hardly anything has been executed, no access above all.
    [[nodiscard]] bool has_barely_begun(int ptx_block) const {
        const std::vector<int>& pieces = finder_.pieces_of_[std::size_t(ptx_block)];
        const int execution = last_[std::size_t(ptx_block)];
        std::size_t done = 0;
        for (const int piece : pieces) {
            if (covered_[std::size_t(piece)] != execution) continue;
            if (finder_.pieces_[std::size_t(piece)].accesses) return false;
            ++done;
        }
        return 4 * done < pieces.size();
    }

    // Whether a machine block has little but what is missing of the last execution.
    [[nodiscard]] bool is_rest(int block) const {
        std::ptrdiff_t missing = 0;
        std::size_t all = 0;
        for (const Share& share : finder_.shares_[std::size_t(block)]) {
            all += share.pieces.size();
            const int execution = last_[std::size_t(share.ptx_block)];
            if (execution >= 0) missing += missing_of(share, execution);
        }
        return 2 * std::size_t(missing) > all;
    }

    // Smaller is better: how far the goal's lines are, the most copies of them that the executions which
    // follow can fill there or right behind, how few of its lines there are.
    [[nodiscard]] std::tuple<int, int, int> rank_of(int next, int goal) const {
        const std::vector<int>& distance = finder_.distance_[std::size_t(goal)];
        const int away = distance[std::size_t(next)];
        int at = next;
        for (int step = 0; step < away; ++step)
            at = nearest(finder_.code_.blocks[std::size_t(at)].next, distance);
        const int copies = copies_from(at, goal);
        // A function is called for what a short sequence cannot compute, which is rare.
        const MachineBlock& taken = finder_.code_.blocks[std::size_t(next)];
        const bool calls = finder_.code_.instructions[std::size_t(taken.end - 1)].kind == MachineKind::call;
        return {away + (copies > 0 ? 0 : 4) + (calls ? 4 : 0), -copies,
                -int(finder_.share(at, goal)->pieces.size())};
    }

    // Of the machine blocks with the goal's lines that follow each other from this one on, the most copies.
    [[nodiscard]] int copies_from(int block, int goal) const {
        std::vector<int> open{block};
        std::vector<bool> seen(finder_.shares_.size());
        seen[std::size_t(block)] = true;
        int most = 0;
        while (!open.empty()) {
            const int at = open.back();
            open.pop_back();
            const Share& share = *finder_.share(at, goal);
            const int ahead = executions_ahead(at, goal, share.copies) + (continues(share) ? 1 : 0);
            if (ahead < share.copies) continue;
            most = std::max(most, share.copies);
            for (const int next : finder_.code_.blocks[std::size_t(at)].next) {
                if (seen[std::size_t(next)] || !finder_.share(next, goal)) continue;
                seen[std::size_t(next)] = true;
                open.push_back(next);
            }
        }
        return most;
    }

    // How often the goal comes while the path stays in what this machine block has.
    [[nodiscard]] int executions_ahead(int block, int goal, int most) const {
        int count = 0;
        for (std::size_t k = at_; k < warp_.path.size() && count < most; ++k) {
            const int ptx_block = warp_.path[k].block;
            if (!has_code(ptx_block)) continue;
            if (!finder_.share(block, ptx_block)) break;
            count += ptx_block == goal;
        }
        return count;
    }

    [[nodiscard]] static int nearest(const std::vector<int>& blocks, const std::vector<int>& distance) {
        int best = -1;
        for (const int block : blocks) {
            if (distance[std::size_t(block)] >= kFar) continue;
            if (best < 0 || distance[std::size_t(block)] < distance[std::size_t(best)]) best = block;
        }
        return best;
    }

    // The machine block that has most of a PTX block's lines. One that has none any more is passed over.
    [[nodiscard]] int home_of(int goal) {
        idle_ = 0;
        if (lost_at_ == at_) {  // it has been there, and nothing there stood for it
            ++made_.missed;
            ++at_;
        }
        lost_at_ = at_;
        int best = -1;
        std::size_t most = 0;
        for (std::size_t b = 0; b < finder_.shares_.size(); ++b) {
            const Share* share = finder_.share(int(b), goal);
            if (!share || share->pieces.size() <= most) continue;
            most = share->pieces.size();
            best = int(b);
        }
        return best;
    }

    const PathFinder& finder_;
    const WarpTrace& warp_;
    std::size_t at_ = 0;                     // the next execution in the warp's path
    std::uint32_t mask_ = 0;                 // of the lanes that execute
    std::size_t lost_at_ = ~std::size_t(0);  // where it last had to be looked for
    int idle_ = 0;                           // machine blocks since one stood for something
    std::vector<int> last_;                  // of each PTX block: place in the path of its last execution
    std::vector<int> covered_;               // of each piece: the execution that it was last executed for
    std::vector<bool> early_;                // of each piece: executed, though the path has not come to it
    std::vector<bool> claimed_;
    std::vector<int> returns_;  // machine blocks behind calls
    MachinePath made_;
};

MachinePath PathFinder::find(const WarpTrace& warp) const {
    return PathWalk(*this, warp).run();
}

}  // namespace ws
