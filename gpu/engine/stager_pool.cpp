#include "gpu/engine/stager_pool.h"

namespace ws {

std::unique_ptr<LaunchStager> StagerPool::take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return std::make_unique<LaunchStager>(store_);
    auto stager = std::move(free_.back());
    free_.pop_back();
    return stager;
}

void StagerPool::give_back(std::unique_ptr<LaunchStager> stager) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(stager));
}

}  // namespace ws
