#include "gpu/analysis/machine_path.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "gpu/analysis/alike_warps.h"
#include "gpu/core/background.h"

namespace ws {
namespace {

// Lanes that executed the same PTX blocks.
struct Lanes {
    std::uint32_t mask = 0;
    int end = -1;  // behind the last step
    std::vector<int> steps;
    std::vector<int> places;          // of these in the warp's path
    std::vector<RareExecution> rare;  // of these
    std::vector<MachineVisit> way;
};

// Which lanes of a warp have executed the same, from its begin to its end.
std::vector<std::uint32_t> parts_of(const WarpTrace& warp) {
    std::vector<std::uint32_t> made(1);
    for (const TracedBlock& block : warp.path) made.front() |= block.mask;
    for (const TracedBlock& block : warp.path) {
        for (std::size_t i = 0, count = made.size(); i < count; ++i) {
            const std::uint32_t taken = made[i] & block.mask;
            if (taken == 0 || taken == made[i]) continue;
            made.push_back(made[i] & ~taken);
            made[i] = taken;
        }
    }
    return made;
}

// With their steps, not yet the places of these.
std::vector<Lanes> lanes_of(const WarpTrace& warp, MachineAlignment& alignment) {
    std::vector<Lanes> made;
    for (const std::uint32_t mask : parts_of(warp)) {
        made.emplace_back().mask = mask;
        made.back().steps.reserve(warp.path.size());
    }
    for (const TracedBlock& block : warp.path) {
        // Lanes that have not parted yet, or have come to the same place again, take the same step.
        int after = -2;
        int step = -1;
        for (Lanes& lanes : made) {
            if ((lanes.mask & block.mask) == 0) continue;
            const int last = lanes.steps.empty() ? -1 : lanes.steps.back();
            if (last != after) {
                after = last;
                step = alignment.step(after, block.block);
            }
            lanes.steps.push_back(step);
        }
    }
    for (Lanes& lanes : made) {
        const int last = lanes.steps.empty() ? -1 : lanes.steps.back();
        lanes.end = (lanes.mask & warp.cut) != 0 ? alignment.cut(last) : alignment.end(last);
    }
    return made;
}

std::vector<int> places_of(std::uint32_t lanes, const WarpTrace& warp) {
    std::vector<int> made;
    for (std::size_t place = 0; place < warp.path.size(); ++place)
        if ((warp.path[place].mask & lanes) != 0) made.push_back(int(place));
    return made;
}

// Whose path is to be found, once what it needs of the alignment is there.
struct Task {
    const WarpTrace* warp = nullptr;
    std::vector<Lanes> lanes;
    std::shared_ptr<MachinePath> path;
};

// Lanes that executed the same with rare operands at the same places.
std::vector<Lanes> parted_by_operands(const WarpTrace& warp, Lanes together) {
    std::vector<Lanes> made;
    made.push_back(std::move(together));
    const std::vector<int> places = made.front().places;
    for (std::size_t k = 0; k < places.size(); ++k) {
        const auto place = std::size_t(places[k]);
        const auto first = std::size_t(warp.path[place].first_rare);
        const std::size_t end =
            place + 1 < warp.path.size() ? std::size_t(warp.path[place + 1].first_rare) : warp.rare.size();
        for (std::size_t r = first; r < end; ++r) {
            const TracedRare& rare = warp.rare[r];
            for (std::size_t i = 0, count = made.size(); i < count; ++i) {
                const std::uint32_t some = made[i].mask & rare.mask;
                if (some == 0) continue;
                if (some != made[i].mask) {
                    Lanes others = made[i];
                    others.mask &= ~some;
                    made[i].mask = some;
                    made.push_back(std::move(others));
                }
                made[i].rare.push_back({int(k), rare.ptx_line, rare.way});
            }
        }
    }
    return made;
}

}  // namespace

// A warp on its way: groups of lanes, each at one place.
class WarpWalk {
  public:
    WarpWalk(const MachineCode& code, const std::vector<MeetingPart>& meeting_parts,
             const MachineAlignment& alignment, MachineRareCalls& calls, const WarpTrace& warp,
             std::vector<Lanes> all)
        : code_(code), meeting_parts_(meeting_parts), alignment_(alignment), warp_(warp) {
        claimed_.assign(warp.accesses.size(), false);
        for (Lanes& lanes : all) add(std::move(lanes), calls);
        ready_.resize(1);
        for (std::size_t i = 0; i < lanes_.size(); ++i) ready_.front().push_back(int(i));
        at_.resize(lanes_.size());
        waits_.resize(lanes_.size());
    }

