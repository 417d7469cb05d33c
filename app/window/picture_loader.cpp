#include "app/window/picture_loader.h"

#include <utility>

#include "app/cli/commands.h"

namespace ws {

Job<Picture> load_beside(std::string path) {
    return Job<Picture>([path = std::move(path)](const std::stop_token&) { return load_picture(path); });
}

void PictureLoader::open(std::string path) {
    if (busy()) {
        next_ = std::move(path);
        return;
    }
    path_ = std::move(path);
    job_ = load_beside(path_);
}

std::optional<LoadedPicture> PictureLoader::update() {
    std::optional<Result<Picture>> picture = job_.poll();
    if (!picture) return std::nullopt;
    LoadedPicture loaded{path_, std::move(*picture)};
    if (next_) open(*std::exchange(next_, {}));
    return loaded;
}

}  // namespace ws
