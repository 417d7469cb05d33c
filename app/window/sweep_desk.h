#pragma once
// The sweep of what is shown, and of the baseline: runs it beside the frames, and finds what was recorded.

#include <memory>
#include <optional>
#include <vector>

#include "app/views/views.h"
#include "gpu/engine/sweep_service.h"

namespace ws {

class SweepDesk {
  public:
    SweepDesk(EngineOptions options, std::filesystem::path records)
        : service_(std::move(options), std::move(records)) {}

    // Runs the sweep of what is shown, or stops the one that runs.
    void toggle(const Engine& engine, SweepOver over);
    // Once a frame: takes what was done since. `sizes`: all versions over sizes are looked at.
    void update(const Engine& engine, bool sizes);
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

    // A version over sizes, as long as nothing but the size changes.
    struct OverSizes {
        SweepSubject subject;
        Recorded recorded;
    };
    void update_sizes(const Engine& engine);
    [[nodiscard]] bool is_of(const Snapshot& snapshot) const;

    SweepService service_;
    Recorded now_, base_;
    // Of all versions, for work that differs from this in its size at most, on this device.
    Work sizes_of_;
    bool measures_ = false;
    std::vector<OverSizes> sizes_;
    std::vector<SizeCurve> curves_;
    SweepPage page_;
};

}  // namespace ws
