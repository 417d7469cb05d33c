#pragma once
// Times as the program reports them: a median with its spread over a number of samples.

#include <cstddef>
#include <vector>

namespace ws {

struct Statistics {
    double median = 0;
    double low = 0;   // the quarter of the samples below...
    double high = 0;  // ...and the quarter above: half of all samples lie between
    int samples = 0;
    [[nodiscard]] double spread() const { return high - low; }
};

[[nodiscard]] Statistics statistics_of(std::vector<double> values);

// Whether two medians differ by more than both spreads explain; if not, the difference is called noise.
[[nodiscard]] bool differ(const Statistics& a, const Statistics& b);

// The latest samples of one quantity.
class SampleWindow {
  public:
    static constexpr std::size_t kCapacity = 200;
    void add(double value);
    void clear() { values_.clear(), next_ = 0; }
    [[nodiscard]] std::size_t size() const { return values_.size(); }
    [[nodiscard]] bool full() const { return values_.size() == kCapacity; }
    [[nodiscard]] std::vector<float> history() const;  // oldest first
    [[nodiscard]] Statistics statistics() const { return statistics_of(values_); }

  private:
    std::size_t next_ = 0;  // where the next value goes once the window is full
    std::vector<double> values_;
};

}  // namespace ws
