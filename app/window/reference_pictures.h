#pragma once
// What the lab's buffers hold by definition, as pictures: computed beside the frames, kept while the input is
// the same. They stand on the screen before any kernel has run.

#include <memory>
#include <vector>

#include "app/window/buffer_picture.h"
#include "gpu/core/job.h"
#include "gpu/core/lab.h"

namespace ws {

class ReferencePictures {
  public:
    // The picture of a buffer that steps compute, or of the input where it is no picture itself; null while
    // it is being made.
    [[nodiscard]] SharedPicture find(const Problem& problem, int buffer);
    [[nodiscard]] bool busy() const { return job_.active(); }

  private:
    struct Entry {
        int buffer = 0;
        SharedPicture picture;
    };
    std::shared_ptr<const PixelBytes> input_;  // that all of them are of
    KnobValues knobs_;                         // likewise
    const Lab* lab_ = nullptr;
    std::vector<Entry> entries_;
    int making_ = -1;
    Job<BufferPicture> job_;
};

}  // namespace ws
