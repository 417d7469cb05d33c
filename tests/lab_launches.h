#pragma once
// Every version of every lab but the filters' (counter_cases.h has their kernels, in more blocks), in its own
// block and knobs: the launches whose counters are compared between the simulated GPU and a real one.

#include <string>
#include <vector>

#include "gpu/compile/kernel_library.h"
#include "gpu/core/work.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/labs.h"

namespace ws::testing {

// A multiple of nothing, small enough for a profiler and for every element of a long chain.
inline constexpr Extent kLabSize{500, 333};

struct LabVersion {
    const Lab* lab = nullptr;
    const Version* version = nullptr;
    // "matmul V4 product", of a step that it launches.
    [[nodiscard]] std::string name_of(const Launch& launch) const {
        return std::string(lab->id) + " V" + std::to_string(version->number) + " " +
               std::string(lab->steps[std::size_t(launch.step)].name);
    }
};

inline std::vector<LabVersion> lab_versions() {
    std::vector<LabVersion> all;
    for (const Lab* lab : labs()) {
        if (lab == &filters::lab()) continue;
        for (const Version& version : lab->versions) all.push_back({lab, &version});
    }
    return all;
}

inline Problem lab_problem(const Lab& lab) {
    if (!lab.takes_picture()) return generated_problem(lab, kLabSize);
    RgbaImage image(kLabSize);
    for (std::size_t i = 0; i < image.bytes.size(); ++i) image.bytes[i] = std::uint8_t(i * 2654435761U >> 24);
    return picture_problem(lab, std::make_shared<const RgbaImage>(std::move(image)));
}

// `compile` makes a kernel of a request.
template <typename Compile>
Plan lab_plan(const LabVersion& one, const KernelLibrary& library, CodeTarget target, int multiprocessors,
              const Compile& compile) {
    const Work work = with_version(first_work(*one.lab), *one.version);
    Plan plan;
    plan.lab = one.lab;
    plan.shows = shown_buffer(one.lab->views[std::size_t(work.view)], *one.version);
    plan.generation = 1;
    const auto find = [&](std::string_view name) -> const KernelSource& { return library.find(name); };
    for (const StepRequest& step : step_requests(work, find)) {
        if (!runs_step(work, step.step)) continue;
        plan.launches.push_back(launch_of(step, arguments_of(work, step.step),
                                          compile(compile_request(*one.lab, step, target)), kLabSize,
                                          multiprocessors));
    }
    return plan;
}

}  // namespace ws::testing
