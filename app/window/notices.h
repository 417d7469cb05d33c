#pragma once
// Messages over the picture.

#include <cstddef>
#include <string>
#include <vector>

namespace ws {

// Until it is closed or has been there long enough.
struct Notice {
    std::string text;
    bool error = false;
    double until = 0;  // seconds of the frame clock; 0: until it is closed
};

class Notices {
  public:
    // News pass after some seconds, errors stay; what stands there already is not said again.
    void tell(std::string text, bool error);
    // With the time of this frame in seconds: forgets what has passed.
    void update(double now);
    void close(std::size_t index);

    [[nodiscard]] const std::vector<Notice>& all() const { return all_; }
    // One of them will go by itself.
    [[nodiscard]] bool passing() const;

  private:
    std::vector<Notice> all_;  // oldest first
    double now_ = 0;
};

}  // namespace ws
