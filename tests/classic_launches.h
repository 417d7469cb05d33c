#pragma once
// A classic of bench/classics on the simulated GPU.

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bench/classics/classics.h"
#include "compiled_kernels.h"
#include "gpu/analysis/profiles.h"
#include "gpu/core/error.h"
#include "gpu/core/files.h"
#include "gpu/engine/launch_stager.h"
#include "gpu/sass/machine_code_reader.h"
#include "gpu/simt/gpu.h"
#include "gpu/simt/sample.h"
#include "gpu/simt/step_launch.h"

namespace ws::testing {

// Its machine code for an H200, and the PTX that this was assembled from, ready to run on a simulated one.
struct ClassicLaunch {
    explicit ClassicLaunch(const classics::Classic& classic)
        : staged{simt::Gpu(GpuTable().named("H200")), {}} {
        CompileRequest request;
        request.name = classic.file;
        request.text =
            read_file(std::string(WARPSCOPE_SOURCE_DIR) + "/bench/classics/" + classic.file + ".cu");
        request.entry = classic.entry;
        request.architecture = 90;
        kernel = compiled_kernel(request);
        const auto program = simt::load_program(ptx_in(kernel->binary), kernel->entry);
        if (!program.ok()) throw Error(program.message(), classic.name);
        simt::KernelLaunch& launch = staged.launch;
        launch.program = program.value();
        launch.grid = {classic.grid.width, classic.grid.height, 1};
        launch.block = {classic.block.x, classic.block.y, 1};
        unsigned place = 0;
        for (const classics::Argument& argument : classic.arguments) {
            std::uint64_t bits = argument.bits;
            if (argument.is_buffer()) bits = stage(argument.memory, place + 1);
            simt::set_parameter(launch, place++, bits, argument.bytes);
        }
    }

    // Of a sample of its blocks, from all over the grid.
    [[nodiscard]] KernelCounters count() {
        simt::Layout layout;
        const simt::KernelLaunch& launch = staged.launch;
        layout.tile = {launch.block[0], launch.block[1]};
        layout.size = {launch.grid[0] * layout.tile.width, launch.grid[1] * layout.tile.height};
        layout.reach = kReadsAnywhere;
        KernelCounters counted =
            simt::count_sample(staged.gpu, launch, simt::step_options(), layout).counters;
        counted.unique_bytes = std::uint64_t(least_bytes);
        return counted;
    }

    // Of its machine code.
    [[nodiscard]] Launch as_launch() const {
        Launch made;
        made.kernel = kernel;
        made.block = {staged.launch.block[0], staged.launch.block[1]};
        made.grid = {staged.launch.grid[0], staged.launch.grid[1]};
        return made;
    }

    std::shared_ptr<const CompiledKernel> kernel;
    StagedLaunch staged;
    double least_bytes = 0;  // of the sectors that it needs

  private:
    std::uint64_t stage(const classics::Memory& memory, unsigned seed) {
        std::vector<std::uint8_t>& bytes = memory_.emplace_back(memory.bytes());
        classics::fill(memory, seed, bytes.data());
        least_bytes += double(memory.bytes()) * memory.touched;
        return staged.gpu.map(std::as_writable_bytes(std::span(bytes)), memory.fill == classics::Fill::none
                                                                            ? simt::Content::unwritten
                                                                            : simt::Content::given);
    }

    std::deque<std::vector<std::uint8_t>> memory_;
};

}  // namespace ws::testing
