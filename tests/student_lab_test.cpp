// A person's kernel as a lab of one version: the same launch on the simulated GPU and, where there is one, on
// a real one.

#include <cstring>

#include "app/cli/gpu_run.h"
#include "app/cli/student_lab.h"
#include "gpu/analysis/profiles.h"
#include "gpu/simt/simt_device.h"
#include "tests/gpu_support.h"
#include "tests/staged_faults.h"

namespace ws::testing {
namespace {

constexpr const char* kSource = R"(
extern "C" __global__ void scale(const float* in, float* out, int n, float factor) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * factor;
}
// Twice would be another result.
extern "C" __global__ void twice(int* values) { values[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }
extern "C" __global__ void where(unsigned* out) {
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    unsigned all = blockDim.x * blockDim.y * blockDim.z;
    out[block * all + thread] = 1000000 * blockIdx.z + 10000 * threadIdx.z + block * all + thread;
}
extern "C" __global__ void sizes(double* out, unsigned char a, long long b, double c, unsigned d) {
    out[0] = a; out[1] = b; out[2] = c; out[3] = d;
}
extern "C" __global__ void turned(const int* in, int* out, int n) {
    extern __shared__ int words[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) words[i] = in[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = words[n - 1 - i];
}
)";

struct Case {
    const char* kernel;
    std::vector<std::string> arguments;
    LaunchShape shape;
    int buffer;                       // to look at
    std::vector<double> (*expect)();  // its first elements
};

std::vector<double> counted(double from, double step, int count) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(from + step * i);
    return values;
}

std::vector<double> all_places() {
    std::vector<double> values;
    for (int block = 0; block < 24; ++block) {
        const int depth = block / 6;  // of 2 x 3 x 4 blocks, and of 3 x 2 x 4 threads
        for (int thread = 0; thread < 24; ++thread) {
            const int thread_depth = thread / 6;
            values.push_back(1000000 * depth + 10000 * thread_depth + block * 24 + thread);
        }
    }
    return values;
}

const std::vector<Case>& cases() {
    static const std::vector<Case> list{
        {"scale",
         {"f32[100]=iota", "f32[100]=poison", "i32=100", "f32=1.5"},
         {{4, 1, 1}, {32, 1, 1}, 0},
         1,
         [] { return counted(0, 1.5, 100); }},
        {"twice", {"i32[64]=iota"}, {{2, 1, 1}, {32, 1, 1}, 0}, 0, [] { return counted(0, 2, 64); }},
        {"where", {"u32[576]=poison"}, {{2, 3, 4}, {3, 2, 4}, 0}, 0, all_places},
        {"sizes",
         {"f64[4]=poison", "u8=200", "i64=-5000000000", "f64=0.25", "u32=4000000000"},
         {{1, 1, 1}, {1, 1, 1}, 0},
         0,
         [] {
             return std::vector<double>{200, -5e9, 0.25, 4e9};
         }},
        // More shared memory than a launch gets without asking.
        {"turned",
         {"i32[16384]=iota", "i32[16384]=poison", "i32=16384"},
         {{1, 1, 1}, {256, 1, 1}, 65536},
         1,
         [] { return counted(16383, -1, 16384); }}};
    return list;
}

double number_at(Element element, const HostBytes& bytes, std::size_t index) {
    const auto as = [&](auto value) {
        std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
        return double(value);
    };
    switch (element) {
        case Element::int32:
            return as(std::int32_t());
        case Element::uint32:
            return as(std::uint32_t());
        case Element::float64:
            return as(double());
        default:
            return as(float());
    }
}

Plan plan_of(const StudentLab& student, const Case& one, CodeTarget target, CompileService& compiler) {
    CompileRequest request;
    request.name = "student";
    request.text = kSource;
    request.entry = one.kernel;
    request.architecture = target.architecture;
    request.to_ptx = target.to_ptx;
    const CompileOutcome outcome = compiler.wait_for(request);
    if (!outcome.kernel) throw Error(outcome.error);
    Plan plan{&student.lab(), -1, 1, {student.launch()}};
    plan.launches.front().kernel = outcome.kernel;
    return plan;
}

void expect_result(const Case& one, const StudentLab& student, const std::vector<HostBytes>& buffers) {
    const std::vector<double> expected = one.expect();
    const Buffer& buffer = student.lab().buffers[std::size_t(one.buffer)];
    ASSERT_EQ(buffers.size(), student.lab().buffers.size());
    ASSERT_EQ(buffers[std::size_t(one.buffer)].size(), bytes_of(buffer, {1, 1}));
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_EQ(number_at(buffer.element, buffers[std::size_t(one.buffer)], i), expected[i])
            << one.kernel << ", element " << i;
}

// A device that takes known times: a sample more each frame, after a first one of nothing.
class Timed final : public Decorated {
  public:
    using Decorated::Decorated;
    [[nodiscard]] FrameResult run(const Plan& plan, FrameTarget&) override {
        FrameResult result;
        result.drawn = false;
        if (++frames_ == 1) return result;
        result.times.emplace();
        if (frames_ % 2 == 0)
            result.times->total = {99, 1};  // of the whole, not of the steps
        else
            result.times->steps[std::size_t(plan.launches.front().step)] = {0.25, 7};
        return result;
    }

