#include "gpu/cuda/device_buffers.h"

#include <fmt/format.h>

namespace ws {

void DeviceBuffers::hold(Problem problem) {
    textures_.clear();
    if (problem.size != size_ || problem.lab != lab_ || problem.lab->buffers.size() != memory_.size()) {
        // The old memory goes first: the new work may need all there is.
        problem_ = {};
        memory_.clear();
        memory_.resize(problem.lab->buffers.size());
        lab_ = problem.lab;
        size_ = problem.size;
    }
    for (std::size_t i = 0; i < memory_.size(); ++i) {
        if (problem.content_of(int(i))) reserve(*problem.lab, problem.size, int(i));
    }
    problem_ = std::move(problem);
    for (std::size_t i = 0; i < memory_.size(); ++i) WS_CUDA(upload(int(i)));
}

// At least for work of this size. Throws Error.
void DeviceBuffers::reserve(const Lab& lab, Extent size, int buffer) {
    DeviceMemory& memory = memory_[std::size_t(buffer)];
    const std::size_t bytes = bytes_of(lab.buffers[std::size_t(buffer)], size);
    if (memory.size() >= bytes && bytes > 0) return;
    try {
        memory = DeviceMemory(readable_bytes(bytes));
    } catch (const Error& error) {
        std::size_t free_bytes = 0;
        std::size_t all_bytes = 0;
        if (cudaMemGetInfo(&free_bytes, &all_bytes) != cudaSuccess) cudaGetLastError();
        const char* const what = lab.takes_picture() ? "picture" : "size";
        throw Error(fmt::format("the GPU's memory is full: this {} needs {} MiB more, {} of {} MiB are free",
                                what, bytes >> 20, free_bytes >> 20, all_bytes >> 20),
                    error.what(), fmt::format("close other programs or use a smaller {}", what));
    }
}

std::optional<LaunchFailure> DeviceBuffers::prepare(const Plan& plan) {
    const char* code = "cudaErrorMemoryAllocation";
    try {
        for (const Launch& launch : plan.launches) {
            for (const Argument& argument : launch.arguments) {
                if (argument.writes()) reserve(*plan.lab, size_, argument.buffer);
                if (argument.kind != Argument::Kind::texture) continue;
                code = "texture";
                textures_.bind(argument, plan.lab->buffers[std::size_t(argument.buffer)], size_,
                               data(argument.buffer), stream_);
            }
        }
    } catch (const Error& error) {
        return LaunchFailure{plan.launches.front().step, code, error.what(), false};
    }
    return std::nullopt;
}

cudaError_t DeviceBuffers::poison(const Plan& plan, std::uint8_t byte) {
    for (const Launch& launch : plan.launches) {
        for (const Argument& argument : launch.arguments) {
            if (argument.kind != Argument::Kind::output) continue;
            const DeviceMemory& output = memory_[std::size_t(argument.buffer)];
            const cudaError_t status = cudaMemsetAsync(output.data(), byte, output.size(), stream_);
            if (status != cudaSuccess) return status;
        }
    }
    return cudaSuccess;
}

cudaError_t DeviceBuffers::restore(const Plan& plan) {
    for (const Launch& launch : plan.launches) {
        for (const Argument& argument : launch.arguments) {
            if (argument.kind != Argument::Kind::both) continue;
            const cudaError_t status = upload(argument.buffer);
            if (status != cudaSuccess) return status;
        }
    }
    return cudaSuccess;
}

cudaError_t DeviceBuffers::copy_out(int buffer, std::uint8_t* to, std::size_t bytes) const {
    return cudaMemcpyAsync(to, data(buffer), bytes, cudaMemcpyDeviceToHost, stream_);
}

// Copies the problem's content of a buffer, where it has one.
cudaError_t DeviceBuffers::upload(int buffer) {
    const PixelBytes* content = problem_.content_of(buffer);
    if (!content) return cudaSuccess;
    return cudaMemcpyAsync(data(buffer), content->data(), content->readable_size(), cudaMemcpyHostToDevice,
                           stream_);
}

}  // namespace ws
