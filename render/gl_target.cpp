#include "render/gl_target.h"

namespace ws {
namespace {

class UploadTarget final : public GlTarget {
  public:
    [[nodiscard]] Memory memory() const override { return Memory::host; }
    void resize(Extent size) override { host_.resize(size); }
    [[nodiscard]] std::uint8_t* map(void* stream) override { return host_.map(stream); }
    void unmap(void* stream) override { host_.unmap(stream); }
    void present(PictureTexture& texture) override {
        texture.resize(host_.picture().size, PictureTexture::Format::gray);
        texture.upload(host_.picture().bytes.data());
    }
    [[nodiscard]] GrayImage read_back() override { return host_.picture(); }

  private:
    HostTarget host_;
};

}  // namespace

std::unique_ptr<GlTarget> make_host_target() {
    return std::make_unique<UploadTarget>();
}

}  // namespace ws