    MachinePath run() {
        while (!ready_.empty()) {
            Group group = std::move(ready_.back());
            ready_.pop_back();
            go(std::move(group));
        }
        return std::move(made_);
    }

  private:
    using Group = std::vector<int>;  // of `lanes_`, by index

    // Where lanes meet that part.
    struct Meeting {
        int block = 0;  // the machine block behind it
        std::uint32_t mask = 0;
        Group waiting;
    };

    void add(Lanes lanes, MachineRareCalls& calls) {
        lanes.way = alignment_.visits(lanes.steps, lanes.end);
        lanes.places = places_of(lanes.mask, warp_);
        std::vector<int> ptx_blocks;
        if (!warp_.rare.empty())
            for (const int place : lanes.places) ptx_blocks.push_back(warp_.path[std::size_t(place)].block);
        for (Lanes& part : parted_by_operands(warp_, std::move(lanes))) {
            if (!part.rare.empty()) part.way = calls.with_calls(part.way, ptx_blocks, part.rare);
            lanes_.push_back(std::move(part));
        }
    }

    [[nodiscard]] int block_of(int lanes) const {
        const auto l = std::size_t(lanes);
        return at_[l] < lanes_[l].way.size() ? lanes_[l].way[at_[l]].block : -1;
    }
    [[nodiscard]] std::uint32_t mask_of(const Group& group) const {
        std::uint32_t mask = 0;
        for (const int lanes : group) mask |= lanes_[std::size_t(lanes)].mask;
        return mask;
    }

    // Until the lanes wait, part or end.
    void go(Group group) {
        while (true) {
            const int block = block_of(group.front());
            if (block < 0) {
                for (const int lanes : group) leave_to(lanes, 0);
                return;
            }
            const int meeting = execute(group, block);
            for (const int lanes : group) ++at_[std::size_t(lanes)];
            if (meeting >= 0) {
                wait(group, meeting);
                return;
            }
            if (parts(group, block)) return;
        }
    }

    // The meeting that an instruction of the block waits for; -1: none.
    int execute(const Group& group, int block) {
        const MachineBlock& range = code_.blocks[std::size_t(block)];
        const auto lanes = std::uint8_t(std::popcount(mask_of(group)));
        int meeting = -1;
        for (int i = range.first; i < range.end; ++i) {
            const MachineInstruction& instruction = code_.instructions[std::size_t(i)];
            const int access = is_access(instruction) ? access_of(instruction, group) : -1;
            made_.steps.push_back({i, access, lanes});
            const MeetingPart part = meeting_parts_[std::size_t(i)];
            if (part == MeetingPart::begins) {
                const auto target = std::size_t(instruction.target / kMachineInstructionBytes);
                begin_meeting(group, code_.instructions[target].block);
            } else if (part == MeetingPart::waits) {
                meeting = meeting_before(group.front(), code_.instructions[std::size_t(i) + 1].block);
            }
        }
        return meeting;
    }

    void begin_meeting(const Group& group, int block) {
        for (const int lanes : group) {
            std::vector<int>& waits = waits_[std::size_t(lanes)];
            const auto same = std::find_if(waits.begin(), waits.end(), [&](int one) {
                return meetings_[std::size_t(one)].block == block;
            });
            leave_to(lanes, std::size_t(same - waits.begin()));
            waits.push_back(int(meetings_.size()));
        }
        meetings_.push_back({block, mask_of(group), {}});
    }

    [[nodiscard]] int meeting_before(int lanes, int block) const {
        const std::vector<int>& waits = waits_[std::size_t(lanes)];
        for (std::size_t k = waits.size(); k-- > 0;)
            if (meetings_[std::size_t(waits[k])].block == block) return waits[k];
        return -1;
    }

    void wait(const Group& group, int meeting) {
        for (const int lanes : group) {
            const std::vector<int>& waits = waits_[std::size_t(lanes)];
            const auto own = std::find(waits.begin(), waits.end(), meeting);
            if (own != waits.end()) leave_to(lanes, std::size_t(own - waits.begin()) + 1);
            meetings_[std::size_t(meeting)].waiting.push_back(lanes);
        }
        check(meeting);
    }

