#include "gpu/cuda/cuda_lane.h"

#include <cstring>

namespace ws {

CudaLane::CudaLane(int index, const Driver& driver, Plan plan, std::vector<CUfunction> functions)
    : index_(index), driver_(driver), plan_(std::move(plan)), functions_(std::move(functions)) {}

// Memory grows with the largest picture so far.
void CudaLane::reserve(std::size_t pixels) {
    if (pixels <= pixels_) return;
    pixels_ = 0;
    in_ = {}, out_ = {}, source_ = {}, buffers_[0] = {}, buffers_[1] = {};
    in_ = PinnedMemory(4 * pixels);
    out_ = PinnedMemory(pixels);
    source_ = DeviceMemory(4 * pixels);
    for (DeviceMemory& buffer : buffers_) buffer = DeviceMemory(pixels);
    pixels_ = pixels;
}

Result<GrayImage> CudaLane::run(const Picture& picture) {
    try {
        WS_CUDA(cudaSetDevice(index_));
        const Extent size = picture->size;
        reserve(size.pixels());
        std::memcpy(in_.data(), picture->bytes.data(), picture->bytes.size());
        WS_CUDA(cudaMemcpyAsync(source_.data(), in_.data(), picture->bytes.size(), cudaMemcpyHostToDevice,
                                stream_.get()));
        const std::uint8_t* input = nullptr;
        for (std::size_t i = 0; i < plan_.launches.size(); ++i) {
            const Launch& launch = plan_.launches[i];
            const Extent grid = grid_for(size, launch.tile);
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
        WS_CUDA(cudaMemcpyAsync(out_.data(), input, size.pixels(), cudaMemcpyDeviceToHost, stream_.get()));
        WS_CUDA(cudaStreamSynchronize(stream_.get()));
        GrayImage result(size);
        std::memcpy(result.bytes.data(), out_.data(), size.pixels());
        return result;
    } catch (const Error& error) {
        return Result<GrayImage>::failure(error.what());
    }
}

}  // namespace ws
