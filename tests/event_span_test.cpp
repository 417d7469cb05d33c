// Events that fail, and frames that the GPU has not finished. CUDA's functions are replaced when this test is
// linked (--wrap), so that no GPU is needed.

#include "gpu/cuda/event_span.h"
#include "gpu/cuda/frame_timer.h"

#include <gtest/gtest.h>

namespace {
cudaError_t answer = cudaSuccess;
cudaError_t finished = cudaSuccess;
}  // namespace

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
cudaError_t __wrap_cudaEventQuery(cudaEvent_t) {
    return finished;
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
    answer = cudaSuccess;
}

// Frames that come faster than the GPU finishes them: what was recorded stays until it can be read.
TEST(FrameTimer, AFrameIsReadHoweverLateTheGpuIs) {
    FrameTimer timer;
    std::optional<FrameTimes> times;
    TimedFrame* frame = nullptr;
    finished = cudaErrorNotReady;
    int timed = 0;
    for (std::uint64_t run = 1; run <= 10; ++run) {
        ASSERT_EQ(timer.next(frame, times), cudaSuccess);
        EXPECT_FALSE(times) << "the GPU has finished nothing";
        if (!frame) continue;
        frame->times = {};
        frame->times.generation = run;
        frame->times.total.launches = 2;
        frame->used = true;
        ++timed;
    }
    EXPECT_EQ(timed, 4) << "as many as there are places";
    finished = cudaSuccess;
    ASSERT_EQ(timer.next(frame, times), cudaSuccess);
    ASSERT_TRUE(frame && times);
    EXPECT_EQ(times->generation, 1u) << "the oldest";
    EXPECT_EQ(times->total.ms, 3);
}

}  // namespace
}  // namespace ws