    // Lanes that will not come to their meetings from this one on.
    void leave_to(int lanes, std::size_t kept) {
        std::vector<int>& waits = waits_[std::size_t(lanes)];
        while (waits.size() > kept) {
            const int meeting = waits.back();
            waits.pop_back();
            meetings_[std::size_t(meeting)].mask &= ~lanes_[std::size_t(lanes)].mask;
            check(meeting);
        }
    }

    // All go on together once the last of them is there.
    void check(int number) {
        Meeting& meeting = meetings_[std::size_t(number)];
        if (meeting.waiting.empty() || mask_of(meeting.waiting) != meeting.mask) return;
        for (const int lanes : meeting.waiting) waits_[std::size_t(lanes)].pop_back();
        ready_.push_back(std::exchange(meeting.waiting, {}));
    }

    // Whether lanes of a group go on to different blocks. Where no instruction has said where they meet, they
    // stay apart. The part with the fewest lanes goes first; of as many the one that does not branch.
    bool parts(const Group& group, int block) {
        const int first_next = block_of(group.front());
        if (std::all_of(group.begin() + 1, group.end(),
                        [&](int lanes) { return block_of(lanes) == first_next; }))
            return false;
        std::vector<std::pair<int, Group>> made;
        for (const int lanes : group) {
            const int next = block_of(lanes);
            const auto same =
                std::find_if(made.begin(), made.end(), [&](const auto& one) { return one.first == next; });
            if (same != made.end())
                same->second.push_back(lanes);
            else
                made.emplace_back(next, Group{lanes});
        }
        std::stable_sort(made.begin(), made.end(), [&](const auto& a, const auto& b) {
            const int lanes_of_a = std::popcount(mask_of(a.second));
            const int lanes_of_b = std::popcount(mask_of(b.second));
            if (lanes_of_a != lanes_of_b) return lanes_of_a > lanes_of_b;
            return b.first == block + 1 && a.first != b.first;
        });
        Group first = std::move(made.back().second);
        made.pop_back();
        for (auto& [next, part] : made) leave_for_later(next, std::move(part));
        ready_.push_back(std::move(first));
        return true;
    }

    // Those that wait to go on at the same instruction, to come to the same meetings, go on together.
    void leave_for_later(int next, Group part) {
        const auto same = std::find_if(ready_.begin(), ready_.end(), [&](const Group& other) {
            return block_of(other.front()) == next &&
                   waits_[std::size_t(other.front())] == waits_[std::size_t(part.front())];
        });
        if (same == ready_.end())
            ready_.push_back(std::move(part));
        else
            same->insert(same->end(), part.begin(), part.end());
    }

    // The request that an instruction makes: of its line, in an execution that the machine block stands for,
    // the one before or one that follows; of an instruction that was made of several, of any like it. Where
    // the PTX branches and the machine code has a predicate, only some of the lanes have executed it.
    int access_of(const MachineInstruction& instruction, const Group& group) {
        const int ptx_block = alignment_.shares().ptx_block_of(instruction.ptx_line);
        if (ptx_block < 0) return -1;
        constexpr int kAhead = 8;
        bool stands = false;
        const auto claim_of = [&](auto first, auto last, bool any_line) {
            for (const int lanes : group) {
                const auto l = std::size_t(lanes);
                const MachineVisit& visit = lanes_[l].way[at_[l]];
                const Executions some{ptx_block, first(visit), last(visit)};
                if (const int access = claim_in(lanes_[l].places, some, instruction, any_line, stands);
                    access >= 0)
                    return access;
            }
            return -1;
        };
        const auto first = [](const MachineVisit& visit) { return visit.first; };
        const auto last = [](const MachineVisit& visit) { return visit.last; };
        for (const bool any_line : {false, true})
            if (const int access = claim_of(first, last, any_line); access >= 0) return access;
        if (stands) return -1;
        const auto before = [](const MachineVisit& visit) { return visit.before; };
        if (const int access = claim_of(before, before, false); access >= 0) return access;
        return claim_of([](const MachineVisit& visit) { return visit.last + 1; },
                        [](const MachineVisit& visit) { return visit.last + kAhead; }, false);
    }

