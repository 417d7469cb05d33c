#include "app/window/notices.h"

#include <algorithm>

namespace ws {

void Notices::tell(std::string text, bool error) {
    constexpr double kSecondsOfANotice = 8;
    constexpr std::size_t kMost = 4;
    if (std::any_of(all_.begin(), all_.end(), [&](const Notice& notice) { return notice.text == text; }))
        return;
    all_.push_back({std::move(text), error, error ? 0 : now_ + kSecondsOfANotice});
    if (all_.size() > kMost) all_.erase(all_.begin());
}

void Notices::update(double now) {
    now_ = now;
    std::erase_if(all_, [now](const Notice& notice) { return notice.until > 0 && notice.until < now; });
}

void Notices::close(std::size_t index) {
    if (index < all_.size()) all_.erase(all_.begin() + std::ptrdiff_t(index));
}

bool Notices::passing() const {
    return std::any_of(all_.begin(), all_.end(), [](const Notice& notice) { return notice.until > 0; });
}

}  // namespace ws
