#include "gpu/cuda/cuda_lane.h"

#include <algorithm>
#include <cstring>

#include "gpu/core/background.h"

namespace ws {

CudaLane::CudaLane(int index, const Driver& driver, Plan plan, std::vector<CUfunction> functions)
    : index_(index), driver_(driver), plan_(std::move(plan)), functions_(std::move(functions)) {}

// Memory grows with the largest picture so far.
void CudaLane::reserve(std::size_t pixels) {
    if (pixels <= pixels_) return;
    pixels_ = 0;
    source_ = {}, buffers_[0] = {}, buffers_[1] = {};
    source_ = DeviceMemory(readable_bytes(4 * pixels));
    for (DeviceMemory& buffer : buffers_) buffer = DeviceMemory(pixels);
    pixels_ = pixels;
}

void CudaLane::upload(const std::uint8_t* from, std::size_t bytes) {
    for (std::size_t at = 0, i = 0; at < bytes; at += kPiece, ++i) {
        const Piece& piece = pieces_[i % 2];
        const std::size_t count = std::min(kPiece, bytes - at);
        if (i >= 2) WS_CUDA(cudaEventSynchronize(piece.copied.get()));
        std::memcpy(piece.memory.data(), from + at, count);
        WS_CUDA(cudaMemcpyAsync(source_.data() + at, piece.memory.data(), count, cudaMemcpyHostToDevice,
                                stream_.get()));
        WS_CUDA(cudaEventRecord(piece.copied.get(), stream_.get()));
    }
}

void CudaLane::download(const std::uint8_t* from, std::uint8_t* to, std::size_t bytes) {
    const auto fetch = [&](std::size_t i) {
        if (i * kPiece >= bytes) return;
        const Piece& piece = pieces_[i % 2];
        WS_CUDA(cudaMemcpyAsync(piece.memory.data(), from + i * kPiece, std::min(kPiece, bytes - i * kPiece),
                                cudaMemcpyDeviceToHost, stream_.get()));
        WS_CUDA(cudaEventRecord(piece.copied.get(), stream_.get()));
    };
    fetch(0);
    fetch(1);
    for (std::size_t i = 0; i * kPiece < bytes; ++i) {
        const Piece& piece = pieces_[i % 2];
        WS_CUDA(cudaEventSynchronize(piece.copied.get()));
        std::memcpy(to + i * kPiece, piece.memory.data(), std::min(kPiece, bytes - i * kPiece));
        fetch(i + 2);
    }
}

Result<GrayImage> CudaLane::run(const Picture& picture) {
    try {
        WS_CUDA(cudaSetDevice(index_));
        const Extent size = picture->size;
        reserve(size.pixels());
        upload(picture->bytes.data(), picture->bytes.readable_size());
        const std::uint8_t* input = nullptr;
        for (std::size_t i = 0; i < plan_.launches.size(); ++i) {
            Launch& launch = plan_.launches[i];
            cover(launch, size);
            const Extent grid = launch.grid;
            const void* source = reads_rgba(launch.stage) ? source_.data() : input;
            std::uint8_t* output = buffers_[i % 2].data();
            int width = size.width;
            int height = size.height;
            void* arguments[] = {&source, &output, &width, &height};
            const CUresult status =
                driver_.launch_kernel(functions_[i], unsigned(grid.width), unsigned(grid.height), 1,
                                      unsigned(launch.block.x), unsigned(launch.block.y), 1, 0,
                                      reinterpret_cast<CUstream>(stream_.get()), arguments, nullptr);
            if (status != CUDA_SUCCESS)
                return Result<GrayImage>::failure(driver_.name_of(status) + ": " + driver_.text_of(status));
            input = output;
        }
        GrayImage result(size);
        download(input, result.bytes.data(), size.pixels());
        return result;
    } catch (...) {
        return Result<GrayImage>::failure(caught_message());
    }
}

}  // namespace ws
