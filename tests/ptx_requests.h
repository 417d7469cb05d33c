#pragma once
// What is compiled to PTX of every kernel file of the labs, for those tests that look at all of it.

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/compile/kernel_library.h"
#include "gpu/engine/planner.h"
#include "gpu/labs/labs.h"
#include "tests/architectures.h"

namespace ws::testing {

// Those for which kernels_test has machine code of the same, so that the compiler makes both at once.
inline constexpr int kPtxArchitectures[] = {kOldestArchitecture, 90, kNewestArchitecture};

// Each version as it is at first; versions share files, which are there once for each choice of knobs.
inline std::vector<CompileRequest> ptx_requests(int architecture) {
    std::vector<CompileRequest> made;
    std::set<std::string> seen;
    const KernelLibrary library;
    const auto find = [&](std::string_view name) -> const KernelSource& { return library.find(name); };
    for (const Lab* lab : labs()) {
        for (const Version& version : lab->versions) {
            for (const StepRequest& step : step_requests(with_version(first_work(*lab), version), find)) {
                if (step.source->needs.number() > architecture) continue;
                std::string what = step.source->name;
                for (const auto& [knob, value] : step.knobs) what += " " + knob + "=" + std::to_string(value);
                if (seen.insert(what).second)
                    made.push_back(compile_request(*lab, step, {architecture, true}));
            }
        }
    }
    return made;
}

}  // namespace ws::testing
