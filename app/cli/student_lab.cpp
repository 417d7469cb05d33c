#include "app/cli/student_lab.h"

#include <fmt/format.h>

#include "gpu/core/error.h"
#include "gpu/engine/planner.h"

namespace ws {

StudentLab::StudentLab(std::string file, std::string kernel, const std::vector<KernelArgument>& arguments,
                       const LaunchShape& shape)
    : title_(std::move(file)), kernel_(std::move(kernel)) {
    if (arguments.size() > kMostArguments)
        throw UsageError(fmt::format("{} arguments are given", arguments.size()), "",
                         fmt::format("a kernel may have {}", kMostArguments));
    names_.reserve(arguments.size());  // views point into it
    Pass pass;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const KernelArgument& argument = arguments[i];
        if (!argument.is_buffer) {
            pass.arguments.push_back({Argument::Kind::value, -1, argument.bits, bytes_of(argument.element)});
            continue;
        }
        const auto place = int(lab_.buffers.size());
        Buffer buffer{names_.emplace_back(fmt::format("argument {}", i)), argument.element,
                      argument.content ? Content::given : Content::computed};
        buffer.elements = argument.count;
        lab_.buffers.push_back(buffer);
        arguments_.push_back(i);
        problem_.given.push_back(argument.content);
        pass.arguments.push_back({argument.content ? Argument::Kind::both : Argument::Kind::output, place});
    }
    lab_.id = "file";
    lab_.title = title_;
    lab_.steps = {{kernel_, kernel_}};
    lab_.by_weight = {0};
    lab_.views = {{.name = "result", .title = "what the kernel leaves", .shows = -1, .ways = {{pass}}}};
    Version version;
    version.title = title_;
    version.steps = {
        {.kernel = kernel_,
         .block = {shape.block[0], shape.block[1]},
         .shape = OwnShape{
             {shape.grid[0], shape.grid[1]}, shape.grid[2], shape.block[2], shape.dynamic_shared_bytes}}};
    lab_.versions = {version};
    problem_.lab = &lab_;
    problem_.size = {1, 1};
    if (!problem_.given.empty()) problem_.input = problem_.given.front();
}

Launch StudentLab::launch() const {
    const StepKernel& step = lab_.versions.front().steps.front();
    StepRequest request;
    request.block = step.block;
    request.shape = step.shape;
    return launch_of(request, arguments_of(first_work(lab_), 0), nullptr, problem_.size, 0);
}

}  // namespace ws
