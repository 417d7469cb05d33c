// The lab on dynamic parallelism: what filling misses, how many grids its kernels launch, and that the
// picture is right where no launch finds room.

#include "gpu/labs/dynamic_parallelism/dynamic_parallelism.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/compile/kernel_library.h"
#include "gpu/core/work.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/engine/planner.h"
#include "gpu/simt/plan_memory.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

using dynamic_parallelism::lab;
namespace buffer = dynamic_parallelism::buffer;

constexpr Extent kSize{300, 203};

Problem problem_of(Extent size, int dwell = 64) {
    return generated_problem(lab(), size, {{"DWELL", dwell}});
}

std::vector<std::int32_t> marks(const Problem& problem, int which) {
    const HostBytes bytes = reference_result(problem, which);
    std::vector<std::int32_t> made(bytes.size() / sizeof(std::int32_t));
    std::memcpy(made.data(), bytes.data(), bytes.size());
    return made;
}
std::size_t open_in(const std::vector<std::int32_t>& all) {
    return std::size_t(std::count(all.begin(), all.end(), -1));
}

// The version's only launch on the simulated GPU, with `from` in its kernel's text replaced.
struct Drawn {
    HostBytes picture;
    simt::LaunchOutcome outcome;
};
Drawn draw(int version, const Problem& problem, const std::string& from = "", const std::string& to = "") {
    static const KernelLibrary library;
    Work work = with_version(first_work(lab()), version_of(lab(), version));
    work.knobs = problem.knobs;
    const auto find = [&](std::string_view name) -> const KernelSource& { return library.find(name); };
    const StepRequest step = step_requests(work, find).front();
    CompileRequest request = compile_request(lab(), step, {75, true});
    if (!from.empty()) {
        const std::size_t at = request.text.find(from);
        EXPECT_NE(at, std::string::npos);
        request.text.replace(at, from.size(), to);
    }
    const auto kernel = testing::compiler()->compile(request);
    EXPECT_TRUE(kernel.ok()) << (kernel.ok() ? "" : kernel.message());
    Drawn made;
    if (!kernel.ok()) return made;
    const Launch launch = launch_of(step, arguments_of(work, step.step),
                                    std::make_shared<const CompiledKernel>(kernel.value()), problem.size, 0);
    const auto program = simt::load_program(kernel.value().binary.data(), kernel.value().entry);
    EXPECT_TRUE(program.ok()) << (program.ok() ? "" : program.message());
    if (!program.ok()) return made;
    simt::Gpu gpu(GpuTable().named("RTX 3060"));
    simt::PlanMemory memory(problem);
    made.outcome = gpu.launch(memory.stage(gpu, program.value(), launch, 0xA5), simt::step_options());
    made.picture = memory.take(launch.output());
    return made;
}

// docs/labs.md says how many.
TEST(DynamicParallelism, FillingMissesWhatNoBorderMeets) {
    const auto missed = [](int zoom) {
        const Problem problem = generated_problem(lab(), {1024, 1024}, {{"ZOOM", zoom}});
        const HostBytes exact = reference_result(problem, buffer::exact);
        const HostBytes filled = reference_result(problem, buffer::filled);
        int count = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) count += exact[i] != filled[i] ? 1 : 0;
        return count;
    };
    EXPECT_EQ(missed(0), 1);
    EXPECT_EQ(missed(6), 6);
}

// What lies in a square that is alike is not looked at again.
TEST(DynamicParallelism, MarksSayWhatIsOpen) {
    const Problem problem = problem_of(kSize);
    const auto above = marks(problem, buffer::marks_32);
    const auto smallest = marks(problem, buffer::marks_16);
    EXPECT_EQ(marks(problem, buffer::marks_64).size(), 5u * 4u);
    EXPECT_EQ(above.size(), 10u * 7u);
    EXPECT_EQ(smallest.size(), 19u * 13u);
    EXPECT_GT(open_in(above), 20u);
    EXPECT_LT(open_in(above), above.size());
    EXPECT_LT(open_in(smallest), 4 * open_in(above));
    for (std::size_t row = 0; row < 13; ++row) {
        for (std::size_t column = 0; column < 19; ++column) {
            const std::int32_t known = above[row / 2 * 10 + column / 2];
            if (known >= 0) {
                EXPECT_EQ(smallest[row * 19 + column], known) << row << ' ' << column;
            }
        }
    }
}

TEST(DynamicParallelism, LaunchesAGridForWhatIsOpen) {
    WS_NEED_COMPILER();
    const Problem problem = problem_of(kSize);
    const HostBytes wanted = reference_result(problem, buffer::filled);
    const Drawn tree = draw(3, problem);
    EXPECT_TRUE(tree.picture == wanted);
    EXPECT_EQ(tree.outcome.counters.total.device_launches,
              open_in(marks(problem, buffer::marks_64)) + open_in(marks(problem, buffer::marks_32)));
    const Drawn flat = draw(4, problem);
    EXPECT_TRUE(flat.picture == wanted);
    EXPECT_GT(flat.outcome.counters.total.device_launches, 0u);
    EXPECT_LE(flat.outcome.counters.total.device_launches, open_in(marks(problem, buffer::marks_64)));
    const Drawn alone = draw(5, problem);
    EXPECT_TRUE(alone.picture == wanted);
    EXPECT_EQ(alone.outcome.counters.total.device_launches, 0u);
}

// A launch that is refused leaves its work to the block.
TEST(DynamicParallelism, DrawsThePictureWithoutItsLaunches) {
    WS_NEED_COMPILER();
    const Problem problem = problem_of(kSize);
    const HostBytes wanted = reference_result(problem, buffer::filled);
    for (const int version : {3, 4}) {
        const Drawn refused = draw(version, problem, "BLOCK_X>>>", "4096>>>");
        EXPECT_TRUE(refused.picture == wanted) << "V" << version;
        EXPECT_EQ(refused.outcome.counters.total.device_launches, 0u);
        EXPECT_TRUE(testing::found(refused.outcome, Finding::Kind::refused_launch));
    }
    // Only those of the second level.
    const Drawn half =
        draw(3, problem, "<<<dim3(2, 2), BLOCK_X>>>", "<<<dim3(2, 2), side == 64 ? BLOCK_X : 4096>>>");
    EXPECT_TRUE(half.picture == wanted);
    EXPECT_EQ(half.outcome.counters.total.device_launches, open_in(marks(problem, buffer::marks_64)));
}

}  // namespace
}  // namespace ws
