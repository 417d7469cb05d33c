#pragma once
// Reads a picture's file on a thread of its own.

#include <optional>
#include <string>

#include "gpu/core/error.h"
#include "gpu/core/image.h"
#include "gpu/core/job.h"

namespace ws {

// Of what load_picture takes.
[[nodiscard]] Job<Picture> load_beside(std::string path);

struct LoadedPicture {
    std::string path;
    Result<Picture> picture;
};

class PictureLoader {
  public:
    // Of those asked for while one is being read, the last wins.
    void open(std::string path);
    // What was read since the last call, or why it could not be.
    [[nodiscard]] std::optional<LoadedPicture> update();
    [[nodiscard]] bool busy() const { return job_.active(); }

  private:
    Job<Picture> job_;
    std::string path_;  // that is being read
    std::optional<std::string> next_;
};

}  // namespace ws
