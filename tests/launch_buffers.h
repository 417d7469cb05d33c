#pragma once
// Memory for the buffers that launches of a lab use, for the simulated GPU.

#include <algorithm>
#include <vector>

#include "gpu/core/device.h"
#include "gpu/core/plan.h"

namespace ws::testing {

// Each begins with the same bytes; those that have content are filled by fill_from().
class LaunchBuffers {
  public:
    LaunchBuffers(const Lab& lab, const std::vector<Launch>& launches, Extent size, std::uint8_t fill) {
        memory_.resize(lab.buffers.size());
        for (const Launch& launch : launches) {
            for (const Argument& argument : launch.arguments) {
                if (argument.buffer < 0) continue;
                const auto place = std::size_t(argument.buffer);
                const std::size_t bytes = bytes_of(lab.buffers[place], size);
                memory_[place].assign(place == 0 ? readable_bytes(bytes) : bytes, fill);
            }
        }
    }
    void fill_from(const Problem& problem) {
        for (std::size_t i = 0; i < memory_.size(); ++i) {
            const PixelBytes* content = problem.content_of(int(i));
            if (content && memory_[i].size() >= content->size())
                std::copy(content->begin(), content->end(), memory_[i].begin());
        }
    }
    [[nodiscard]] HostBytes& operator[](int place) { return memory_[std::size_t(place)]; }
    [[nodiscard]] std::vector<std::uint8_t*> places() {
        std::vector<std::uint8_t*> places;
        for (HostBytes& bytes : memory_) places.push_back(bytes.empty() ? nullptr : bytes.data());
        return places;
    }

  private:
    std::vector<HostBytes> memory_;
};

}  // namespace ws::testing
