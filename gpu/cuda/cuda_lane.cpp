#include "gpu/cuda/cuda_lane.h"

#include <algorithm>
#include <cstring>

#include "gpu/core/background.h"
#include "gpu/cuda/kernel_arguments.h"

namespace ws {

CudaLane::CudaLane(int index, const Driver& driver, Plan plan, std::vector<CUfunction> functions)
    : index_(index), driver_(driver), plan_(std::move(plan)), functions_(std::move(functions)) {}

// Memory grows with the largest picture so far.
void CudaLane::reserve(Extent size) {
    if (size.pixels() <= pixels_) return;
    pixels_ = 0;
    buffers_.clear();
    buffers_.resize(plan_.lab->buffers.size());
    const auto take = [&](int buffer) {
        buffers_[std::size_t(buffer)] =
            DeviceMemory(readable_bytes(bytes_of(plan_.lab->buffers[std::size_t(buffer)], size)));
    };
    take(0);
    for (const Launch& launch : plan_.launches) take(launch.output());
    pixels_ = size.pixels();
}

void CudaLane::upload(const std::uint8_t* from, std::size_t bytes) {
    for (std::size_t at = 0, i = 0; at < bytes; at += kPiece, ++i) {
        const Piece& piece = pieces_[i % 2];
        const std::size_t count = std::min(kPiece, bytes - at);
        if (i >= 2) WS_CUDA(cudaEventSynchronize(piece.copied.get()));
        std::memcpy(piece.memory.data(), from + at, count);
        WS_CUDA(cudaMemcpyAsync(buffers_.front().data() + at, piece.memory.data(), count,
                                cudaMemcpyHostToDevice, stream_.get()));
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
        reserve(size);
        upload(picture->bytes.data(), picture->bytes.readable_size());
        for (std::size_t i = 0; i < plan_.launches.size(); ++i) {
            Launch& launch = plan_.launches[i];
            cover(launch, size);
            KernelArguments arguments;
            for (const Argument& argument : launch.arguments)
                arguments.add(
                    argument, size,
                    argument.buffer < 0 ? 0 : bits_of(buffers_[std::size_t(argument.buffer)].data()));
            const CUresult status = driver_.launch_kernel(
                functions_[i], unsigned(launch.grid.width), unsigned(launch.grid.height), 1,
                unsigned(launch.block.x), unsigned(launch.block.y), 1, 0,
                reinterpret_cast<CUstream>(stream_.get()), arguments.pointers(), nullptr);
            if (status != CUDA_SUCCESS)
                return Result<GrayImage>::failure(driver_.name_of(status) + ": " + driver_.text_of(status));
        }
        GrayImage result(size);
        download(buffers_[std::size_t(plan_.shows)].data(), result.bytes.data(), size.pixels());
        return result;
    } catch (...) {
        return Result<GrayImage>::failure(caught_message());
    }
}

}  // namespace ws
