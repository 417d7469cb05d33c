#include "gpu/simt/grid_order.h"

#include <functional>

namespace ws::simt {

void GridOrder::set_flag(std::uint64_t flag, std::uint32_t block, std::uint32_t epoch,
                         const std::vector<std::uint32_t>& known, const Flags& read) {
    Release made{block, epoch, {}, read};
    for (std::size_t thread = 0; thread < known.size(); ++thread) {
        if (known[thread] != 0) made.known.emplace_back(std::uint16_t(thread), known[thread]);
    }
    const std::lock_guard lock(mutex_);
    std::vector<Release>& releases = flags_[flag];
    if (releases.empty() || releases.back().block != block) {
        releases.push_back(std::move(made));
        return;
    }
    // The block sets it again: one release tells both. What lies before a later epoch is known anyway.
    Release& last = releases.back();
    if (last.epoch == epoch) made.known.insert(made.known.end(), last.known.begin(), last.known.end());
    std::sort(made.known.begin(), made.known.end(), std::greater<>());
    const auto same_thread = [](const auto& a, const auto& b) { return a.first == b.first; };
    made.known.erase(std::unique(made.known.begin(), made.known.end(), same_thread), made.known.end());
    last = std::move(made);
}

bool GridOrder::is_flag(std::uint64_t place) const {
    const std::lock_guard lock(mutex_);
    return flags_.count(place) != 0;
}

bool GridOrder::hands_on(const Release& release, const WriteRecord& write) {
    if (release.block != write.block) return false;
    if (write.epoch < release.epoch) return true;
    return write.epoch == release.epoch &&
           std::any_of(release.known.begin(), release.known.end(), [&](const auto& known) {
               return known.first == write.thread && write.time < known.second;
           });
}

bool GridOrder::covers(const Flags& read, const WriteRecord& write) const {
    const std::lock_guard lock(mutex_);
    Flags open = read;
    for (std::size_t i = 0; i < open.size(); ++i) {  // flags lead to the flags that their setters had read
        const auto releases = flags_.find(open[i]);
        if (releases == flags_.end()) continue;
        for (const Release& release : releases->second) {
            if (hands_on(release, write)) return true;
            for (const std::uint64_t flag : release.read) {
                if (std::find(open.begin(), open.end(), flag) == open.end()) open.push_back(flag);
            }
        }
    }
    return false;
}

}  // namespace ws::simt
