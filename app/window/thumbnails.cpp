#include "app/window/thumbnails.h"

#include <algorithm>
#include <array>

#include "app/cli/commands.h"
#include "gpu/core/background.h"

namespace ws {
namespace fs = std::filesystem;

ThumbnailKey thumbnail_key(const fs::path& path) {
    std::error_code status;
    ThumbnailKey key{path.string()};
    const std::uintmax_t bytes = fs::file_size(path, status);
    if (status) return key;
    const fs::file_time_type written = fs::last_write_time(path, status);
    if (status) return key;
    key.bytes = bytes;
    key.written = std::int64_t(written.time_since_epoch().count());
    return key;
}

RgbaImage reduced(const RgbaImage& picture, Extent most) {
    const double shrink =
        std::max({1.0, double(picture.size.width) / most.width, double(picture.size.height) / most.height});
    RgbaImage small(Extent{std::max(1, int(picture.size.width / shrink)),
                           std::max(1, int(picture.size.height / shrink))});
    const auto from = [](int at, int parts, int all) { return std::size_t(std::int64_t(all) * at / parts); };
    for (int y = 0; y < small.size.height; ++y) {
        for (int x = 0; x < small.size.width; ++x) {
            std::array<std::uint64_t, 4> sum{};
            std::uint64_t count = 0;
            for (std::size_t row = from(y, small.size.height, picture.size.height);
                 row < from(y + 1, small.size.height, picture.size.height); ++row) {
                for (std::size_t column = from(x, small.size.width, picture.size.width);
                     column < from(x + 1, small.size.width, picture.size.width); ++column, ++count) {
                    const std::uint8_t* at =
                        picture.bytes.data() + 4 * (row * std::size_t(picture.size.width) + column);
                    for (std::size_t c = 0; c < 4; ++c) sum[c] += at[c];
                }
            }
            std::uint8_t* to =
                small.bytes.data() + 4 * (std::size_t(y) * std::size_t(small.size.width) + std::size_t(x));
            for (std::size_t c = 0; c < 4; ++c)
                to[c] = std::uint8_t(sum[c] / std::max<std::uint64_t>(1, count));
        }
    }
    return small;
}

Thumbnail make_thumbnail(const ThumbnailKey& key) {
    Thumbnail made;
    try {
        if (key.bytes > kMostThumbnailFile) throw Error("a long file: shown once it is opened");
        const Picture picture = load_picture(key.path);
        made.full = picture->size;
        made.image = reduced(*picture, kThumbnail);
    } catch (...) {
        made.problem = caught_message();
    }
    return made;
}

void Thumbnails::update(std::span<const ThumbnailKey> wanted) {
    if (std::optional<Result<Thumbnail>> ready = job_.poll()) {
        Thumbnail made;
        if (ready->ok())
            made = std::move(ready->value());
        else
            made.problem = ready->message();
        kept_.push_back({std::move(making_), std::move(made)});
        if (kept_.size() > kMostKept) kept_.erase(kept_.begin());
    }
    const ThumbnailKey* next = nullptr;
    for (const ThumbnailKey& key : wanted) {
        const auto found =
            std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.key == key; });
        if (found != kept_.end())
            std::rotate(found, found + 1, kept_.end());
        else if (!next)
            next = &key;
    }
    if (!next || job_.active()) return;
    making_ = *next;
    job_ = Job<Thumbnail>([key = making_](const std::stop_token&) { return make_thumbnail(key); });
}

const Thumbnail* Thumbnails::find(const ThumbnailKey& key) const {
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const Kept& one) { return one.key == key; });
    return found == kept_.end() ? nullptr : &found->thumbnail;
}

}  // namespace ws
