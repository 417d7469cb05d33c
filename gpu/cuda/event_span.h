#pragma once
// The time that the GPU spends between two events. Every call can fail; a failed one is no sample.

#include "gpu/core/device.h"
#include "gpu/cuda/resources.h"

namespace ws {

class EventSpan {
  public:
    [[nodiscard]] cudaError_t begin(cudaStream_t stream) { return cudaEventRecord(begin_.get(), stream); }
    [[nodiscard]] cudaError_t end(cudaStream_t stream) { return cudaEventRecord(end_.get(), stream); }
    // Sets the milliseconds of one of the sample's launches, once the GPU has passed both events. On a
    // failure the sample loses its launches: it is none.
    [[nodiscard]] cudaError_t read(Sample& sample) const {
        float ms = 0;
        const cudaError_t status = cudaEventElapsedTime(&ms, begin_.get(), end_.get());
        sample = status == cudaSuccess ? Sample{double(ms) / sample.launches, sample.launches} : Sample{};
        return status;
    }

  private:
    CudaEvent begin_, end_;
};

}  // namespace ws
