#include "gpu/engine/launch_stager.h"

#include <bit>
#include <cstring>

#include "gpu/core/error.h"
#include "gpu/simt/addresses.h"

namespace ws {

std::uint8_t* LaunchStager::contents_of(const CountJob& job, int buffer) {
    if (const PixelBytes* content = job.problem.content_of(buffer))
        return const_cast<std::uint8_t*>(content->data());  // no kernel writes its input
    std::shared_ptr<const HostBytes>& read = read_[buffer];
    read = store_->prepared.find(job.key.input, job.problem, buffer);
    return const_cast<std::uint8_t*>(read->data());
}

StagedLaunch LaunchStager::stage(const CountJob& job) {
    const Launch& launch = job.launch;
    const Lab& lab = *job.problem.lab;
    const Extent size = job.problem.size;
    auto program = store_->programs.find(launch.kernel);
    if (!program.ok()) throw Error(program.message());
    const auto output = std::size_t(launch.output());
    // Setting it to zero takes longer than some launches.
    const std::size_t bytes = bytes_of(lab.buffers[output], size);
    if (target_.size() != bytes) target_ = HostBytes(bytes);
    read_.clear();
    std::vector<std::uint8_t*> buffers(lab.buffers.size());
    for (const Argument& argument : launch.arguments) {
        if (argument.only_reads()) buffers[std::size_t(argument.buffer)] = contents_of(job, argument.buffer);
    }
    buffers[output] = target_.data();
    StagedLaunch staged{simt::Gpu(job.key.gpu), {}};
    staged.launch = simt::step_launch(staged.gpu, program.value(), launch, lab, size, buffers);
    return staged;
}

// The launch's buffers lie apart, so that the last one that begins before an address has it.
void name_buffers(const Launch& launch, const simt::KernelLaunch& staged,
                  std::vector<AccessExample>& examples) {
    for (AccessExample& example : examples) {
        if (example.shared || example.mask == 0) continue;
        const std::uint64_t address = example.addresses[std::size_t(std::countr_zero(example.mask))];
        for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
            // A texture's handle is no address.
            if (launch.arguments[i].buffer < 0 || launch.arguments[i].kind == Argument::Kind::texture)
                continue;
            std::uint64_t base = 0;
            std::memcpy(&base, staged.parameters.data() + staged.program->parameters[i].at, sizeof base);
            base -= simt::kGlobalBase;
            if (base > address || (example.buffer >= 0 && base < example.base)) continue;
            example.buffer = launch.arguments[i].buffer;
            example.base = base;
        }
    }
}

}  // namespace ws
