#include "app/window/reference_pictures.h"

#include "gpu/core/thread_pool.h"
#include "gpu/engine/matrix_picture.h"

namespace ws {
namespace {

GrayImage make(const Problem& problem, int buffer) {
    ThreadPool pool;
    const Buffer& about = problem.lab->buffers[std::size_t(buffer)];
    const Extent size = extent_of(about, problem.size);
    if (about.element == Element::gray) {
        GrayImage picture(size);
        problem.lab->native.whole(pool, problem, buffer, picture.bytes.data());
        return picture;
    }
    std::vector<std::uint8_t> bytes(bytes_of(about, problem.size));
    problem.lab->native.whole(pool, problem, buffer, bytes.data());
    return gray_picture(size, bytes.data());
}

}  // namespace

ReferencePictures::Reference ReferencePictures::find(const Problem& problem, int buffer) {
    if (!problem) return nullptr;
    if (problem.input != input_ || problem.lab != lab_) {
        input_ = problem.input;
        lab_ = problem.lab;
        entries_.clear();
        job_ = {};
        making_ = -1;
    }
    if (std::optional<Result<GrayImage>> made = job_.poll()) {
        if (made->ok())
            entries_.push_back({making_, std::make_shared<const GrayImage>(std::move(made->value()))});
        else
            entries_.push_back({making_, nullptr});  // memory is short: the picture of the kernels has to do
        making_ = -1;
    }
    for (const Entry& entry : entries_) {
        if (entry.buffer == buffer) return entry.picture;
    }
    if (!job_.active()) {
        making_ = buffer;
        job_ = Job<GrayImage>([problem, buffer](const std::stop_token&) { return make(problem, buffer); });
    }
    return nullptr;
}

}  // namespace ws
