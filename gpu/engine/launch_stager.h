#pragma once
// A launch of a lab's kernel on a simulated GPU of its own, with all that it reads in place.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/core/counters.h"
#include "gpu/core/image.h"
#include "gpu/core/plan.h"
#include "gpu/core/result_key.h"
#include "gpu/engine/prepared_buffers.h"
#include "gpu/simt/step_launch.h"

namespace ws {

// One kernel to be counted. The result is that of the key, whoever asked.
struct CountJob {
    CountKey key;
    Launch launch;  // its kernel is PTX
    Problem problem;
};

// Works in memory of its stager until that stages another one.
struct StagedLaunch {
    simt::Gpu gpu;
    simt::KernelLaunch launch;
};

// What stagers have in common: what takes long and is the same for all of them.
struct StagingStore {
    simt::ProgramCache programs;
    PreparedBuffers prepared;
};

// For one thread.
class LaunchStager {
  public:
    explicit LaunchStager(std::shared_ptr<StagingStore> store = std::make_shared<StagingStore>())
        : store_(std::move(store)) {}
    // The kernel writes into memory that holds anything. Throws Error for a kernel that the simulated GPU
    // does not take.
    [[nodiscard]] StagedLaunch stage(const CountJob& job);

  private:
    [[nodiscard]] std::uint8_t* contents_of(const CountJob& job, int buffer);

    std::shared_ptr<StagingStore> store_;
    std::map<int, std::shared_ptr<const HostBytes>> read_;  // of the store, by the launch that is staged
    HostBytes target_;
};

// Tells whose the addresses of the examples are.
void name_buffers(const Launch& launch, const simt::KernelLaunch& staged,
                  std::vector<AccessExample>& examples);

}  // namespace ws
