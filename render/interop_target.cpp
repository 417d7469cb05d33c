#include "render/interop_target.h"

#include <glad/gl.h>
// glad comes first: cuda_gl_interop.h would include the system's OpenGL header.
#include <cuda_gl_interop.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "gpu/cuda/check.h"
#include "gpu/cuda/cuda_device.h"

namespace ws {
namespace {

constexpr const char* kRemedy =
    "on Linux start with __NV_PRIME_RENDER_OFFLOAD=1 __GLX_VENDOR_LIBRARY_NAME=nvidia, on Windows choose the "
    "NVIDIA GPU "
    "for Warpscope in the graphics settings";

class InteropTarget final : public GlTarget {
  public:
    InteropTarget(Extent size, PicturePath path) : path_(path), buffer_(make_buffer()) {
        WS_CUDA(cudaGetDevice(&device_));
        allocate(size);
    }

    ~InteropTarget() override { unregister(); }

    [[nodiscard]] Memory memory() const override { return Memory::cuda; }

    void resize(Extent size) override {
        if (size == size_) return;
        unregister();
        allocate(size);
    }

    [[nodiscard]] std::uint8_t* map(void* stream) override {
        cudaGraphicsResource_t mapped[] = {resource_, image_};
        WS_CUDA(cudaGraphicsMapResources(image_ ? 2 : 1, mapped, static_cast<cudaStream_t>(stream)));
        void* pointer = nullptr;
        std::size_t bytes = 0;
        const cudaError_t status = cudaGraphicsResourceGetMappedPointer(&pointer, &bytes, resource_);
        if (status != cudaSuccess || bytes < size_.pixels()) {
            unmap(stream);
            check_cuda(status, "cudaGraphicsResourceGetMappedPointer");
            throw Error("the mapped OpenGL buffer is too small");
        }
        written_ = static_cast<std::uint8_t*>(pointer);
        return written_;
    }

    void unmap(void* stream) override {
        const auto cuda_stream = static_cast<cudaStream_t>(stream);
        in_image_ = image_ && written_ && copy_into_image(cuda_stream);
        cudaGraphicsResource_t mapped[] = {resource_, image_};
        report_cuda(cudaGraphicsUnmapResources(image_ ? 2 : 1, mapped, cuda_stream),
                    "cudaGraphicsUnmapResources");
        if (image_ && written_ && !in_image_) give_image_up();
        written_ = nullptr;
    }

    void present(PictureTexture& texture) override {
        if (path_ == PicturePath::buffer && texture.show_buffer(buffer_.get(), size_)) return;
        texture.resize(size_, PictureTexture::Format::gray);
        if (in_image_ && texture.tiles().front().texture.get() == image_texture_) return;
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_.get());
        texture.upload(nullptr);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        if (path_ == PicturePath::image) register_image(texture);
    }

    [[nodiscard]] GrayImage read_back() override {
        GrayImage image(size_);
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_.get());
        glGetBufferSubData(GL_PIXEL_UNPACK_BUFFER, 0, GLsizeiptr(size_.pixels()), image.bytes.data());
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        return image;
    }

  private:
    void allocate(Extent size) {
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer_.get());
        clear_gl_errors();
        glBufferData(GL_PIXEL_UNPACK_BUFFER, GLsizeiptr(size.pixels()), nullptr, GL_STREAM_DRAW);
        const bool full = gl_out_of_memory();
        glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        if (full) throw Error("the graphics memory is full", "making a pixel buffer");
        WS_CUDA(
            cudaGraphicsGLRegisterBuffer(&resource_, buffer_.get(), cudaGraphicsRegisterFlagsWriteDiscard));
        // Success without a handle has been seen.
        if (!resource_) throw Error("CUDA registered the OpenGL buffer but gave no handle");
        size_ = size;
    }

    // From the next frame on the picture is copied into this texture before OpenGL has the buffer back.
    void register_image(const PictureTexture& texture) {
        unregister_image();
        const unsigned name = texture.tiles().front().texture.get();
        const bool one = texture.tiles().size() == 1;
        if (!one || cudaGraphicsGLRegisterImage(&image_, name, GL_TEXTURE_2D,
                                                cudaGraphicsRegisterFlagsWriteDiscard) != cudaSuccess)
            return give_image_up();
        image_texture_ = name;
    }

    [[nodiscard]] bool copy_into_image(cudaStream_t stream) {
        const auto width = std::size_t(size_.width);
        cudaArray_t array = nullptr;
        return cudaGraphicsSubResourceGetMappedArray(&array, image_, 0, 0) == cudaSuccess &&
               cudaMemcpy2DToArrayAsync(array, 0, 0, written_, width, width, std::size_t(size_.height),
                                        cudaMemcpyDeviceToDevice, stream) == cudaSuccess;
    }

    // OpenGL's own copy always works.
    void give_image_up() {
        cudaGetLastError();
        unregister_image();
        path_ = PicturePath::texture;
    }

    void unregister_image() {
        if (image_) report_cuda(cudaGraphicsUnregisterResource(image_), "cudaGraphicsUnregisterResource");
        image_ = nullptr;
        image_texture_ = 0;
        in_image_ = false;
    }

    // Another GPU may have become current: what is registered is one's own.
    void unregister() {
        int current = device_;
        cudaGetDevice(&current);
        if (current != device_) cudaSetDevice(device_);
        unregister_image();
        if (resource_)
            report_cuda(cudaGraphicsUnregisterResource(resource_), "cudaGraphicsUnregisterResource");
        if (current != device_) cudaSetDevice(current);
        resource_ = nullptr;
        size_ = {};
    }

    PicturePath path_;
    int device_ = 0;  // that was current when it was made
    GlName buffer_;
    cudaGraphicsResource_t resource_ = nullptr;
    cudaGraphicsResource_t image_ = nullptr;  // the texture that was presented last
    unsigned image_texture_ = 0;
    bool in_image_ = false;            // it has the picture that was written last
    std::uint8_t* written_ = nullptr;  // while mapped
    Extent size_;
};

}  // namespace

InteropChoice cuda_device_of_gl(const std::string& gl_renderer) {
    const Result<std::vector<DeviceFacts>> devices = cuda_devices();
    if (!devices.ok()) return {-1, devices.message()};
    unsigned count = 0;
    int index = -1;
    const cudaError_t status = cudaGLGetDevices(&count, &index, 1, cudaGLDeviceListAll);
    cudaGetLastError();
    if (status == cudaSuccess && count > 0) return {index, {}};
    return {-1,
            fmt::format("OpenGL draws on '{}', CUDA computes on '{}': they cannot share a buffer ({}); {}",
                        gl_renderer, devices.value().front().name, cudaGetErrorName(status), kRemedy)};
}

Result<std::unique_ptr<GlTarget>> make_interop_target(Extent size, PicturePath path) {
    using Made = Result<std::unique_ptr<GlTarget>>;
    try {
        return Made(std::make_unique<InteropTarget>(size, path));
    } catch (const Error& error) {
        cudaGetLastError();  // a failed registration must not poison what comes next
        return Made::failure(error.what());
    }
}

}  // namespace ws
