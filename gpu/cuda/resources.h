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

// Owns what a handle stands for. `Kind` says what that is: the type of the handle, how it is made, how it is
// destroyed, and the name of that call, which is reported where it fails.
template <typename Kind>
class CudaOwner {
  public:
    using Handle = typename Kind::Handle;
    template <typename... What>
    explicit(sizeof...(What) > 0) CudaOwner(const What&... what) : handle_(Kind::create(what...)) {}
    CudaOwner(CudaOwner&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
    CudaOwner& operator=(CudaOwner&& other) noexcept {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~CudaOwner() {
        if (handle_) report_cuda(Kind::destroy(handle_), Kind::kDestroy);
    }
    [[nodiscard]] Handle get() const { return handle_; }

  private:
    Handle handle_;
};

struct ArrayKind {
    using Handle = cudaArray_t;
    static constexpr const char* kDestroy = "cudaFreeArray";
    static cudaError_t destroy(Handle array) { return cudaFreeArray(array); }
    static Handle create(const cudaChannelFormatDesc& channels, std::size_t width, std::size_t height) {
        Handle array = nullptr;
        WS_CUDA(cudaMallocArray(&array, &channels, width, height, cudaArrayDefault));
        return array;
    }
};
// Memory in the layout of textures.
using TextureArray = CudaOwner<ArrayKind>;

struct TextureKind {
    using Handle = cudaTextureObject_t;
    static constexpr const char* kDestroy = "cudaDestroyTextureObject";
    static cudaError_t destroy(Handle object) { return cudaDestroyTextureObject(object); }
    static Handle create(const TextureArray& array, const cudaTextureDesc& description) {
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array.get();
        Handle object = 0;
        WS_CUDA(cudaCreateTextureObject(&object, &resource, &description, nullptr));
        return object;
    }
};
// Of an array, which must outlive it.
using TextureObject = CudaOwner<TextureKind>;

struct EventKind {
    using Handle = cudaEvent_t;
    static constexpr const char* kDestroy = "cudaEventDestroy";
    static cudaError_t destroy(Handle event) { return cudaEventDestroy(event); }
    static Handle create() {
        Handle event = nullptr;
        WS_CUDA(cudaEventCreate(&event));
        return event;
    }
};
using CudaEvent = CudaOwner<EventKind>;

struct StreamKind {
    using Handle = cudaStream_t;
    static constexpr const char* kDestroy = "cudaStreamDestroy";
    static cudaError_t destroy(Handle stream) { return cudaStreamDestroy(stream); }
    static Handle create() {
        Handle stream = nullptr;
        WS_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        return stream;
    }
};
using CudaStream = CudaOwner<StreamKind>;

}  // namespace ws
