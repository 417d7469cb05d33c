#pragma once
// The sweep of what is shown, and of the baseline: runs it beside the frames, and finds what was recorded.

#include <memory>
#include <optional>

#include "app/views/views.h"
#include "gpu/engine/sweep_service.h"

namespace ws {

class SweepDesk {
  public:
    SweepDesk(EngineOptions options, std::filesystem::path records)
        : service_(std::move(options), std::move(records)) {}

    // Runs the sweep of what is shown, or stops the one that runs.
    void toggle(const Engine& engine);
    // Once a frame: takes what was done since.
    void update(const Engine& engine);
    [[nodiscard]] const SweepPage& page() const { return page_; }
    [[nodiscard]] bool running() const { return service_.running(); }

  private:
    // What recordings have, made once for what it is of.
    struct Recorded {
        SweepResult result;
        const Recordings* of = nullptr;
    };
    [[nodiscard]] const SweepResult* find(const Engine& engine, const SweepSubject& subject,
                                          Recorded& recorded);

    SweepService service_;
    Recorded now_, base_;
    SweepPage page_;
};

}  // namespace ws