    // Of a PTX block, on some lanes' way.
    struct Executions {
        int block, first, last;
    };
    int claim_in(const std::vector<int>& places, const Executions& some,
                 const MachineInstruction& instruction, bool any_line, bool& stands) {
        for (int k = some.first; k <= std::min(some.last, int(places.size()) - 1); ++k) {
            const auto place = std::size_t(places[std::size_t(k)]);
            if (warp_.path[place].block != some.block) continue;
            stands = true;
            if (const int access = claim(place, instruction, any_line); access >= 0) return access;
        }
        return -1;
    }

    int claim(std::size_t place, const MachineInstruction& instruction, bool any_line) {
        const auto begin = std::size_t(warp_.path[place].first_access);
        const std::size_t end = place + 1 < warp_.path.size()
                                    ? std::size_t(warp_.path[place + 1].first_access)
                                    : warp_.accesses.size();
        for (std::size_t k = begin; k < end; ++k) {
            const TracedAccess& access = warp_.accesses[k];
            // One that does not count is counted with another one.
            if (claimed_[k] || !counts(access)) continue;
            const bool fits = any_line ? access.space == instruction.space && access.kind == instruction.kind
                                       : access.ptx_line == instruction.ptx_line;
            // A parameter that an access needs may be loaded at its line.
            const bool of_constants = instruction.kind == MachineKind::constant_load;
            if (!fits || of_constants != (access.space == MemorySpace::constant)) continue;
            claimed_[k] = true;
            return int(k);
        }
        return -1;
    }

    const MachineCode& code_;
    const std::vector<MeetingPart>& meeting_parts_;
    const MachineAlignment& alignment_;
    const WarpTrace& warp_;
    std::vector<Lanes> lanes_;
    std::vector<std::size_t> at_;          // where each is on its way
    std::vector<std::vector<int>> waits_;  // meetings that each will come to, the outer ones first
    std::vector<Meeting> meetings_;
    std::vector<Group> ready_;
    std::vector<bool> claimed_;
    MachinePath made_;
};

PathFinder::PathFinder(const MachineCode& code, const KernelTrace& trace)
    : code_(code), alignment_(code, trace), calls_(code, alignment_.flow(), alignment_.shares()) {
    for (const MachineInstruction& instruction : code.instructions) {
        const bool is_last = meetings_.size() + 1 == code.instructions.size();
        const bool begins = instruction.name == "BSSY" && instruction.target >= 0;
        const bool waits = instruction.name == "BSYNC" && !is_last;
        meetings_.push_back(begins ? MeetingPart::begins : waits ? MeetingPart::waits : MeetingPart::none);
    }
}

std::shared_ptr<const MachinePath> PathFinder::known(const WarpTrace& warp, std::uint64_t key) const {
    const auto [first, end] = known_.equal_range(key);
    const auto same =
        std::find_if(first, end, [&](const auto& one) { return are_alike(*one.second.warp, warp); });
    return same != end ? same->second.path : nullptr;
}

PathFinder::Paths PathFinder::find(std::span<const WarpTrace> warps, int threads,
                                   const std::atomic<bool>* cancel) {
    const auto cancelled = [&] { return cancel && *cancel; };
    Paths paths;
    std::vector<Task> tasks;
    for (const WarpTrace& warp : warps) {
        if (cancelled()) return {};
        const std::uint64_t key = alike_key(warp);
        if (auto same = known(warp, key)) {
            paths.push_back(std::move(same));
            continue;
        }
        const auto made = std::make_shared<MachinePath>();
        paths.push_back(made);
        known_.emplace(key, Known{&warp, made});
        if (warp.path.empty() || code_.blocks.empty()) continue;
        tasks.push_back({&warp, lanes_of(warp, alignment_), made});
    }
    std::atomic<std::size_t> next{0};
    run_on_threads(std::min(threads, int(tasks.size())), [&](int) {
        for (std::size_t i = next++; i < tasks.size() && !cancelled(); i = next++) {
            Task& task = tasks[i];
            WarpWalk walk(code_, meetings_, alignment_, calls_, *task.warp, std::move(task.lanes));
            *task.path = walk.run();
        }
    });
    return cancelled() ? Paths() : paths;
}

}  // namespace ws