  private:
    int frames_ = 0;
};

TEST(StudentLab, IsALabOfOneVersion) {
    const StudentLab student("my", "k", parse_arguments({"f32[5]=iota", "i32=-3", "u8[7]=poison"}),
                             {{2, 3, 4}, {8, 2, 2}, 128});
    const Lab& lab = student.lab();
    ASSERT_EQ(lab.versions.size(), 1u);
    ASSERT_EQ(lab.buffers.size(), 2u);
    EXPECT_FALSE(lab.takes_picture());
    EXPECT_EQ(bytes_of(lab.buffers[0], student.problem().size), 20u);
    EXPECT_EQ(bytes_of(lab.buffers[1], student.problem().size), 7u);
    EXPECT_EQ(student.arguments(), (std::vector<std::size_t>{0, 2}));
    EXPECT_TRUE(student.problem().content_of(0));
    EXPECT_FALSE(student.problem().content_of(1)) << "nobody has written it";
    const Launch launch = student.launch();
    EXPECT_EQ(launch.blocks(), (std::array<int, 3>{2, 3, 4}));
    EXPECT_EQ(launch.threads(), (std::array<int, 3>{8, 2, 2}));
    EXPECT_EQ(launch.dynamic_shared_bytes(), 128u);
    using Kind = Argument::Kind;
    EXPECT_EQ(launch.arguments,
              (std::vector<Argument>{{Kind::both, 0}, {Kind::value, -1, 0xFFFFFFFD, 4}, {Kind::output, 1}}));
    EXPECT_THROW(StudentLab("my", "k", parse_arguments(std::vector<std::string>(65, "i32=1")), {}),
                 UsageError);
    EXPECT_TRUE(StudentLab("my", "k", {}, {}).lab().buffers.empty()) << "a kernel without buffers";
}

TEST(StudentLab, RunsOnTheSimulatedGpu) {
    CompileService compiler({});
    if (!compiler.compiler()) GTEST_SKIP() << "needs NVRTC";
    for (const Case& one : cases()) {
        const StudentLab student("my", one.kernel, parse_arguments(one.arguments), one.shape);
        const Plan plan = plan_of(student, one, {80, true}, compiler);
        Timed device(std::make_unique<simt::SimtDevice>(GpuTable().named("H100")));
        const GpuRun run = run_measured(device, plan, student.problem(), 5);
        expect_result(one, student, run.buffers);
        EXPECT_EQ(run.ms.samples, 5);
        EXPECT_EQ(run.ms.median, 0.25);
        EXPECT_EQ(run.launches, 7);
        const bool has_input = one.arguments.front().find("iota") != std::string::npos;
        EXPECT_EQ(run.restored, has_input) << "nobody knows yet whether it stays";
        // What a run leaves as it was is an input.
        const Plan known = without_idle_changes(plan, student.problem(), run.buffers);
        EXPECT_EQ(known.changes_input(), one.kernel == std::string("twice")) << one.kernel;
        Timed again(std::make_unique<simt::SimtDevice>(GpuTable().named("H100")));
        expect_result(one, student, run_measured(again, known, student.problem(), 1).buffers);
    }
}

TEST(StudentLab, AFailureSaysWhereAndWhy) {
    CompileService compiler({});
    if (!compiler.compiler()) GTEST_SKIP() << "needs NVRTC";
    Case one = cases().front();
    one.shape.block = {2048, 1, 1};  // more threads than a block may have
    const StudentLab student("my", one.kernel, parse_arguments(one.arguments), one.shape);
    Timed device(std::make_unique<simt::SimtDevice>(GpuTable().named("H100")));
    try {
        (void)run_measured(device, plan_of(student, one, {80, true}, compiler), student.problem(), 1);
        FAIL() << "2048 threads were run";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("2048"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("simulated H100"), std::string::npos) << error.what();
    }
}

TEST(StudentLab, RunsOnTheRealGpu) {
    Result<std::unique_ptr<Device>> opened = make_cuda_device(0);
    WS_NEED_GPU(opened);
    Device& device = *opened.value();
    CompileService compiler({});
    const CodeTarget target =
        runnable_target(compiler.compiler()->architectures(), device.facts().profile.limits.capability);
    for (const Case& one : cases()) {
        const StudentLab student("my", one.kernel, parse_arguments(one.arguments), one.shape);
        const Plan plan = plan_of(student, one, target, compiler);
        // As nobody knows it: restored before each launch, so that the last one leaves the same as the first.
        const GpuRun careful = run_measured(device, plan, student.problem(), 20);
        expect_result(one, student, careful.buffers);
        EXPECT_EQ(careful.launches > 1, !plan.changes_input()) << one.kernel;
        const Plan known = without_idle_changes(plan, student.problem(), careful.buffers);
        const GpuRun run = run_measured(device, known, student.problem(), 20);
        expect_result(one, student, run.buffers);
        EXPECT_EQ(run.ms.samples, 20);
        EXPECT_GT(run.ms.median, 0);
        EXPECT_LT(run.ms.median, 10);
        EXPECT_EQ(run.launches > 1, !known.changes_input()) << one.kernel;
        std::printf("%s: %.4f ms of %d launches, %.4f ms where buffers are restored\n", one.kernel,
                    run.ms.median, run.launches, careful.ms.median);
        // The buffers after the timed launches, too.
        const Result<std::vector<HostBytes>> after = device.run_once(known, 0x5A, {one.buffer});
        ASSERT_TRUE(after.ok()) << after.message();
        EXPECT_EQ(after.value().front(), run.buffers[std::size_t(one.buffer)]) << one.kernel;
    }
}

}  // namespace
}  // namespace ws::testing
