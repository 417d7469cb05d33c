#include "gpu/simt/print_sink.h"

#include <iterator>

namespace ws::simt {

void PrintSink::add(std::uint64_t block, std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (block >= end_) {
        cut_ = true;
        return;
    }
    std::string& kept = blocks_[block];
    kept += text;
    bytes_ += text.size();
    while (bytes_ > kMostBytes) {
        cut_ = true;
        const auto last = std::prev(blocks_.end());
        if (last == blocks_.begin()) {
            last->second.resize(kMostBytes);
            bytes_ = kMostBytes;
            end_ = last->first + 1;
            return;
        }
        bytes_ -= last->second.size();
        end_ = last->first;
        blocks_.erase(last);
    }
}

std::string PrintSink::text() const {
    std::string all;
    for (const auto& [block, text] : blocks_) all += text;
    return all;
}

}  // namespace ws::simt
