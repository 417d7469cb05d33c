#include "gpu/analysis/machine_rare_calls.h"

#include <algorithm>
#include <bit>

namespace ws {
namespace {

constexpr std::size_t kLongest = 16;  // blocks of one side of a check
constexpr int kAhead = 8;             // executions that a block may be ahead of what it stands for

// Blocks from one on that follow each other without a choice, with the first that has one.
std::vector<int> chain_from(const MachineFlow& flow, int block) {
    std::vector<int> made{block};
    while (made.size() < kLongest && flow.next[std::size_t(made.back())].size() == 1)
        made.push_back(flow.next[std::size_t(made.back())].front());
    return made;
}

}  // namespace

MachineRareCalls::MachineRareCalls(const MachineCode& code, const MachineFlow& flow,
                                   const MachineShares& shares)
    : code_(code), flow_(flow), shares_(shares) {
    for (std::size_t b = 0; b < code.blocks.size(); ++b) checks_.push_back(check_behind(int(b)));
}

MachineRareCalls::Check MachineRareCalls::check_behind(int block) const {
    const std::vector<int>& next = flow_.next[std::size_t(block)];
    const MachineInstruction& branch =
        code_.instructions[std::size_t(code_.blocks[std::size_t(block)].end - 1)];
    if (next.size() != 2 || branch.kind != MachineKind::branch) return {};
    for (const int side : next) {
        const std::vector<int> other = chain_from(flow_, side == next[0] ? next[1] : next[0]);
        Check made{0, {}, -1};
        for (const int at : chain_from(flow_, side)) {
            if (std::find(other.begin(), other.end(), at) != other.end()) {
                made.meeting = at;
                break;
            }
            made.call.push_back(at);
            if (flow_.called[std::size_t(at)].empty()) continue;
            const int last = code_.blocks[std::size_t(at)].end - 1;
            made.ptx_line = code_.instructions[std::size_t(last)].ptx_line;
        }
        // What the kernel itself calls has a line of its own.
        if (made.meeting >= 0 && made.ptx_line > 0 && made.ptx_line == branch.ptx_line) return made;
    }
    return {};
}

// What the operands were that a check behind a visit of a machine block is of: it belongs to an execution
// that the block stands for, to the one before or to one that follows, each of which has one.
RareWay MachineRareCalls::way_at(const MachineVisit& visit, int ptx_line, std::span<const int> ptx_blocks,
                                 std::span<const RareExecution> rare, Checked& checked) const {
    const int ptx_block = shares_.ptx_block_of(ptx_line);
    int& last = checked.try_emplace(ptx_line, -1).first->second;
    const int end = std::min(int(ptx_blocks.size()), std::max(visit.last, visit.before) + 1 + kAhead);
    for (int place = std::max(last + 1, std::min(visit.before, visit.first)); place < end; ++place) {
        if (ptx_blocks[std::size_t(place)] != ptx_block) continue;
        last = place;
        const auto found = std::lower_bound(rare.begin(), rare.end(), std::pair(place, ptx_line),
                                            [](const RareExecution& one, const std::pair<int, int>& wanted) {
                                                return std::pair(one.place, one.ptx_line) < wanted;
                                            });
        const bool is_rare = found != rare.end() && found->place == place && found->ptx_line == ptx_line;
        return is_rare ? found->way : RareWay(0);
    }
    return 0;
}

const std::vector<int>& MachineRareCalls::through_function(int call, RareWay way) {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = functions_.try_emplace({call, way});
    if (is_new) found->second = find_through_function(call, way);
    return found->second;
}

// Blocks of the function that a block calls, branch by branch; where the way says nothing more, the fewest.
std::vector<int> MachineRareCalls::find_through_function(int call, RareWay way) const {
    std::vector<int> made;
    const auto last_of = [&](int block) -> const MachineInstruction& {
        return code_.instructions[std::size_t(code_.blocks[std::size_t(block)].end - 1)];
    };
    int branches = std::bit_width(unsigned(way)) - 1;
    int at = flow_.called[std::size_t(call)].front();
    while (true) {
        const std::vector<int>& next = code_.blocks[std::size_t(at)].next;
        if (last_of(at).name == "RET" || (next.size() > 1 && branches == 0)) break;
        made.push_back(at);
        if (next.empty() || made.size() > code_.blocks.size()) return made;
        if (next.size() == 1) {
            at = next.front();
            continue;
        }
        const bool taken = way >> --branches & 1;
        const auto target = std::size_t(last_of(at).target / kMachineInstructionBytes);
        const int to = code_.instructions[target].block;
        at = taken ? to : next[0] == to ? next[1] : next[0];
    }
    const std::vector<int> rest = way_through(code_, at);
    made.insert(made.end(), rest.begin(), rest.end());
    return made;
}

std::vector<MachineVisit> MachineRareCalls::with_calls(const std::vector<MachineVisit>& way,
                                                       std::span<const int> ptx_blocks,
                                                       std::span<const RareExecution> rare) {
    std::vector<MachineVisit> made;
    Checked checked;
    for (std::size_t i = 0; i < way.size(); ++i) {
        made.push_back(way[i]);
        const Check& check = checks_[std::size_t(way[i].block)];
        if (check.ptx_line == 0) continue;
        const RareWay rare_way = way_at(way[i], check.ptx_line, ptx_blocks, rare, checked);
        if (rare_way == 0) continue;
        std::size_t meeting = i + 1;
        while (meeting < way.size() && meeting <= i + kLongest && way[meeting].block != check.meeting)
            ++meeting;
        if (meeting == way.size() || way[meeting].block != check.meeting) continue;
        // What the short way's blocks stand for, those of the call do.
        MachineVisit as = i + 1 < meeting ? way[i + 1] : way[meeting];
        if (i + 1 < meeting)
            as.last = way[meeting - 1].last;
        else
            as.last = as.first - 1;
        for (const int block : check.call) {
            as.block = block;
            made.push_back(as);
            as.first = as.last + 1;
            as.before = std::max(as.before, as.last);
            if (flow_.called[std::size_t(block)].empty()) continue;
            for (const int inside : through_function(block, rare_way)) {
                as.block = inside;
                made.push_back(as);
            }
        }
        i = meeting - 1;
    }
    return made;
}

}  // namespace ws
