#pragma once
// What kernels print: kept by block, in the order of blocks and as long as a GPU's buffer takes it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace ws::simt {

class PrintSink {
  public:
    static constexpr std::size_t kMostBytes = 1 << 20;  // as cudaLimitPrintfFifoSize has it by default

    // Thread-safe. `block`: its linear index. Of blocks that do not fit, those of the lowest indices stay
    // whole; the first of all is cut.
    void add(std::uint64_t block, std::string_view text);
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool is_cut() const { return cut_; }

  private:
    std::mutex mutex_;
    std::map<std::uint64_t, std::string> blocks_;
    std::size_t bytes_ = 0;
    std::uint64_t end_ = ~0ull;  // what blocks from here on print is lost
    bool cut_ = false;
};

}  // namespace ws::simt
