#pragma once
// Owners of what the CUDA runtime hands out. Move-only; destructors do not throw.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <utility>

#include "gpu/cuda/check.h"

namespace ws {

class DeviceMemory {
  public:
    DeviceMemory() = default;
    explicit DeviceMemory(std::size_t bytes) : size_(bytes) {
        WS_CUDA(cudaMalloc(reinterpret_cast<void**>(&data_), bytes));
    }
    DeviceMemory(DeviceMemory&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    DeviceMemory& operator=(DeviceMemory&& other) noexcept {
        std::swap(data_, other.data_);
        std::swap(size_, other.size_);
        return *this;
    }
    ~DeviceMemory() {
        if (data_) report_cuda(cudaFree(data_), "cudaFree");
    }
    [[nodiscard]] std::uint8_t* data() const { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }  // bytes

  private:
    std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
};

// Memory of the host that the GPU reads and writes on its own.
class PinnedMemory {
  public:
    PinnedMemory() = default;
    explicit PinnedMemory(std::size_t bytes) {
        WS_CUDA(cudaHostAlloc(reinterpret_cast<void**>(&data_), bytes, cudaHostAllocPortable));
    }
    PinnedMemory(PinnedMemory&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
    PinnedMemory& operator=(PinnedMemory&& other) noexcept {
        std::swap(data_, other.data_);
        return *this;
    }
    ~PinnedMemory() {
        if (data_) report_cuda(cudaFreeHost(data_), "cudaFreeHost");
    }
    [[nodiscard]] std::uint8_t* data() const { return data_; }

  private:
    std::uint8_t* data_ = nullptr;
};

// Memory in the layout of textures.
class TextureArray {
  public:
    TextureArray(const cudaChannelFormatDesc& channels, std::size_t width, std::size_t height) {
        WS_CUDA(cudaMallocArray(&array_, &channels, width, height, cudaArrayDefault));
    }
    TextureArray(TextureArray&& other) noexcept : array_(std::exchange(other.array_, nullptr)) {}
    TextureArray& operator=(TextureArray&& other) noexcept {
        std::swap(array_, other.array_);
        return *this;
    }
    ~TextureArray() {
        if (array_) report_cuda(cudaFreeArray(array_), "cudaFreeArray");
    }
    [[nodiscard]] cudaArray_t get() const { return array_; }

  private:
    cudaArray_t array_ = nullptr;
};

// Of an array, which must outlive it.
class TextureObject {
  public:
    TextureObject(const TextureArray& array, const cudaTextureDesc& description) {
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array.get();
        WS_CUDA(cudaCreateTextureObject(&object_, &resource, &description, nullptr));
    }
    TextureObject(TextureObject&& other) noexcept : object_(std::exchange(other.object_, 0)) {}
    TextureObject& operator=(TextureObject&& other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~TextureObject() {
        if (object_) report_cuda(cudaDestroyTextureObject(object_), "cudaDestroyTextureObject");
    }
    [[nodiscard]] cudaTextureObject_t get() const { return object_; }

  private:
    cudaTextureObject_t object_ = 0;
};

class CudaEvent {
  public:
    CudaEvent() { WS_CUDA(cudaEventCreate(&event_)); }
    CudaEvent(CudaEvent&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
    CudaEvent& operator=(CudaEvent&& other) noexcept {
        std::swap(event_, other.event_);
        return *this;
    }
    ~CudaEvent() {
        if (event_) report_cuda(cudaEventDestroy(event_), "cudaEventDestroy");
    }
    [[nodiscard]] cudaEvent_t get() const { return event_; }

  private:
    cudaEvent_t event_ = nullptr;
};

class CudaStream {
  public:
    CudaStream() { WS_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
    CudaStream(const CudaStream&) = delete;
    CudaStream& operator=(const CudaStream&) = delete;
    ~CudaStream() { report_cuda(cudaStreamDestroy(stream_), "cudaStreamDestroy"); }
    [[nodiscard]] cudaStream_t get() const { return stream_; }

  private:
    cudaStream_t stream_ = nullptr;
};

}  // namespace ws
