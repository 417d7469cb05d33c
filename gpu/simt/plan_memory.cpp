#include "gpu/simt/plan_memory.h"

namespace ws::simt {

PlanMemory::PlanMemory(Problem problem)
    : problem_(std::move(problem)), memory_(problem_.lab->buffers.size()) {}

void PlanMemory::hold(int buffer, HostBytes bytes) {
    memory_[std::size_t(buffer)] = std::move(bytes);
}

KernelLaunch PlanMemory::stage(Gpu& gpu, std::shared_ptr<const Program> program, const Launch& launch,
                               std::uint8_t poison) {
    std::vector<std::uint8_t*> buffers(memory_.size());
    for (const Argument& argument : launch.arguments) {
        if (argument.buffer < 0) continue;
        const auto place = std::size_t(argument.buffer);
        HostBytes& memory = memory_[place];
        const PixelBytes* content = problem_.content_of(argument.buffer);
        if (argument.kind == Argument::Kind::output)
            memory.assign(bytes_of(problem_.lab->buffers[place], problem_.size), poison);
        else if (argument.kind == Argument::Kind::both && memory.empty() && content)
            memory.assign(content->begin(), content->end());
        buffers[place] = memory.empty() && content
                             ? const_cast<std::uint8_t*>(content->data())  // no kernel writes its input
                             : memory.data();
    }
    return step_launch(gpu, std::move(program), launch, *problem_.lab, problem_.size, buffers);
}

}  // namespace ws::simt
