#include "gpu/simt/known_requests.h"

#include <bit>

namespace ws::simt {

std::uint64_t KnownRequests::first_address(const WarpAccess& access) {
    return access.addresses[std::countr_zero(access.mask)];
}

std::uint64_t KnownRequests::first_line(const WarpAccess& access) {
    return first_address(access) / kAlignments * (kAlignments / kLineBytes);
}

KnownRequests::OfPattern& KnownRequests::of(const Warp& warp, const WarpAccess& access) {
    const auto number = std::size_t(memory_of(access.instruction).pattern);
    std::unique_ptr<OfPattern>& at =
        access.mask == kAllLanes ? full_[number]
                                 : partial_[warp.worker->partial_patterns.index_of(number, access.mask)];
    if (!at) at = std::make_unique<OfPattern>();
    return *at;
}

const KnownRequest* KnownRequests::find(const Warp& warp, const WarpAccess& access) {
    last_ = access.pattern ? &of(warp, access) : nullptr;
    if (!last_) return nullptr;
    OfPattern& known = *last_;
    if (known.changes != access.pattern->changes) {
        known.changes = access.pattern->changes;
        known.came_again = false;
        return nullptr;
    }
    if (!known.came_again) return nullptr;
    const std::int16_t number = known.number[first_address(access) % kAlignments];
    return number < 0 ? nullptr : &known.requests[std::size_t(number)];
}

void KnownRequests::add(const WarpAccess& access, const TracedAccess& made, const WarpTrace& trace) {
    if (!last_) return;
    OfPattern& known = *last_;
    if (!known.came_again) {
        known.came_again = true;
        known.number.fill(-1);
        known.requests.clear();
        return;
    }
    known.number[first_address(access) % kAlignments] = std::int16_t(known.requests.size());
    KnownRequest& one = known.requests.emplace_back();
    one.made = made;
    for (const LineSectors line : trace.asked_by(made))
        one.lines.push_back(line.moved(0 - first_line(access)));
    const std::span<const StoredBytes> stored = trace.stored_by(made);
    one.stored.assign(stored.begin(), stored.end());
}

}  // namespace ws::simt
