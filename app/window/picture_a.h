#pragma once
// A, the picture beside the result: the input, a definition, or what other kernels made; and how the result
// differs from it. What takes long is done beside the frames.

#include <optional>
#include <string_view>

#include "app/views/side_a.h"
#include "app/window/buffer_picture.h"
#include "app/window/reference_pictures.h"
#include "gpu/core/snapshot.h"

namespace ws {

class Engine;

class PictureA {
  public:
    // For this frame: what A is, and what is known of it.
    void update(const Engine& engine, const ViewState& view, ReferencePictures& references);
    [[nodiscard]] const ShownA& shown() const { return shown_; }
    // Its picture; null where A is the input, and while neither it nor its definition is there.
    [[nodiscard]] const SharedPicture& picture() const { return picture_; }
    // Another picture or its difference is on its way.
    [[nodiscard]] bool busy() const { return turning_.active() || counting_.active(); }

  private:
    void find_result(const Engine& engine, ReferencePictures& references);
    void find_difference(const Engine& engine);

    ShownA shown_;
    SharedPicture picture_;
    // Of another work's result: the bytes that a picture is made of, the picture, and the job that makes it.
    std::shared_ptr<const HostBytes> turning_from_;
    SharedPicture turned_;
    Job<BufferPicture> turning_;
    // Of what the difference is: A, and the plan whose result was taken from it.
    struct Counted {
        SharedPicture a;
        std::uint64_t generation = 0;
        friend bool operator==(const Counted&, const Counted&) = default;
    };
    Counted counted_, asked_;
    std::optional<Difference> difference_;
    Job<Difference> counting_;
};

}  // namespace ws
