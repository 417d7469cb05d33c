#include "render/gl_target.h"

#include <glad/gl.h>

namespace ws {
namespace {

class UploadTarget final : public GlTarget {
  public:
    explicit UploadTarget(PicturePath path) : path_(path), buffer_(make_buffer()) {}
    [[nodiscard]] Memory memory() const override { return Memory::host; }
    void resize(Extent size) override { host_.resize(size); }
    [[nodiscard]] std::uint8_t* map(void* stream) override { return host_.map(stream); }
    void unmap(void* stream) override { host_.unmap(stream); }
    void present(PictureTexture& texture) override {
        const GrayImage& picture = host_.picture();
        if (path_ == PicturePath::buffer) {
            glBindBuffer(GL_TEXTURE_BUFFER, buffer_.get());
            if (size_ != picture.size)
                glBufferData(GL_TEXTURE_BUFFER, GLsizeiptr(picture.bytes.size()), nullptr, GL_STREAM_DRAW);
            size_ = picture.size;
            glBufferSubData(GL_TEXTURE_BUFFER, 0, GLsizeiptr(picture.bytes.size()), picture.bytes.data());
            glBindBuffer(GL_TEXTURE_BUFFER, 0);
            if (texture.show_buffer(buffer_.get(), picture.size)) return;
        }
        texture.resize(picture.size, PictureTexture::Format::gray);
        texture.upload(picture.bytes.data());
    }
    [[nodiscard]] GrayImage read_back() override { return host_.picture(); }

  private:
    PicturePath path_;
    GlName buffer_;
    Extent size_;  // of the buffer
    HostTarget host_;
};

}  // namespace

std::unique_ptr<GlTarget> make_host_target(PicturePath path) {
    return std::make_unique<UploadTarget>(path);
}

}  // namespace ws
