// Operations in which the lanes of a warp look at each other.

#include "gpu/simt/special_operations.h"

#include <bit>
#include <cstring>

#include "gpu/simt/lane_access.h"
#include "gpu/simt/observer_sets.h"
#include "gpu/simt/reduction.h"
#include "gpu/simt/warp_members.h"

namespace ws::simt {
namespace {

// The lanes that a lane may read from.
u32 takes_part(const Warp& warp, const Instruction& i, int lane) {
    const s32 members = detail_of<Shuffle>(i).members;
    return members >= 0 ? warp.mask & (slot<u32>(warp, members)[lane] | 1u << lane) : warp.mask;
}

template <class Observer>
void shuffle(Warp& warp, const Instruction& i) {
    const auto& detail = detail_of<Shuffle>(i);
    meet<Observer>(warp, i, detail.members);
    u32 values[kLanes];
    std::memcpy(values, slot<u32>(warp, i.a), sizeof values);
    u32 valid = 0;
    for_lanes(warp.mask, [&](int lane) {
        const u32 b = slot<u32>(warp, i.b)[lane];
        const u32 c = slot<u32>(warp, i.c)[lane];
        const int clamp = int(c & 31);
        const int segment = int(c >> 8 & 31);
        const int last = (lane & segment) | (clamp & ~segment);
        const int first = lane & segment;
        int from = lane;
        bool inside = true;
        switch (detail.mode) {
            case ShuffleMode::up:
                from = lane - int(b & 31);
                inside = from >= last;
                break;
            case ShuffleMode::down:
                from = lane + int(b & 31);
                inside = from <= last;
                break;
            case ShuffleMode::bfly:
                from = lane ^ int(b & 31);
                inside = from <= last;
                break;
            case ShuffleMode::idx:
                from = first | int(b & 31 & u32(~segment));
                inside = from <= last;
                break;
        }
        if (!inside) from = lane;
        if ((takes_part(warp, i, lane) >> (from & 31) & 1) == 0)
            report_absent_source(warp, i, lane, from & 31);
        slot<u32>(warp, i.d)[lane] = values[from & 31];
        valid |= u32(inside) << lane;
    });
    if (detail.valid >= 0) {
        u32& p = *slot<u32>(warp, detail.valid);
        p = (p & ~warp.mask) | valid;
    }
}

template <class Observer>
void vote(Warp& warp, const Instruction& i) {
    const auto& detail = detail_of<Vote>(i);
    meet<Observer>(warp, i, detail.members);
    u32 predicate = *slot<u32>(warp, i.a);
    if (detail.negated) predicate = ~predicate;
    u32 answer = 0;
    u32 ballots[kLanes];
    for_lanes(warp.mask, [&](int lane) {
        const u32 members = warp.mask & slot<u32>(warp, i.b)[lane];
        const u32 yes = predicate & members;
        ballots[lane] = yes;
        bool result = false;
        switch (detail.mode) {
            case VoteMode::all:
                result = yes == members;
                break;
            case VoteMode::any:
                result = yes != 0;
                break;
            case VoteMode::uni:
                result = yes == members || yes == 0;
                break;
            case VoteMode::ballot:
                break;
        }
        answer |= u32(result) << lane;
    });
    if (detail.mode == VoteMode::ballot) {
        for_lanes(warp.mask, [&](int lane) { slot<u32>(warp, i.d)[lane] = ballots[lane]; });
    } else {
        u32& d = *slot<u32>(warp, i.d);
        d = (d & ~warp.mask) | answer;
    }
}

u64 value_of(const Warp& warp, const Instruction& i, int lane) {
    return detail_of<Match>(i).wide ? slot<u64>(warp, i.a)[lane] : slot<u32>(warp, i.a)[lane];
}

template <class Observer>
void match_any(Warp& warp, const Instruction& i) {
    meet<Observer>(warp, i, i.b);
    u32 answers[kLanes];
    for_lanes(warp.mask, [&](int lane) {
        const u32 members = warp.mask & slot<u32>(warp, i.b)[lane];
        u32 equal = 0;
        for_lanes(members, [&](int other) {
            equal |= u32(value_of(warp, i, other) == value_of(warp, i, lane)) << other;
        });
        answers[lane] = equal;
    });
    for_lanes(warp.mask, [&](int lane) { slot<u32>(warp, i.d)[lane] = answers[lane]; });
}

template <class Observer>
void match_all(Warp& warp, const Instruction& i) {
    meet<Observer>(warp, i, i.b);
    u32 answers[kLanes];
    u32 predicate = 0;
    for_lanes(warp.mask, [&](int lane) {
        const u32 members = warp.mask & slot<u32>(warp, i.b)[lane];
        bool same = true;
        for_lanes(members,
                  [&](int other) { same = same && value_of(warp, i, other) == value_of(warp, i, lane); });
        answers[lane] = same ? members : 0;
        predicate |= u32(same) << lane;
    });
    for_lanes(warp.mask, [&](int lane) { slot<u32>(warp, i.d)[lane] = answers[lane]; });
    if (const s32 predicate_slot = detail_of<Match>(i).predicate; predicate_slot >= 0) {
        u32& p = *slot<u32>(warp, predicate_slot);
        p = (p & ~warp.mask) | predicate;
    }
}

template <class Observer>
void reduce_warp(Warp& warp, const Instruction& i) {
    meet<Observer>(warp, i, i.b);
    const auto [reduction, is_signed] =
        std::pair(detail_of<WarpReduction>(i).reduction, detail_of<WarpReduction>(i).is_signed);
    u32 answers[kLanes];
    for_lanes(warp.mask, [&, reduction = reduction, is_signed = is_signed](int lane) {
        const u32 members = warp.mask & slot<u32>(warp, i.b)[lane];
        bool first = true;
        u32 made = 0;
        for_lanes(members, [&](int other) {
            const u32 value = slot<u32>(warp, i.a)[other];
            if (first) {
                made = value;
            } else if (is_signed) {
                made = u32(reduced<s32>(reduction, s32(made), s32(value), 0));
            } else {
                made = reduced<u32>(reduction, made, value, 0);
            }
            first = false;
        });
        answers[lane] = made;
    });
    for_lanes(warp.mask, [&](int lane) { slot<u32>(warp, i.d)[lane] = answers[lane]; });
}

template <class Observer>
void order_warp(Warp& warp, const Instruction& i) {
    meet<Observer>(warp, i, i.b);
}

}  // namespace

void active_mask(Warp& warp, const Instruction& i) {
    for_lanes(warp.mask, [&](int lane) { slot<u32>(warp, i.d)[lane] = warp.mask; });
}

constinit const Observed kShuffle = observed([]<class Observer> {
    return Handlers{&shuffle<Observer>, &shuffle<Observer>};
});
constinit const Observed kVote = observed([]<class Observer> {
    return Handlers{&vote<Observer>, &vote<Observer>};
});
constinit const Observed kMatchAny = observed([]<class Observer> {
    return Handlers{&match_any<Observer>, &match_any<Observer>};
});
constinit const Observed kMatchAll = observed([]<class Observer> {
    return Handlers{&match_all<Observer>, &match_all<Observer>};
});
constinit const Observed kReduceWarp = observed([]<class Observer> {
    return Handlers{&reduce_warp<Observer>, &reduce_warp<Observer>};
});
constinit const Observed kOrderWarp = observed([]<class Observer> {
    return Handlers{&order_warp<Observer>, &order_warp<Observer>};
});

}  // namespace ws::simt
