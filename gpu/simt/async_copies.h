#pragma once
// The copies that the threads of a block began with cp.async and have not waited for.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ws::simt {

class AsyncCopies {
  public:
    struct Copy {
        std::uint64_t offset = 0;  // in shared memory
        int bytes = 0;
        std::array<std::byte, 16> data{};
        std::uint32_t group = 0;
    };

    void begin_block(int threads);
    void begin(int thread, const Copy& copy);
    void commit(int thread);
    // Takes what arrives with a wait for all but the latest `groups` groups; negative: for everything,
    // committed or not.
    [[nodiscard]] std::vector<Copy> wait(int thread, int groups);

  private:
    struct Thread {
        std::uint32_t group = 0;  // the open one
        std::vector<Copy> copies;
    };
    std::vector<Thread> threads_;
};

}  // namespace ws::simt
