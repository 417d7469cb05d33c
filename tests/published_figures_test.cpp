// What the lectures say a request transfers, a warp needs, a bank serves: the simulated GPU counts just that.

#include <set>
#include <string>

#include "gpu/compile/kernel_library.h"
#include "gpu/core/work.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/labs.h"
#include "gpu/simt/sample.h"
#include "gpu/simt/step_launch.h"
#include "tests/compiled_kernels.h"
#include "tests/simt_support.h"

namespace ws {
namespace {

// Of the step that the version is about, on the figure's GPU and at its size.
InstructionCounts counts_for(const Lab& lab, const PublishedFigure& figure) {
    static const KernelLibrary library;
    Work work = with_version(first_work(lab), version_of(lab, figure.version));
    work.knobs = figure.knobs;
    const int step = main_step(lab, version_of(lab, figure.version));
    const std::vector<StepRequest> requests =
        step_requests(work, [&](std::string_view name) -> const KernelSource& { return library.find(name); });
    const StepRequest& request = *request_of(requests, step);
    const CompileOutcome compiled = testing::compiled(compile_request(lab, request, {75, true}));
    EXPECT_TRUE(compiled.kernel) << compiled.error;
    const GpuProfile gpu = GpuTable().named(std::string(figure.gpu));
    const Launch launch =
        launch_of(request, arguments_of(work, step), compiled.kernel, figure.size, gpu.multiprocessors);
    const auto program = simt::load_program(launch.kernel->binary.data(), launch.kernel->entry);
    EXPECT_TRUE(program.ok()) << program.message();
    std::vector<HostBytes> memory(lab.buffers.size());
    std::vector<std::uint8_t*> places(lab.buffers.size());
    for (const Argument& argument : launch.arguments) {
        if (argument.buffer < 0) continue;
        const auto place = std::size_t(argument.buffer);
        memory[place].assign(readable_bytes(bytes_of(lab.buffers[place], figure.size)), 0);
        places[place] = memory[place].data();
    }
    simt::Gpu simulated(gpu);
    const simt::KernelLaunch staged =
        simt::step_launch(simulated, program.value(), launch, lab, figure.size, places);
    return simt::count_sample(simulated, staged, simt::step_options(),
                              simt::layout_of(lab, launch, figure.size))
        .counters.total;
}

double value_of(const InstructionCounts& counts, PublishedQuantity quantity) {
    switch (quantity) {
        case PublishedQuantity::load_bytes:
            return double(counts.global_load.bytes_transferred) / double(counts.global_load.requests);
        case PublishedQuantity::load_efficiency:
            return 100 * counts.global_load.efficiency();
        case PublishedQuantity::load_wavefronts:
            return double(counts.shared_load.wavefronts) / double(counts.shared_load.requests);
        case PublishedQuantity::worst_bank_conflict:
            return counts.shared_load.conflict_ways_max;
        case PublishedQuantity::constant_addresses:
            return double(counts.constant_addresses) / double(counts.constant_requests);
        case PublishedQuantity::bandwidth:
        case PublishedQuantity::time:
        case PublishedQuantity::operations_per_clock:
        case PublishedQuantity::largest_ulps:
        case PublishedQuantity::largest_error:
            break;
    }
    return 0;
}

TEST(PublishedFigures, AreWhatIsCounted) {
    WS_NEED_COMPILER();
    std::set<std::string_view> of;
    for (const Lab* lab : labs()) {
        for (const PublishedFigure& figure : lab->figures) {
            if (!is_counted(figure.quantity)) continue;
            of.insert(lab->id);
            std::string where = std::string(lab->id) + " V" + std::to_string(figure.version) + " on " +
                                std::string(figure.gpu) + ", " + std::string(name_of(figure.quantity));
            for (const auto& [name, value] : figure.knobs) where += ", " + name + "=" + std::to_string(value);
            // The first and last warps of a launch may lie otherwise.
            EXPECT_NEAR(value_of(counts_for(*lab, figure), figure.quantity), figure.value,
                        0.002 * figure.value)
                << where;
        }
    }
    EXPECT_TRUE(of.count("global-memory") && of.count("banks") && of.count("constant"));
}

}  // namespace
}  // namespace ws
