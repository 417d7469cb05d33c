#include "gpu/simt/async_copies.h"

#include <algorithm>
#include <iterator>

namespace ws::simt {

void AsyncCopies::begin_block(int threads) {
    threads_.resize(std::size_t(threads));
    for (Thread& thread : threads_) {
        thread.group = 0;
        thread.copies.clear();
    }
}

void AsyncCopies::begin(int thread, const Copy& copy) {
    Thread& of = threads_[std::size_t(thread)];
    of.copies.push_back(copy);
    of.copies.back().group = of.group;
}

void AsyncCopies::commit(int thread) {
    ++threads_[std::size_t(thread)].group;
}

std::vector<AsyncCopies::Copy> AsyncCopies::wait(int thread, int groups) {
    Thread& of = threads_[std::size_t(thread)];
    const auto arrives = [&](const Copy& copy) {
        return groups < 0 || std::int64_t(copy.group) + groups < std::int64_t(of.group);
    };
    // They were begun in the order of their groups.
    const auto end = std::find_if_not(of.copies.begin(), of.copies.end(), arrives);
    std::vector<Copy> made(of.copies.begin(), end);
    of.copies.erase(of.copies.begin(), end);
    return made;
}

}  // namespace ws::simt
