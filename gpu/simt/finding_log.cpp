#include "gpu/simt/finding_log.h"

#include <algorithm>

namespace ws::simt {

bool FindingLog::wants(Finding::Kind kind, int line, std::uint64_t order) {
    const std::lock_guard lock(mutex_);
    const auto known = entries_.find({kind, line});
    if (known == entries_.end() || order < known->second.order) return true;
    ++known->second.finding.count;
    return false;
}

void FindingLog::add(Finding::Kind kind, int line, std::uint64_t order, const std::string& message) {
    const std::lock_guard lock(mutex_);
    Entry& entry = entries_[{kind, line}];
    const std::uint64_t count = entry.order == ~0ull ? 1 : entry.finding.count + 1;
    if (order < entry.order) {
        entry.order = order;
        entry.finding = {kind, severity_of(kind), message, line, count};
    }
    entry.finding.count = count;
}

std::size_t FindingLog::size() {
    const std::lock_guard lock(mutex_);
    return entries_.size();
}

std::vector<Finding> FindingLog::take() {
    const std::lock_guard lock(mutex_);
    std::vector<std::pair<std::uint64_t, Finding>> ordered;
    ordered.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) ordered.emplace_back(entry.order, entry.finding);
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Finding> made;
    made.reserve(ordered.size());
    for (auto& [order, finding] : ordered) made.push_back(std::move(finding));
    return made;
}

}  // namespace ws::simt
