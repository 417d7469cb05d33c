#include "gpu/labs/labs.h"

#include <array>
#include <string>

#include "gpu/core/error.h"
#include "gpu/labs/amdahl/amdahl.h"
#include "gpu/labs/banks/banks.h"
#include "gpu/labs/constant/constant.h"
#include "gpu/labs/divergence/divergence.h"
#include "gpu/labs/dynamic_parallelism/dynamic_parallelism.h"
#include "gpu/labs/filters/filters.h"
#include "gpu/labs/global_memory/global_memory.h"
#include "gpu/labs/intrinsics/intrinsics.h"
#include "gpu/labs/latency/latency.h"
#include "gpu/labs/littles_law/littles_law.h"
#include "gpu/labs/matmul/matmul.h"
#include "gpu/labs/metrics/metrics.h"
#include "gpu/labs/reduction/reduction.h"
#include "gpu/labs/registers/registers.h"
#include "gpu/labs/roofline/roofline.h"
#include "gpu/labs/several_gpus/several_gpus.h"
#include "gpu/labs/streams/streams.h"
#include "gpu/labs/texture/texture.h"
#include "gpu/labs/throughput/throughput.h"
#include "gpu/labs/transfers/transfers.h"
#include "gpu/labs/transpose/transpose.h"

namespace ws {

std::span<const Lab* const> labs() {
    // A line each, so that two that are added do not meet.
    // clang-format off
    static const std::array kLabs{
        &filters::lab(),
        &transpose::lab(),
        &global_memory::lab(),
        &banks::lab(),
        &reduction::lab(),
        &divergence::lab(),
        &latency::lab(),
        &registers::lab(),
        &constant::lab(),
        &texture::lab(),
        &matmul::lab(),
        &throughput::lab(),
        &intrinsics::lab(),
        &dynamic_parallelism::lab(),
    };
    // clang-format on
    return kLabs;
}

std::span<const Experiment* const> experiments() {
    // clang-format off
    static const std::array kExperiments{
        &transfers::experiment(),
        &streams::experiment(),
        &several_gpus::experiment(),
        &metrics::experiment(),
        &amdahl::experiment(),
        &roofline::experiment(),
        &littles_law::experiment(),
    };
    // clang-format on
    return kExperiments;
}

const Experiment* experiment_named(std::string_view id) {
    for (const Experiment* experiment : experiments()) {
        if (experiment->id == id) return experiment;
    }
    return nullptr;
}

const Lab& lab_named(std::string_view id) {
    std::string names;
    for (const Lab* lab : labs()) {
        if (lab->id == id) return *lab;
        names += (names.empty() ? "" : ", ") + std::string(lab->id);
    }
    if (experiment_named(id))
        throw UsageError("'" + std::string(id) + "' is an experiment, which has no versions", "",
                         "run it with: warpscope lab " + std::string(id));
    for (const Experiment* experiment : experiments()) names += ", " + std::string(experiment->id);
    throw UsageError("there is no lab '" + std::string(id) + "'", "", "choose from " + names);
}

}  // namespace ws
