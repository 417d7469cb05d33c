#pragma once
// Addresses of blocks by key: those of the warp that a person looks at, and those at the same place of the
// baseline.

#include <optional>
#include <vector>

#include "gpu/compile/compile_service.h"
#include "gpu/core/snapshot.h"
#include "gpu/engine/asked_work.h"
#include "gpu/engine/example_service.h"

namespace ws {

[[nodiscard]] WarpGrid warp_grid(const Launch& launch, Extent size);
// The warp of another launch that computes the same place of the work.
[[nodiscard]] WarpPlace same_place(const WarpGrid& from, const WarpPlace& at, const WarpGrid& to);

class ExampleBook {
  public:
    ExampleBook(const CompileService& compiler, std::shared_ptr<StagingStore> store)
        : compiler_(compiler), service_(std::move(store)) {}

    // Asks for what is not there yet of the wish in `asked`, whose counts the steps of the snapshot hold
    // already, and writes what is there into them.
    void publish(const AskedWork& asked, Snapshot& snapshot);
    // Takes what has come since; true if anything has.
    [[nodiscard]] bool take();
    [[nodiscard]] bool busy() const { return service_.busy(); }
    void wait() { service_.wait(); }

  private:
    void choose(const StepResult& result, const PlannedKernel& kernel, const WarpPlace* wanted,
                const Problem& problem, ChosenWarp& shown);

    const CompileService& compiler_;
    ExampleService service_;
    std::vector<ExampleJob> missing_;  // while publishing
    static constexpr std::size_t kKept = 64;
    Board<ExampleKey, ExampleOutcome> board_{kKept};
};

}  // namespace ws
