#include "gpu/cuda/device_textures.h"

#include <algorithm>
#include <array>

namespace ws {
namespace {

cudaChannelFormatDesc channels_of(const Buffer& buffer) {
    if (buffer.element == Element::float32) return {32, 0, 0, 0, cudaChannelFormatKindFloat};
    const int others = texture_channels(buffer) == 4 ? 8 : 0;
    return {8, others, others, others, cudaChannelFormatKindUnsigned};
}

cudaTextureDesc description_of(const Buffer& buffer, const Sampling& sampling) {
    constexpr std::array kModes{cudaAddressModeClamp, cudaAddressModeWrap, cudaAddressModeBorder,
                                cudaAddressModeMirror};
    const cudaTextureAddressMode mode = kModes.at(std::size_t(sampling.address));
    const bool floats = buffer.element == Element::float32;
    cudaTextureDesc made{};
    made.addressMode[0] = made.addressMode[1] = mode;
    made.filterMode = sampling.linear ? cudaFilterModeLinear : cudaFilterModePoint;
    // CUDA filters floats alone: bytes have to come as such.
    made.readMode = sampling.linear && !floats ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    made.normalizedCoords = 1;
    return made;
}

}  // namespace

void DeviceTextures::bind(const Argument& argument, const Buffer& buffer, Extent size,
                          const std::uint8_t* from, cudaStream_t stream) {
    if (find(argument) != 0) return;
    const Extent extent = extent_of(buffer, size);
    const auto height = std::size_t(extent.height);
    const std::size_t row_bytes = std::size_t(extent.width) * std::size_t(bytes_of(buffer.element));
    TextureArray array(channels_of(buffer), std::size_t(extent.width), height);
    WS_CUDA(cudaMemcpy2DToArrayAsync(array.get(), 0, 0, from, row_bytes, row_bytes, height,
                                     cudaMemcpyDeviceToDevice, stream));
    TextureObject object(array, description_of(buffer, argument.sampling));
    bound_.push_back({argument.buffer, argument.sampling, std::move(array), std::move(object)});
}

cudaTextureObject_t DeviceTextures::find(const Argument& argument) const {
    const auto found = std::find_if(bound_.begin(), bound_.end(), [&](const Bound& bound) {
        return bound.buffer == argument.buffer && bound.sampling == argument.sampling;
    });
    return found == bound_.end() ? 0 : found->object.get();
}

}  // namespace ws
