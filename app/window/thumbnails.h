#pragma once
// Small pictures of files, made one after the other on a thread of its own and kept within bounds.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/core/image.h"
#include "gpu/core/job.h"

namespace ws {

// A file as it is now: another time or length is another picture.
struct ThumbnailKey {
    std::string path;
    std::int64_t written = 0;  // by the file system's clock
    std::uintmax_t bytes = 0;
    friend bool operator==(const ThumbnailKey&, const ThumbnailKey&) = default;
};
// Of a file that is gone: no time and no bytes.
[[nodiscard]] ThumbnailKey thumbnail_key(const std::filesystem::path& path);

struct Thumbnail {
    RgbaImage image;      // within kThumbnail
    Extent full;          // of the picture itself
    std::string problem;  // why there is none
};
inline constexpr Extent kThumbnail{128, 96};
// A longer file is not decoded for a glance at it.
inline constexpr std::uintmax_t kMostThumbnailFile = std::uintmax_t(64) << 20;

// The picture within `most`, each pixel the mean of those that it stands for.
[[nodiscard]] RgbaImage reduced(const RgbaImage& picture, Extent most);
// Reads the file, or a built-in picture by its name. What goes wrong is the thumbnail's problem.
[[nodiscard]] Thumbnail make_thumbnail(const ThumbnailKey& key);

class Thumbnails {
  public:
    // 256 of 48 KiB: 12 MiB at most.
    static constexpr std::size_t kMostKept = 256;

    // Takes what is made, and begins with the first that is wanted and not there. What nobody wanted for the
    // longest time goes first.
    void update(std::span<const ThumbnailKey> wanted);
    // Null while it is not made.
    [[nodiscard]] const Thumbnail* find(const ThumbnailKey& key) const;
    [[nodiscard]] bool busy() const { return job_.active(); }
    [[nodiscard]] std::size_t kept() const { return kept_.size(); }

  private:
    struct Kept {
        ThumbnailKey key;
        Thumbnail thumbnail;
    };
    std::vector<Kept> kept_;  // the one that was wanted last stands last
    ThumbnailKey making_;
    Job<Thumbnail> job_;
};

}  // namespace ws
