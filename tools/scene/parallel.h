#pragma once
// Rows of a picture on several threads.

#include <atomic>
#include <thread>
#include <vector>

namespace still_life {

template <typename Work>
void for_each_row(int rows, int threads, const Work& work) {
    std::atomic<int> next{0};
    const auto take = [&] {
        for (int row = next++; row < rows; row = next++) work(row);
    };
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(take);
    take();
}

}  // namespace still_life
