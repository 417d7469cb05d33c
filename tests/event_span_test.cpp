// Events that fail. CUDA's functions are replaced when this test is linked (--wrap), so that no GPU is
// needed.

#include "gpu/cuda/event_span.h"

#include <gtest/gtest.h>

namespace {
cudaError_t answer = cudaSuccess;
}

// The linker asks for these names.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
cudaError_t __wrap_cudaEventCreate(cudaEvent_t* event) {
    *event = nullptr;
    return cudaSuccess;
}
cudaError_t __wrap_cudaEventRecord(cudaEvent_t, cudaStream_t) {
    return answer;
}
cudaError_t __wrap_cudaEventElapsedTime(float* ms, cudaEvent_t, cudaEvent_t) {
    if (answer == cudaSuccess) *ms = 6;
    return answer;
}
}
// NOLINTEND(bugprone-reserved-identifier)

namespace ws {
namespace {

TEST(EventSpan, AFailedCallIsNoSample) {
    EventSpan span;
    Sample sample{0, 3};
    EXPECT_EQ(span.begin(nullptr), cudaSuccess);
    EXPECT_EQ(span.end(nullptr), cudaSuccess);
    EXPECT_EQ(span.read(sample), cudaSuccess);
    EXPECT_EQ(sample.ms, 2);
    EXPECT_EQ(sample.launches, 3);
    answer = cudaErrorInvalidResourceHandle;
    EXPECT_EQ(span.begin(nullptr), answer);
    EXPECT_EQ(span.end(nullptr), answer);
    EXPECT_EQ(span.read(sample), answer);
    EXPECT_EQ(sample.launches, 0) << "it was not timed";
}

}  // namespace
}  // namespace ws
